# Helpers that give every target of ours the same flags. Our flags never reach a user's targets.
add_library(dlpc_dev_flags INTERFACE)
option(DLPC_WERROR "Warnings of our own targets are errors" OFF)
target_compile_options(dlpc_dev_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${DLPC_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  target_compile_options(dlpc_dev_flags INTERFACE -Wno-restrict)
endif()

find_program(DLPC_CCACHE ccache)
if(DLPC_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${DLPC_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DLPC_CCACHE})
endif()

if(DLPC_SANITIZE)
  target_compile_options(dlpc_dev_flags INTERFACE -fsanitize=${DLPC_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dlpc_dev_flags INTERFACE -fsanitize=${DLPC_SANITIZE})
endif()

# dlpc_library(NAME SOURCES... LINK targets...)
function(dlpc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE $<BUILD_INTERFACE:dlpc_dev_flags>)
endfunction()

# dlpc_test(NAME SOURCES... LINK targets... LABELS labels...): one GoogleTest executable, one ctest.
function(dlpc_test name)
  if(NOT DLPC_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} dlpc_dev_flags GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}" TIMEOUT 300)
endfunction()
