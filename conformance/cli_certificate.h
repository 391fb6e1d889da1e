// The verbs `bundle`, `verify` and `badge`: what a run proves, handed on.
#ifndef DLPC_CONFORMANCE_CLI_CERTIFICATE_H_
#define DLPC_CONFORMANCE_CLI_CERTIFICATE_H_

#include <string>

namespace dlpc {

struct BundleOptions {
  std::string report;                 // Report folder.
  std::string out = "dlpack-bundle";  // Must not exist, or be empty.
  std::string sign;                   // Private Ed25519 key in PEM; empty: no signature.
};

struct VerifyOptions {
  std::string bundle;
  std::string key;      // Public Ed25519 key in PEM: the signature must be there and fit.
  std::string profile;  // Must be met.
};

struct BadgeOptions {
  std::string results;
  std::string profile = "core";
  std::string out = "dlpack-badge";  // Without the ends .json and .svg.
};

/// Exit code: 0, 2 the report cannot be certified, 3 cannot be written.
int BundleVerb(const BundleOptions& options);

/// Exit code: 0, 1 the bundle is not what it says or the profile is not met, 2 no bundle.
int VerifyVerb(const VerifyOptions& options);

/// Exit code: 0, 2 no results or no such profile, 3 cannot be written.
int BadgeVerb(const BadgeOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_CERTIFICATE_H_
