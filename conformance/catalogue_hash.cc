// Apart from the rest of the catalogue: a host that judges by itself needs no SHA-256.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "conformance/catalogue.h"

namespace dlpc {
namespace {

std::string Sha256Hex(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace

const std::string& CatalogueHash() {
  static const std::string hash = [] {
    std::string all;
    for (const Case& c : Catalogue()) {
      all += c.id;
      all += '\0';
      all += LevelName(c.requirement->level);
      all += '\0';
      all += EncodeScript(c.script->script);
    }
    return Sha256Hex(all);
  }();
  return hash;
}

}  // namespace dlpc
