# The module dlpc_fuzz. As for dlpc_host the layers below are linked in and hidden.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.fuzzer_no_main-x86_64.a
                OUTPUT_VARIABLE dlpc_libfuzzer OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT IS_ABSOLUTE "${dlpc_libfuzzer}")
  message(WARNING "libFuzzer is not installed (Debian: libclang-rt-14-dev): no dlpc_fuzz")
  return()
endif()
set(hosts ${PROJECT_SOURCE_DIR}/harness/hosts/python)
file(GLOB dlpc_python_sources CONFIGURE_DEPENDS ${hosts}/*.cc)
list(FILTER dlpc_python_sources EXCLUDE REGEX "module\\.cc$|_test\\.cc$")
add_library(dlpc_fuzz MODULE python/module.cc python/device_map_jax.cc map_facts.cc
            ${dlpc_python_sources})
set_target_properties(dlpc_fuzz PROPERTIES
  PREFIX "" OUTPUT_NAME dlpc_fuzz SUFFIX .abi3.so
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
dlpc_without_counters(dlpc_fuzz)
target_compile_definitions(dlpc_fuzz PRIVATE Py_LIMITED_API=0x030A0000)
target_include_directories(dlpc_fuzz PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(dlpc_fuzz SYSTEM PRIVATE
                           $<TARGET_PROPERTY:dlpc_host,INCLUDE_DIRECTORIES>)
# As files: what these libraries link themselves (GoogleTest, a shared libfmt) is not needed here.
set(dlpc_layers dlpc_conformance dlpc_register dlpc_report dlpc_json dlpc_machine dlpc_reference)
add_dependencies(dlpc_fuzz ${dlpc_layers})
target_link_libraries(dlpc_fuzz PRIVATE
  dlpc_dlpack Threads::Threads ${CMAKE_DL_LIBS} -Wl,--start-group
  "$<TARGET_FILE:dlpc_conformance>" "$<TARGET_FILE:dlpc_register>" "$<TARGET_FILE:dlpc_report>"
  "$<TARGET_FILE:dlpc_json>"
  "$<TARGET_FILE:dlpc_machine>" "$<TARGET_FILE:dlpc_reference>" ${dlpc_libfuzzer}
  -Wl,--end-group)
target_link_options(dlpc_fuzz PRIVATE
  -static-libstdc++ -static-libgcc
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/python/exports.map)
# Beside the copies of host.py and the adapters.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share/dlpc/fuzz_host.py
                   COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/python/fuzz_host.py
                           ${CMAKE_BINARY_DIR}/share/dlpc/fuzz_host.py
                   DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/fuzz_host.py VERBATIM)
add_custom_target(dlpc_fuzz_host ALL DEPENDS ${CMAKE_BINARY_DIR}/share/dlpc/fuzz_host.py)
add_dependencies(dlpc_fuzz dlpc_fuzz_host dlpc_python_files)
