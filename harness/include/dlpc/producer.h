/*
 * dlpc/producer.h - what a native library implements to be tested by dlpack-conformance.
 *
 * Build a shared library that exports the functions below and run
 *
 *     dlpack-conformance run path/to/libvendor.so
 *
 * The library is loaded into a process of its own (the host): a crash or a hang in it costs one
 * test, not the run. Calls come from one thread, one at a time; only the deleters of exported
 * structs may be called from other threads. harness/examples/example_producer.c is a complete
 * template.
 *
 * Symbols         required: dlpc_abi_version, dlpc_info, dlpc_make, dlpc_export, dlpc_release
 *                 optional: dlpc_device, dlpc_facts, dlpc_access (tests that need a missing one are
 *                           reported as not supported)
 * Ownership       An array belongs to the suite from dlpc_make until dlpc_release; an exported
 * struct from dlpc_export until its deleter is called, which may be after dlpc_release. Pointers
 * inside arguments are valid during the call only. Units           Strides and offsets count
 * elements, as in DLTensor. Sizes of memory are in bytes. Errors          Functions that can fail
 * return a dlpc_status and write a zero-terminated text of at most message_size bytes, the zero
 * included, to message. Results are ignored unless the status is DLPC_OK. No C++ exception should
 * come out; one that does is reported. Growth          Structs begin with struct_size, set by the
 * suite to the size that it knows. Fields are only ever appended: read or write no field that ends
 * beyond struct_size.
 *
 * Plain C99, also valid C++. Needs nothing but dlpack.h, version 1.1 or newer.
 */
#ifndef DLPC_PRODUCER_H_
#define DLPC_PRODUCER_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#define DLPC_PRODUCER_ABI 1

#if defined(_WIN32)
#define DLPC_PRODUCER_API __declspec(dllexport)
#elif defined(__GNUC__)
#define DLPC_PRODUCER_API __attribute__((visibility("default")))
#else
#define DLPC_PRODUCER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The errors have the names of the Python exceptions that the array API prescribes in the same
 * place. */
typedef int32_t dlpc_status;
enum {
  DLPC_OK = 0,
  DLPC_UNSUPPORTED = 1, /* Not offered at all, e.g. no such element type: no failure, not tested. */
  DLPC_BUFFER_ERROR = 2, /* The data cannot be exported as asked: device, layout, read-only... */
  DLPC_TYPE_ERROR = 3,   /* An argument of the wrong type. */
  DLPC_VALUE_ERROR = 4,  /* An argument of the right type with a bad value. */
  DLPC_OTHER = 5         /* Anything else, e.g. out of memory. */
};

/* The library's own array; the suite only passes the pointer around. */
typedef struct dlpc_array dlpc_array;

/* ---- Who is it ----------------------------------------------------------------------------------
 */

/* Returns DLPC_PRODUCER_ABI. Called before anything else; its signature never changes. */
DLPC_PRODUCER_API uint32_t dlpc_abi_version(void);

typedef struct {
  size_t struct_size;
  const char* name;    /* "mylib" */
  const char* version; /* "2.1.0" */
  /* What the library claims to support, as a JSON object, or NULL, e.g.
   * {"dtypes": ["float32", "int64"], "memory_kinds": ["cpu"], "features": ["read_only", "copy"]}.
   */
  const char* claims_json;
} dlpc_producer_info;

/* Fills in static strings. */
DLPC_PRODUCER_API void dlpc_info(dlpc_producer_info* info);

/* ---- Arrays -------------------------------------------------------------------------------------
 */

enum { DLPC_SPEC_READ_ONLY = 1 }; /* Bits of dlpc_spec.flags. */

/* The array wanted: a strided view of a buffer with given contents. Element (i, j, ...) lies at
 * buffer element offset + i * strides[0] + j * strides[1] + ..., always inside the buffer. Strides
 * may be negative or zero, extents may be zero, ndim may be 0. */
typedef struct {
  size_t struct_size;
  DLDataType dtype;
  int32_t ndim;
  const int64_t* shape;   /* ndim entries, NULL when ndim is 0. */
  const int64_t* strides; /* Likewise. In elements. */
  int64_t offset;         /* In elements. */
  const void* base;       /* Contents of the whole buffer: copy it. */
  size_t base_bytes;
  int32_t device_type; /* DLDeviceType of the memory to use: kDLCPU, kDLCUDA, kDLCUDAHost... */
  uint32_t flags;      /* DLPC_SPEC_ bits. */
} dlpc_spec;

/* Makes an array. DLPC_UNSUPPORTED when the library has no such arrays; layouts must be as asked or
 * refused, never silently compacted. */
DLPC_PRODUCER_API dlpc_status dlpc_make(const dlpc_spec* spec, dlpc_array** array, char* message,
                                        size_t message_size);

/* Gives the array back. Exports of it stay valid until their own deleters are called. */
DLPC_PRODUCER_API void dlpc_release(dlpc_array* array);

/* ---- Under test ---------------------------------------------------------------------------------
 */

/* The device as `__dlpack_device__` would answer. */
DLPC_PRODUCER_API dlpc_status dlpc_device(dlpc_array* array, DLDevice* device, char* message,
                                          size_t message_size);

enum { DLPC_COPY_NONE = -1, DLPC_COPY_FALSE = 0, DLPC_COPY_TRUE = 1 };

/* The arguments of `__dlpack__`; what a has_ field of 0 covers was not given (Python's None). */
typedef struct {
  size_t struct_size;
  int32_t has_max_version;
  DLPackVersion max_version;
  int32_t copy; /* DLPC_COPY_ */
  int32_t has_dl_device;
  DLDevice dl_device;
  int32_t has_stream;
  int64_t stream;
} dlpc_request;

/* Set exactly one of the two. The suite is the consumer and will call its deleter, unless it is
 * NULL. */
typedef struct {
  size_t struct_size;
  DLManagedTensorVersioned* versioned;
  DLManagedTensor* legacy;
} dlpc_exported;

/* The export: negotiation of version, device and copy as for `__dlpack__`. */
DLPC_PRODUCER_API dlpc_status dlpc_export(dlpc_array* array, const dlpc_request* request,
                                          dlpc_exported* exported, char* message,
                                          size_t message_size);

/* ---- The library's own view: an oracle independent of DLPack
 * ------------------------------------- */

enum { /* Bits of dlpc_array_facts.known. */
       DLPC_KNOWN_POINTER = 1,
       DLPC_KNOWN_ALLOCATION = 2,
       DLPC_KNOWN_READ_ONLY = 4,
       DLPC_KNOWN_DEVICE = 8
};

typedef struct {
  size_t struct_size;
  uint32_t known;      /* Which of the fields below are filled in. */
  uint64_t pointer;    /* Address of the first element. */
  uint64_t allocation; /* Address of the buffer, and its size. */
  uint64_t allocation_bytes;
  int32_t read_only;
  DLDevice device; /* Where the library itself says that the array is. */
} dlpc_array_facts;

DLPC_PRODUCER_API void dlpc_facts(dlpc_array* array, dlpc_array_facts* facts);

enum {
  DLPC_READ_ALL = 0,   /* All elements into bytes, in row-major order, without gaps. */
  DLPC_WRITE_FIRST = 1 /* One element from bytes to index (0, 0, ...). */
};

/* Reads or writes elements by the library's own means; size is the exact number of bytes. */
DLPC_PRODUCER_API dlpc_status dlpc_access(dlpc_array* array, int32_t mode, void* bytes, size_t size,
                                          char* message, size_t message_size);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DLPC_PRODUCER_H_ */
