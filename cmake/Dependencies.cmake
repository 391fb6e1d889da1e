# Where each dependency comes from: a system package first, a pinned download as fallback.
include(FetchContent)

# dlpack.h 1.3 or newer. scripts/setup unpacks it from the apache-tvm-ffi wheel into .deps/dlpack.
find_path(DLPC_DLPACK_INCLUDE_DIR dlpack/dlpack.h
          HINTS ${PROJECT_SOURCE_DIR}/.deps/dlpack/include)
set(dlpc_dlpack_ok FALSE)
if(DLPC_DLPACK_INCLUDE_DIR)
  file(STRINGS ${DLPC_DLPACK_INCLUDE_DIR}/dlpack/dlpack.h dlpc_dlpack_version
       REGEX "define DLPACK_(MAJOR|MINOR)_VERSION [0-9]+")
  string(REGEX REPLACE ".*MAJOR_VERSION ([0-9]+).*MINOR_VERSION ([0-9]+).*" "\\1.\\2"
         dlpc_dlpack_version "${dlpc_dlpack_version}")
  if(dlpc_dlpack_version VERSION_GREATER_EQUAL 1.3)
    set(dlpc_dlpack_ok TRUE)
    message(STATUS "dlpack.h ${dlpc_dlpack_version}: ${DLPC_DLPACK_INCLUDE_DIR}")
  endif()
endif()
if(NOT dlpc_dlpack_ok)
  message(STATUS "dlpack.h >= 1.3 not found, fetching v1.3")
  FetchContent_Declare(dlpack GIT_REPOSITORY https://github.com/dmlc/dlpack.git GIT_TAG v1.3
                       GIT_SHALLOW TRUE)
  FetchContent_GetProperties(dlpack)
  if(NOT dlpack_POPULATED)
    FetchContent_Populate(dlpack)
  endif()
  set(DLPC_DLPACK_INCLUDE_DIR ${dlpack_SOURCE_DIR}/include CACHE PATH "dlpack.h" FORCE)
endif()
add_library(dlpc_dlpack INTERFACE)
target_include_directories(dlpc_dlpack SYSTEM INTERFACE ${DLPC_DLPACK_INCLUDE_DIR})

function(dlpc_dependency name version target repository tag)
  find_package(${name} ${version} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "${name} >= ${version} not found, fetching ${tag}")
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW TRUE)
    FetchContent_MakeAvailable(${name})
  endif()
endfunction()

dlpc_dependency(fmt 9 fmt::fmt https://github.com/fmtlib/fmt.git 10.2.1)
dlpc_dependency(nlohmann_json 3.11 nlohmann_json::nlohmann_json
                https://github.com/nlohmann/json.git v3.11.3)
dlpc_dependency(CLI11 2.1 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
dlpc_dependency(pugixml 1.12 pugixml::pugixml https://github.com/zeux/pugixml.git v1.14)
dlpc_dependency(GTest 1.12 GTest::gtest https://github.com/google/googletest.git v1.15.2)
if(DLPC_BUILD_BENCH)
  dlpc_dependency(benchmark 1.7 benchmark::benchmark https://github.com/google/benchmark.git v1.8.5)
endif()
find_package(Threads REQUIRED)
