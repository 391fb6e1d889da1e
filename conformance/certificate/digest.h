// Hashes and signatures, by OpenSSL.
#ifndef DLPC_CONFORMANCE_CERTIFICATE_DIGEST_H_
#define DLPC_CONFORMANCE_CERTIFICATE_DIGEST_H_

#include <string>
#include <string_view>

#include "reference/expected.h"

namespace dlpc {

/// 64 hex digits.
std::string Sha256Hex(std::string_view data);

/// A detached Ed25519 signature (64 bytes, RFC 8032) by the private key of a PEM text, as
/// `openssl pkeyutl -sign -rawin` makes it.
Expected<std::string> SignEd25519(const std::string& pem, std::string_view data);

/// Does the signature of the data fit the public key of a PEM text? An Error says why not.
Status CheckEd25519(const std::string& pem, std::string_view data, std::string_view signature);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CERTIFICATE_DIGEST_H_
