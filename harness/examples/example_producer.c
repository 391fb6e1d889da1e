/*
 * A small, correct producer in plain C99: a template for a vendor's plug-in. CPU memory, every
 * element type of whole bytes, any strides, read-only arrays, both structs, copies on request.
 *
 * To make your own: keep the functions dlpc_..., let struct dlpc_array hold your library's array,
 * and replace what touches the buffer by calls of your library.
 */
#define _POSIX_C_SOURCE 200112L

#include <dlpc/producer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 256 /* Of DLTensor.data, dlpack.h 1.3. */

/* Memory shared by an array and its exports. Deleters run on any thread, so the count is atomic. */
typedef struct {
  int references;
  size_t bytes;
  char* memory;
} Buffer;

struct dlpc_array {
  Buffer* buffer;
  DLDataType dtype;
  int32_t ndim;
  int64_t offset; /* In elements. */
  int read_only;
  int64_t dims[]; /* Shape, then strides: ndim entries each. */
};

/* Everything that an export owns: one block, freed by the deleter. */
typedef struct {
  union {
    DLManagedTensorVersioned versioned;
    DLManagedTensor legacy;
  } managed;
  Buffer* buffer;
  int64_t dims[];
} Export;

static dlpc_status fail(dlpc_status status, const char* text, char* message, size_t size) {
  snprintf(message, size, "%s", text);
  return status;
}

static size_t element_bytes(DLDataType t) { return (size_t)t.bits * t.lanes / 8; }

static int64_t element_count(const dlpc_array* a) {
  int64_t count = 1;
  for (int32_t i = 0; i < a->ndim; ++i) count *= a->dims[i];
  return count;
}

static Buffer* buffer_new(size_t bytes) {
  Buffer* buffer = malloc(sizeof *buffer);
  void* memory = NULL;
  if (buffer == NULL || posix_memalign(&memory, ALIGNMENT, bytes > 0 ? bytes : 1) != 0) {
    free(buffer);
    return NULL;
  }
  buffer->references = 1;
  buffer->bytes = bytes;
  buffer->memory = memory;
  return buffer;
}

static Buffer* buffer_share(Buffer* buffer) {
  __atomic_fetch_add(&buffer->references, 1, __ATOMIC_RELAXED);
  return buffer;
}

