// The producer of producer_core.h as a plug-in: run it with
//     dlpack-conformance run lib/dlpc_cuda_producer.so
#include <cstdio>
#include <string>

#include "harness/cuda/producer_core.h"
#include "harness/cuda/runtime.h"

struct dlpc_array {
  dlpc::cuda::Array array;
};

namespace {

using dlpc::cuda::OrRefused;
using dlpc::cuda::Producer;
using dlpc::cuda::Refused;

// Never destroyed: exports may outlive static destructors.
Producer& TheProducer() {
  static auto* const runtime = dlpc::cuda::RealRuntime().release();
  static auto* const producer = new Producer(runtime);
  return *producer;
}

dlpc_status Say(const Refused& refused, char* message, size_t size) {
  std::snprintf(message, size, "%s", refused.message.c_str());
  return refused.status;
}

}  // namespace

extern "C" {

uint32_t dlpc_abi_version(void) { return DLPC_PRODUCER_ABI; }

void dlpc_info(dlpc_producer_info* info) {
  info->name = "cuda reference";
  info->version = "1";
  info->claims_json =
      R"({"dtypes": ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                     "float16", "float32", "float64", "complex64", "complex128", "bool"],
          "devices": ["cuda"], "memory_kinds": ["cuda", "cuda_pinned", "cuda_managed"],
          "features": ["read_only", "legacy"]})";
}

dlpc_status dlpc_make(const dlpc_spec* spec, dlpc_array** array, char* message, size_t size) {
  OrRefused<dlpc::cuda::Array> made = TheProducer().Make(*spec);
  if (const auto* refused = std::get_if<Refused>(&made)) return Say(*refused, message, size);
  *array = new dlpc_array{std::move(*std::get_if<dlpc::cuda::Array>(&made))};
  return DLPC_OK;
}

void dlpc_release(dlpc_array* array) { delete array; }

dlpc_status dlpc_device(dlpc_array* array, DLDevice* device, char*, size_t) {
  *device = TheProducer().Device(array->array);
  return DLPC_OK;
}

dlpc_status dlpc_export(dlpc_array* array, const dlpc_request* request, dlpc_exported* exported,
                        char* message, size_t size) {
  const OrRefused<dlpc_exported> result = TheProducer().Export(array->array, *request);
  if (const auto* refused = std::get_if<Refused>(&result)) return Say(*refused, message, size);
  *exported = *std::get_if<dlpc_exported>(&result);
  return DLPC_OK;
}

void dlpc_facts(dlpc_array* array, dlpc_array_facts* facts) {
  *facts = TheProducer().Facts(array->array);
}

dlpc_status dlpc_access(dlpc_array* array, int32_t mode, void* bytes, size_t size, char* message,
                        size_t message_size) {
  const auto done = TheProducer().Access(array->array, mode, bytes, size);
  if (const auto* refused = std::get_if<Refused>(&done)) {
    return Say(*refused, message, message_size);
  }
  return DLPC_OK;
}

}  // extern "C"
