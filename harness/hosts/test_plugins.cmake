# Shared libraries that native_backend_test opens: the example, and some that are wrong.
set(dlpc_testing ${PROJECT_SOURCE_DIR}/harness/testing)
foreach(bad 1 2 3 4)
  add_library(dlpc_bad_plugin_${bad} MODULE ${dlpc_testing}/bad_plugin.c)
  target_compile_definitions(dlpc_bad_plugin_${bad} PRIVATE DLPC_BAD=${bad})
  target_compile_definitions(native_backend_test PRIVATE
                             DLPC_BAD_PLUGIN_${bad}="$<TARGET_FILE:dlpc_bad_plugin_${bad}>")
  list(APPEND dlpc_test_plugins dlpc_bad_plugin_${bad})
endforeach()
add_library(dlpc_rude_plugin MODULE ${dlpc_testing}/rude_plugin.cc)
list(APPEND dlpc_test_plugins dlpc_rude_plugin)
foreach(plugin ${dlpc_test_plugins})
  target_include_directories(${plugin} PRIVATE ${PROJECT_SOURCE_DIR}/harness/include)
  target_link_libraries(${plugin} PRIVATE dlpc_dlpack dlpc_dev_flags)
endforeach()
add_dependencies(native_backend_test ${dlpc_test_plugins} dlpc_example_producer)
add_dependencies(host_main_test dlpc_example_producer)
target_compile_definitions(native_backend_test PRIVATE
                           DLPC_RUDE_PLUGIN="$<TARGET_FILE:dlpc_rude_plugin>")
foreach(test native_backend_test host_main_test)
  target_compile_definitions(${test} PRIVATE
                             DLPC_EXAMPLE_PLUGIN="$<TARGET_FILE:dlpc_example_producer>")
endforeach()
