// Loading a plug-in, with errors that say what to do.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>

#include "harness/hosts/native_backend.h"
#include "harness/json.h"

namespace dlpc {
namespace {

/// What dlopen complained about, without the path that it repeats.
std::string LoaderError(const std::string& path) {
  const char* text = dlerror();
  std::string error = text == nullptr ? "unknown error of the loader" : text;
  if (error.starts_with(path + ": ")) error.erase(0, path.size() + 2);
  return error;
}

bool IsNotALibrary(const std::string& error) {
  constexpr const char* kSigns[] = {"invalid ELF header", "file too short", "not a dynamic",
                                    "cannot dynamically load"};
  for (const char* sign : kSigns) {
    if (error.find(sign) != std::string::npos) return true;
  }
  return false;
}

Expected<void*> Load(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return Error{
        fmt::format("cannot open {}: {}", path, std::strerror(error ? error.value() : ENOENT))};
  }
  if (std::filesystem::is_directory(status)) return Error{fmt::format("{} is a directory", path)};
  // Absolute: a name without a slash would be looked for in the system's folders.
  const std::string full = std::filesystem::absolute(path, error).string();
  if (void* library = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const std::string why = LoaderError(full);
  if (IsNotALibrary(why)) return Error{fmt::format("{} is not a shared library ({})", path, why)};
  return Error{fmt::format("cannot load {}: {}", path, why)};
}

/// Looks up symbols; remembers the first required one that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  template <typename F>
  void Require(const char* name, F& function) {
    Find(name, function);
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  template <typename F>
  void Find(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library_, name));
  }
  const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

Error NoSymbol(const std::string& path, const char* name) {
  return Error{
      fmt::format("{} has no function {}: is it a plug-in (dlpc/producer.h)?", path, name)};
}

Expected<NativeApi> FindFunctions(void* library, const std::string& path) {
  Symbols symbols(library);
  NativeApi api;
  symbols.Require("dlpc_abi_version", api.abi_version);
  if (symbols.missing()) return NoSymbol(path, symbols.missing());
  // Before anything else: in another version the other names may mean something else.
  const uint32_t abi = api.abi_version();
  if (abi != DLPC_PRODUCER_ABI) {
    return Error{fmt::format("{} speaks plug-in ABI version {} where this suite speaks {}", path,
                             abi, DLPC_PRODUCER_ABI)};
  }
  symbols.Require("dlpc_info", api.info);
  symbols.Require("dlpc_make", api.make);
  symbols.Require("dlpc_export", api.export_array);
  symbols.Require("dlpc_release", api.release);
  if (symbols.missing()) return NoSymbol(path, symbols.missing());
  symbols.Find("dlpc_device", api.device);
  symbols.Find("dlpc_facts", api.facts);
  symbols.Find("dlpc_access", api.access);
  return api;
}

Expected<Claims> ReadClaims(const NativeApi& api, const std::string& path) {
  dlpc_producer_info info{sizeof info, nullptr, nullptr, nullptr};
  api.info(&info);
  const auto text = [](const char* s, const char* otherwise) {
    return s == nullptr ? otherwise : s;
  };
  Claims claims;
  claims.producer = text(info.name, "unnamed");
  claims.version = text(info.version, "");
  claims.kind = "native";
  claims.adapter = path;
  claims.json = text(info.claims_json, "{}");
  const Expected<Json> json = ParseJson(claims.json);
  if (!json || !json->is_object())
    return Error{fmt::format("the claims of {} are no JSON object", path)};
  return claims;
}

}  // namespace

Expected<std::unique_ptr<NativeBackend>> NativeBackend::Adopt(const NativeApi& api,
                                                              const std::string& path) {
  auto claims = ReadClaims(api, path);
  if (!claims) return claims.error();
  return std::unique_ptr<NativeBackend>(new NativeBackend(api, std::move(*claims)));
}

Expected<std::unique_ptr<NativeBackend>> NativeBackend::Open(const std::string& path) {
  const auto library = Load(path);
  if (!library) return library.error();
  try {
    const auto api = FindFunctions(*library, path);
    if (!api) return api.error();
    return Adopt(*api, path);
  } catch (const std::exception& e) {
    return Error{fmt::format("{} threw a C++ exception: {}", path, e.what())};
  } catch (...) {
    return Error{fmt::format("{} threw a C++ exception", path)};
  }
}

}  // namespace dlpc
