# Tests of the Python host. Those that need a package skip where no interpreter has it.
if(NOT DLPC_BUILD_TESTS)
  return()
endif()

function(dlpc_python_test name)
  dlpc_test(${name} SOURCES python/${name}.cc LINK dlpc_engine LABELS python)
  target_compile_definitions(${name} PRIVATE DLPC_SOURCE_ROOT="${PROJECT_SOURCE_DIR}")
  add_dependencies(${name} dlpc_host)
  set_tests_properties(${name} PROPERTIES
    SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] [0-9]+ test" ENVIRONMENT "JAX_PLATFORMS=cpu")
endfunction()

dlpc_python_test(python_errors_test)
dlpc_python_test(python_host_test)