static void buffer_release(Buffer* buffer) {
  if (__atomic_sub_fetch(&buffer->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  free(buffer->memory);
  free(buffer);
}

/* Address of the element with a row-major number. */
static char* element(const dlpc_array* a, int64_t number) {
  const int64_t* strides = a->dims + a->ndim;
  int64_t at = a->offset;
  for (int32_t i = a->ndim - 1; i >= 0; --i) {
    at += number % a->dims[i] * strides[i];
    number /= a->dims[i];
  }
  return a->buffer->memory + at * (int64_t)element_bytes(a->dtype);
}

static void gather(const dlpc_array* a, char* out) {
  const size_t size = element_bytes(a->dtype);
  const int64_t count = element_count(a);
  for (int64_t i = 0; i < count; ++i) memcpy(out + (size_t)i * size, element(a, i), size);
}

uint32_t dlpc_abi_version(void) { return DLPC_PRODUCER_ABI; }

void dlpc_info(dlpc_producer_info* info) {
  info->name = "example";
  info->version = "1.0";
  info->claims_json =
      "{\"memory_kinds\": [\"cpu\"], \"features\": [\"read_only\", \"copy\", \"legacy\"]}";
}

dlpc_status dlpc_make(const dlpc_spec* spec, dlpc_array** array, char* message, size_t size) {
  if (spec->device_type != kDLCPU) {
    return fail(DLPC_UNSUPPORTED, "only CPU memory", message, size);
  }
  if (spec->dtype.bits * spec->dtype.lanes % 8 != 0 || spec->dtype.bits == 0) {
    return fail(DLPC_UNSUPPORTED, "only element types of whole bytes", message, size);
  }
  const size_t dims_bytes = (size_t)spec->ndim * sizeof(int64_t);
  dlpc_array* a = malloc(sizeof *a + 2 * dims_bytes);
  Buffer* buffer = buffer_new(spec->base_bytes);
  if (a == NULL || buffer == NULL) {
    free(a);
    if (buffer != NULL) buffer_release(buffer);
    return fail(DLPC_OTHER, "out of memory", message, size);
  }
  if (spec->base_bytes > 0) memcpy(buffer->memory, spec->base, spec->base_bytes);
  a->buffer = buffer;
  a->dtype = spec->dtype;
  a->ndim = spec->ndim;
  a->offset = spec->offset;
  a->read_only = (spec->flags & DLPC_SPEC_READ_ONLY) != 0;
  if (spec->ndim > 0) {
    memcpy(a->dims, spec->shape, dims_bytes);
    memcpy(a->dims + spec->ndim, spec->strides, dims_bytes);
  }
  *array = a;
  return DLPC_OK;
}

void dlpc_release(dlpc_array* array) {
  buffer_release(array->buffer);
  free(array);
}

dlpc_status dlpc_device(dlpc_array* array, DLDevice* device, char* message, size_t size) {
  (void)array, (void)message, (void)size;
  device->device_type = kDLCPU;
  device->device_id = 0;
  return DLPC_OK;
}

static void export_free(Export* e) {
  buffer_release(e->buffer);
  free(e);
}
/* The deleter frees the struct as well. manager_ctx points to the block that holds it. */
static void delete_versioned(DLManagedTensorVersioned* self) { export_free(self->manager_ctx); }
static void delete_legacy(DLManagedTensor* self) { export_free(self->manager_ctx); }

/* Describes array `a`; a copy is compact and starts at its buffer's first byte. */
static DLTensor describe(const dlpc_array* a, Export* e, int copied) {
  int64_t* strides = e->dims + a->ndim;
  memcpy(e->dims, a->dims, 2 * (size_t)a->ndim * sizeof(int64_t));
  int64_t step = 1;
  for (int32_t i = a->ndim - 1; i >= 0 && copied; --i) {
    strides[i] = step;
    step *= a->dims[i] > 0 ? a->dims[i] : 1;
  }
  DLTensor t;
  memset(&t, 0, sizeof t);
  t.device.device_type = kDLCPU;
  t.ndim = a->ndim;
  t.dtype = a->dtype;
  t.shape = e->dims;
  t.strides = strides;
  if (element_count(a) > 0) { /* Otherwise data is to be NULL. */
    t.data = e->buffer->memory;
    t.byte_offset = copied ? 0 : (uint64_t)a->offset * element_bytes(a->dtype);
  }
  return t;
}

static const char* refusal(const dlpc_array* a, const dlpc_request* r, int legacy) {
  if (r->has_dl_device && (r->dl_device.device_type != kDLCPU || r->dl_device.device_id != 0)) {
    return "this library exports to (kDLCPU, 0) only";
  }
  if (legacy && a->read_only && r->copy != DLPC_COPY_TRUE) {
    return "a read-only array needs max_version (1, 0) or newer: older structs cannot say so";
  }
  return NULL;
}

dlpc_status dlpc_export(dlpc_array* a, const dlpc_request* r, dlpc_exported* out, char* message,
                        size_t size) {
  const int legacy = !r->has_max_version || r->max_version.major < 1;
  const int copied = r->copy == DLPC_COPY_TRUE;
  if (r->has_stream) return fail(DLPC_VALUE_ERROR, "CPU arrays have no streams", message, size);
  const char* why = refusal(a, r, legacy);
  if (why != NULL) return fail(DLPC_BUFFER_ERROR, why, message, size);

  Export* e = calloc(1, sizeof *e + 2 * (size_t)a->ndim * sizeof(int64_t));
  if (e == NULL) return fail(DLPC_OTHER, "out of memory", message, size);
  e->buffer = copied ? buffer_new((size_t)element_count(a) * element_bytes(a->dtype))
                     : buffer_share(a->buffer);
  if (e->buffer == NULL) {
    free(e);
    return fail(DLPC_OTHER, "out of memory", message, size);
  }
  if (copied) gather(a, e->buffer->memory);
  if (legacy) {
    e->managed.legacy.dl_tensor = describe(a, e, copied);
    e->managed.legacy.manager_ctx = e;
    e->managed.legacy.deleter = delete_legacy;
    out->legacy = &e->managed.legacy;
    return DLPC_OK;
  }
  e->managed.versioned.version.major = DLPACK_MAJOR_VERSION;
  e->managed.versioned.version.minor = DLPACK_MINOR_VERSION;
  e->managed.versioned.manager_ctx = e;
  e->managed.versioned.deleter = delete_versioned;
  e->managed.versioned.flags = copied         ? DLPACK_FLAG_BITMASK_IS_COPIED
                               : a->read_only ? DLPACK_FLAG_BITMASK_READ_ONLY
                                              : 0;
  e->managed.versioned.dl_tensor = describe(a, e, copied);
  out->versioned = &e->managed.versioned;
  return DLPC_OK;
}

void dlpc_facts(dlpc_array* a, dlpc_array_facts* facts) {
  facts->known =
      DLPC_KNOWN_POINTER | DLPC_KNOWN_ALLOCATION | DLPC_KNOWN_READ_ONLY | DLPC_KNOWN_DEVICE;
  facts->allocation = (uint64_t)(uintptr_t)a->buffer->memory;
  facts->allocation_bytes = a->buffer->bytes;
  facts->pointer = element_count(a) > 0 ? (uint64_t)(uintptr_t)element(a, 0) : 0;
  facts->read_only = a->read_only;
  facts->device.device_type = kDLCPU;
  facts->device.device_id = 0;
}

dlpc_status dlpc_access(dlpc_array* a, int32_t mode, void* bytes, size_t size, char* message,
                        size_t message_size) {
  const size_t one = element_bytes(a->dtype);
  const size_t wanted = mode == DLPC_READ_ALL ? (size_t)element_count(a) * one : one;
  if (size != wanted || element_count(a) == 0) {
    return size == 0 && mode == DLPC_READ_ALL
               ? DLPC_OK
               : fail(DLPC_VALUE_ERROR, "wrong number of bytes", message, message_size);
  }
  if (mode == DLPC_READ_ALL) gather(a, bytes);
  if (mode == DLPC_WRITE_FIRST) memcpy(element(a, 0), bytes, one);
  return DLPC_OK;
}
