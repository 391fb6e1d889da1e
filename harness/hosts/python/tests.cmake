# Tests of the Python host. Those that need a package skip where no interpreter has it.
if(NOT DLPC_BUILD_TESTS)
  return()
endif()

# dlpc_python_test(NAME libraries...)
function(dlpc_python_test name)
  dlpc_test(${name} SOURCES python/${name}.cc LINK dlpc_engine ${ARGN} LABELS python)
  target_compile_definitions(${name} PRIVATE DLPC_SOURCE_ROOT="${PROJECT_SOURCE_DIR}")
  add_dependencies(${name} dlpc_host)
endfunction()

dlpc_python_test(python_errors_test)
dlpc_python_test(python_host_test)
dlpc_python_test(python_producers_test nlohmann_json::nlohmann_json)
set_tests_properties(python_producers_test PROPERTIES
  SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] [0-9]+ test")

find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME module_symbols_test
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/module_symbols_test.py
                   $<TARGET_FILE:dlpc_host>)
  set_tests_properties(module_symbols_test PROPERTIES LABELS "unit;python" TIMEOUT 60)
endif()
