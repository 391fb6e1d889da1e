# The extension module of the Python host, host.py and the adapters. One build of the module
# (limited API of CPython 3.10) serves every CPython from 3.10 on; any version's headers will do.
set(DLPC_PYTHON_INCLUDE_DIR "" CACHE PATH "Folder of Python.h (3.10 or newer); empty: look for one")
set(dlpc_python_include ${DLPC_PYTHON_INCLUDE_DIR})
if(NOT dlpc_python_include)
  find_package(Python3 3.10 QUIET COMPONENTS Interpreter Development.Module)
  set(dlpc_python_include ${Python3_INCLUDE_DIRS})
endif()
if(NOT dlpc_python_include)  # The interpreter that CMake picks may lack headers that another has.
  set(dlpc_python_root $ENV{PYENV_ROOT})
  if(NOT dlpc_python_root)
    set(dlpc_python_root $ENV{HOME}/.pyenv)
  endif()
  file(GLOB dlpc_python_include LIST_DIRECTORIES true
       ${dlpc_python_root}/versions/3.1[0-9].*/include/python3.1[0-9])
  list(SORT dlpc_python_include COMPARE NATURAL ORDER DESCENDING)
  list(FILTER dlpc_python_include EXCLUDE REGEX "t$")
  list(GET dlpc_python_include 0 dlpc_python_include)
endif()
if(NOT EXISTS "${dlpc_python_include}/Python.h")
  message(WARNING "No Python.h >= 3.10 was found: the host for Python producers is left out. "
                  "Install the headers (Debian: libpython3-dev) or set DLPC_PYTHON_INCLUDE_DIR.")
  return()
endif()
if(DLPC_SANITIZE)
  message(STATUS "The host for Python producers is left out: "
                 "a sanitizer would come into the vendor's process")
  return()
endif()
message(STATUS "Python.h: ${dlpc_python_include}")

# The objects of the layers below are linked in, not their libraries: the version script hides every
# symbol of ours, and no shared libfmt comes into a vendor's process.
get_target_property(dlpc_fmt_type fmt::fmt TYPE)
set(dlpc_fmt_library fmt::fmt)
set(dlpc_fmt_sources)
if(NOT dlpc_fmt_type STREQUAL STATIC_LIBRARY)
  set(dlpc_fmt_library)
  set(dlpc_fmt_sources python/fmt_static.cc)
endif()
add_library(dlpc_host MODULE
  python/adapter.cc python/device_reader.cc python/exceptions.cc python/kept.cc python/module.cc
  python/py.cc python/python_arrays.cc python/python_backend.cc python/python_exports.cc
  python/python_tables.cc python/python_timing.cc python/request_cache.cc python/spec_cache.cc
  ${dlpc_fmt_sources} $<TARGET_OBJECTS:dlpc_reference> $<TARGET_OBJECTS:dlpc_machine>)
set_target_properties(dlpc_host PROPERTIES
  PREFIX "" OUTPUT_NAME dlpc_host SUFFIX .abi3.so
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(dlpc_host PRIVATE Py_LIMITED_API=0x030A0000)
target_compile_options(dlpc_host PRIVATE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${DLPC_WERROR}>:-Werror>)
target_include_directories(dlpc_host PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(dlpc_host SYSTEM PRIVATE
  ${dlpc_python_include} $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(dlpc_host PRIVATE dlpc_dlpack ${dlpc_fmt_library} Threads::Threads
                      ${CMAKE_DL_LIBS})
# Python's symbols come from the interpreter. The version script hides the static libstdc++ too.
target_link_options(dlpc_host PRIVATE
  -static-libstdc++ -static-libgcc -Wl,-z,now
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/python/exports.map)
set_target_properties(dlpc_host PROPERTIES
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/exports.map)

# What the host reads at run time lies beside the executable: ../share/dlpc, in the build tree as in
# an installation.
file(GLOB dlpc_adapters CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/harness/adapters/*.py)
set(dlpc_share ${CMAKE_BINARY_DIR}/share/dlpc)
set(dlpc_copies)
set(dlpc_host_files ${CMAKE_CURRENT_SOURCE_DIR}/python/host.py
                    ${CMAKE_CURRENT_SOURCE_DIR}/python/derived.py
                    ${CMAKE_CURRENT_SOURCE_DIR}/python/benchmarks.py
                    ${CMAKE_CURRENT_SOURCE_DIR}/python/sources.py)
foreach(file ${dlpc_host_files} ${dlpc_adapters})
  get_filename_component(name ${file} NAME)
  set(copy ${dlpc_share}/adapters/${name})
  if(file IN_LIST dlpc_host_files)
    set(copy ${dlpc_share}/${name})
  endif()
  add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_COMMAND} -E copy ${file} ${copy}
                     DEPENDS ${file} VERBATIM)
  list(APPEND dlpc_copies ${copy})
endforeach()
add_custom_target(dlpc_python_files ALL DEPENDS ${dlpc_copies})
add_dependencies(dlpc_host dlpc_python_files)

include(GNUInstallDirs)
install(TARGETS dlpc_host LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${dlpc_host_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/dlpc)
install(FILES ${dlpc_adapters} DESTINATION ${CMAKE_INSTALL_DATADIR}/dlpc/adapters)

include(${CMAKE_CURRENT_LIST_DIR}/python/tests.cmake)
