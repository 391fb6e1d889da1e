# Helpers that give every target of ours the same flags. Our flags never reach a user's targets.

# What most sources include is parsed once: a third of the time of a build. A build without it (and
# clang-tidy) proves that every source names what it needs.
option(DLPC_PCH "Precompile the headers that most sources include" ${PROJECT_IS_TOP_LEVEL})

add_library(dlpc_dev_flags INTERFACE)
option(DLPC_WERROR "Warnings of our own targets are errors" OFF)
target_compile_options(dlpc_dev_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${DLPC_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping and oversized copies in std::string's operator+ where there are none
  # (GCC bugs 105651 and 105329); it hides those of system headers, but not of precompiled ones.
  target_compile_options(dlpc_dev_flags INTERFACE -Wno-restrict
                         $<$<BOOL:${DLPC_PCH}>:-Wno-array-bounds -Wno-stringop-overflow>)
endif()

find_program(DLPC_CCACHE ccache)
if(DLPC_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${DLPC_CCACHE})
  # With precompiled headers it caches only when told that __TIME__ and defines behave.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime
      ${DLPC_CCACHE})
endif()

if(DLPC_SANITIZE)
  target_compile_options(dlpc_dev_flags INTERFACE -fsanitize=${DLPC_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dlpc_dev_flags INTERFACE -fsanitize=${DLPC_SANITIZE})
endif()

# dlpc_pch(NAME HEADERS... LINK targets...): precompiled headers for others to reuse.
function(dlpc_pch name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cc)
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} dlpc_dev_flags)
endfunction()

if(DLPC_PCH)
  set(dlpc_pch_headers <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional>
      <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
      <fmt/format.h>)
  dlpc_pch(dlpc_pch HEADERS ${dlpc_pch_headers} LINK fmt::fmt)
  if(DLPC_BUILD_TESTS)
    dlpc_pch(dlpc_test_pch HEADERS ${dlpc_pch_headers} <gmock/gmock.h> <gtest/gtest.h>
             LINK fmt::fmt GTest::gmock)
    # An executable's code is position independent in another way than a library's; here and in
    # dlpc_test the compiler's default stands.
    set_target_properties(dlpc_test_pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
endif()

# dlpc_library(NAME [NO_PCH] SOURCES... LINK targets...); NO_PCH: it is not linked with fmt.
function(dlpc_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE $<BUILD_INTERFACE:dlpc_dev_flags>)
  if(DLPC_PCH AND NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM dlpc_pch)
  endif()
endfunction()

# dlpc_cold(NAME): runs once or on a person's word; a third less time to build matters more.
function(dlpc_cold name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# dlpc_test(NAME [NO_PCH] SOURCES... LINK targets... LABELS labels...): one GoogleTest executable,
# one ctest.
function(dlpc_test name)
  if(NOT DLPC_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # Each test has its own small helpers.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} dlpc_dev_flags GTest::gmock GTest::gtest_main)
  if(DLPC_PCH AND NOT ARG_NO_PCH)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_precompile_headers(${name} REUSE_FROM dlpc_test_pch)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}" TIMEOUT 300)
endfunction()
