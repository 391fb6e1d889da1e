// A plug-in that loads well and then does what producer.h forbids.
#include <dlpc/producer.h>

#include <cstring>
#include <stdexcept>

struct dlpc_array {
  int64_t elements;
};

uint32_t dlpc_abi_version(void) { return DLPC_PRODUCER_ABI; }

void dlpc_info(dlpc_producer_info* info) { info->name = "rude"; }

/// The number of elements says how to misbehave.
dlpc_status dlpc_make(const dlpc_spec* spec, dlpc_array** array, char* message, size_t size) {
  if (spec->shape[0] == 1) throw std::runtime_error("make threw");
  if (spec->shape[0] == 2) return 99;
  if (spec->shape[0] == 3) return DLPC_OK;  // Without an array.
  if (spec->shape[0] == 4) {
    std::memset(message, 'x', size);  // Not terminated.
    return DLPC_VALUE_ERROR;
  }
  *array = new dlpc_array{spec->shape[0]};
  return DLPC_OK;
}

dlpc_status dlpc_export(dlpc_array* array, const dlpc_request*, dlpc_exported*, char*, size_t) {
  if (array->elements == 5) throw std::runtime_error("export threw");
  if (array->elements == 6) throw 6;
  return DLPC_OK;  // Without a struct.
}

void dlpc_release(dlpc_array* array) { delete array; }
