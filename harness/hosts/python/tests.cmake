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

# The reference producer as a Python library: what generated programs are tried on.
add_library(dlpc_twin MODULE python/testing/twin.cc python/py.cc ${dlpc_fmt_sources}
  $<TARGET_OBJECTS:dlpc_reference> $<TARGET_OBJECTS:dlpc_machine>)
set_target_properties(dlpc_twin PROPERTIES PREFIX "" SUFFIX .abi3.so
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(dlpc_twin PRIVATE Py_LIMITED_API=0x030A0000)
target_compile_options(dlpc_twin PRIVATE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${DLPC_WERROR}>:-Werror>)
target_include_directories(dlpc_twin PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(dlpc_twin SYSTEM PRIVATE
  ${dlpc_python_include} $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(dlpc_twin PRIVATE dlpc_dlpack ${dlpc_fmt_library} Threads::Threads)
