#include "conformance/certificate/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <memory>

namespace dlpc {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// nullptr: no such key in the text. A key that asks for a passphrase is none: nobody is asked.
template <typename Reader>
Key ReadKey(const std::string& pem, Reader read) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  Key key(bio ? read(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
  return key && EVP_PKEY_id(key.get()) == EVP_PKEY_ED25519 ? std::move(key) : Key();
}

}  // namespace

std::string Sha256Hex(std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest.at(i));
  return hex;
}

Expected<std::string> SignEd25519(const std::string& pem, std::string_view data) {
  const Key key = ReadKey(pem, PEM_read_bio_PrivateKey);
  if (!key) return Error{"no private Ed25519 key without a passphrase in PEM"};
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  std::array<unsigned char, 64> signature{};
  size_t size = signature.size();
  const bool done =
      context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &size, Bytes(data), data.size()) == 1;
  if (!done) return Error{"OpenSSL cannot sign with this key"};
  return std::string(reinterpret_cast<const char*>(signature.data()), size);
}

Status CheckEd25519(const std::string& pem, std::string_view data, std::string_view signature) {
  const Key key = ReadKey(pem, PEM_read_bio_PUBKEY);
  if (!key) return Error{"no public Ed25519 key in PEM"};
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  const bool fits =
      context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(data),
                       data.size()) == 1;
  if (!fits) return Error{"the signature is not by this key, or not of this list"};
  return OkStatus();
}

}  // namespace dlpc
