// A small picture of a verdict, for a README.
#ifndef DLPC_CONFORMANCE_CERTIFICATE_BADGE_H_
#define DLPC_CONFORMANCE_CERTIFICATE_BADGE_H_

#include <string>

#include "conformance/certificate/profiles.h"

namespace dlpc {

struct Badge {
  std::string label;    // "DLPack core"
  std::string message;  // "conformant: 80 of 119"
  std::string color;    // "brightgreen"
};

Badge BadgeOf(const ProfileResult& profile);

/// A JSON string, which is a YAML string as well, whatever is in it.
std::string QuotedText(const std::string& text);

/// The endpoint schema of shields.io.
std::string BadgeJson(const Badge& badge);
std::string BadgeSvg(const Badge& badge);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CERTIFICATE_BADGE_H_
