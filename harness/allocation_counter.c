/* Counts what a process asks of the C heap: loaded before everything else (LD_PRELOAD) into the
 * host of a benchmark that is about allocations. dlpc_allocation_counts is found by name
 * (harness/timing.cc). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The C library's own functions under the names that nobody replaces. */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

#define EXPORT __attribute__((visibility("default")))

static atomic_int_least64_t blocks, bytes, freed;

static void* Count(void* block, size_t size) {
  if (block != NULL) {
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (int64_t)size, memory_order_relaxed);
  }
  return block;
}

static void CountFree(const void* block) {
  if (block != NULL) atomic_fetch_add_explicit(&freed, 1, memory_order_relaxed);
}

/* out[0]: blocks allocated so far, out[1]: bytes asked for, out[2]: blocks freed. */
EXPORT void dlpc_allocation_counts(int64_t* out) {
  out[0] = atomic_load(&blocks);
  out[1] = atomic_load(&bytes);
  out[2] = atomic_load(&freed);
}

EXPORT void* malloc(size_t size) { return Count(__libc_malloc(size), size); }

EXPORT void* calloc(size_t count, size_t size) {
  return Count(__libc_calloc(count, size), count * size);
}

EXPORT void* realloc(void* block, size_t size) {
  void* const moved = __libc_realloc(block, size);
  if (moved != NULL || size == 0) CountFree(block);
  return Count(moved, size);
}

EXPORT void* memalign(size_t alignment, size_t size) {
  return Count(__libc_memalign(alignment, size), size);
}

EXPORT void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void* const block = memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *out = block;
  return 0;
}

EXPORT void free(void* block) {
  CountFree(block);
  __libc_free(block);
}
