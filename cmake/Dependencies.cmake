# Where each dependency comes from: a system package first, a pinned download as fallback.
include(FetchContent)

option(DLPC_CUDA "Build the checks that need the CUDA runtime and a real GPU" OFF)

# dlpack.h 1.3 or newer. scripts/setup unpacks it from the apache-tvm-ffi wheel into .deps/dlpack.
function(dlpc_dlpack_version header result)
  file(STRINGS ${header} lines REGEX "define DLPACK_(MAJOR|MINOR)_VERSION [0-9]+")
  string(REGEX REPLACE ".*MAJOR_VERSION ([0-9]+).*MINOR_VERSION ([0-9]+).*" "\\1.\\2"
         version "${lines}")
  if(NOT version MATCHES "^[0-9]+\\.[0-9]+$")
    set(version 0.0)  # Headers before 1.0 have DLPACK_VERSION only.
  endif()
  set(${result} ${version} PARENT_SCOPE)
endfunction()

find_path(DLPC_DLPACK_INCLUDE_DIR dlpack/dlpack.h
          HINTS ${PROJECT_SOURCE_DIR}/.deps/dlpack/include)
set(dlpc_dlpack_found 0.0)
if(DLPC_DLPACK_INCLUDE_DIR)
  dlpc_dlpack_version(${DLPC_DLPACK_INCLUDE_DIR}/dlpack/dlpack.h dlpc_dlpack_found)
endif()
if(dlpc_dlpack_found VERSION_GREATER_EQUAL 1.3)
  message(STATUS "dlpack.h ${dlpc_dlpack_found}: ${DLPC_DLPACK_INCLUDE_DIR}")
  set(dlpc_dlpack_include ${DLPC_DLPACK_INCLUDE_DIR})
else()
  message(STATUS "dlpack.h >= 1.3 not found, fetching v1.3")
  unset(DLPC_DLPACK_INCLUDE_DIR CACHE)  # Look again next time: scripts/setup may have run.
  # Only the header is wanted: a SOURCE_SUBDIR that does not exist keeps its CMake files out.
  FetchContent_Declare(dlpack GIT_REPOSITORY https://github.com/dmlc/dlpack.git GIT_TAG v1.3
                       GIT_SHALLOW TRUE SOURCE_SUBDIR header-only)
  FetchContent_MakeAvailable(dlpack)
  set(dlpc_dlpack_include ${dlpack_SOURCE_DIR}/include)
endif()
add_library(dlpc_dlpack INTERFACE)
target_include_directories(dlpc_dlpack SYSTEM INTERFACE ${dlpc_dlpack_include})

# dlpc_dependency(NAME VERSION TARGET REPOSITORY TAG)
function(dlpc_dependency name version target repository tag)
  find_package(${name} ${version} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "${name} >= ${version} not found, fetching ${tag}")
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW TRUE)
    FetchContent_MakeAvailable(${name})
  endif()
endfunction()

# When fetched, nothing of a dependency but its libraries is built.
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(INSTALL_GTEST OFF)

dlpc_dependency(fmt 9 fmt::fmt https://github.com/fmtlib/fmt.git 10.2.1)
dlpc_dependency(nlohmann_json 3.11 nlohmann_json::nlohmann_json
                https://github.com/nlohmann/json.git v3.11.3)
dlpc_dependency(CLI11 2.1 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
dlpc_dependency(pugixml 1.12 pugixml::pugixml https://github.com/zeux/pugixml.git v1.14)
dlpc_dependency(GTest 1.12 GTest::gtest https://github.com/google/googletest.git v1.15.2)
if(DLPC_BUILD_BENCH)
  dlpc_dependency(benchmark 1.7 benchmark::benchmark https://github.com/google/benchmark.git v1.8.5)
endif()
if(DLPC_CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT CUDAToolkit_FOUND)
    message(STATUS "No CUDA toolkit: the checks that need a GPU are off")
    set(DLPC_CUDA OFF)
  endif()
endif()
find_package(Threads REQUIRED)
