// A certificate: a folder with a run, what it proves, and hashes of all files.
#ifndef DLPC_CONFORMANCE_CERTIFICATE_BUNDLE_H_
#define DLPC_CONFORMANCE_CERTIFICATE_BUNDLE_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/certificate/profiles.h"
#include "harness/results.h"
#include "reference/expected.h"

namespace dlpc {

/// Name -> contents.
using BundleFiles = std::map<std::string, std::string>;

inline constexpr const char* kHashList = "SHA256SUMS";
inline constexpr const char* kSignature = "SHA256SUMS.sig";

/// The files that a bundle of this run has, from those of its report folder (results.json,
/// traces.jsonl, junit.xml, report.html); `command` is how the run can be repeated. An Error if
/// results and traces do not fit.
Expected<BundleFiles> MakeBundle(const BundleFiles& report, const std::string& command);

/// Lines as sha256sum writes and checks them.
std::string HashList(const BundleFiles& files);

struct Verified {
  RunResult result;
  std::vector<ProfileResult> profiles;
};

/// Everything but the signature. The Error names what is wrong first.
Expected<Verified> VerifyBundle(const BundleFiles& files);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CERTIFICATE_BUNDLE_H_
