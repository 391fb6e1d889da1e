/* Plug-ins that must not be accepted; DLPC_BAD says what is wrong with this one. */
#include <dlpc/producer.h>

#define DLPC_BAD_UNRELATED 1 /* Some other library. */
#define DLPC_BAD_ABI 2       /* Of another version. */
#define DLPC_BAD_NO_MAKE 3   /* A required function is missing. */
#define DLPC_BAD_CLAIMS 4    /* Claims that are no JSON. */

#if DLPC_BAD == DLPC_BAD_UNRELATED
int some_library_function(void) { return 0; }
#else

uint32_t dlpc_abi_version(void) { return DLPC_BAD == DLPC_BAD_ABI ? 7 : DLPC_PRODUCER_ABI; }

void dlpc_info(dlpc_producer_info* info) {
  info->name = "bad";
  info->version = "0";
  info->claims_json = "dtypes: float32";
}

#if DLPC_BAD != DLPC_BAD_NO_MAKE
dlpc_status dlpc_make(const dlpc_spec* spec, dlpc_array** array, char* message, size_t size) {
  (void)spec, (void)array, (void)message, (void)size;
  return DLPC_UNSUPPORTED;
}
#endif

dlpc_status dlpc_export(dlpc_array* array, const dlpc_request* request, dlpc_exported* exported,
                        char* message, size_t size) {
  (void)array, (void)request, (void)exported, (void)message, (void)size;
  return DLPC_OTHER;
}

void dlpc_release(dlpc_array* array) { (void)array; }

#endif
