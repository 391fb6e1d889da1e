# Builds for speed are trained (fuzz/tools/fast_build.py): one build notes what its runs do, the
# next is made for that, across source files.
set(DLPC_PROFILE_INTO "" CACHE PATH "clang: what is built writes profiles of its runs there")
set(DLPC_PROFILE "" CACHE FILEPATH "clang: the profile (llvm-profdata) to build for")

if(DLPC_PROFILE_INTO)
  add_compile_options(-fprofile-generate=${DLPC_PROFILE_INTO})
  add_link_options(-fprofile-generate=${DLPC_PROFILE_INTO})
elseif(DLPC_PROFILE)
  add_compile_options(-fprofile-use=${DLPC_PROFILE} -Wno-profile-instr-unprofiled
                      -Wno-profile-instr-out-of-date)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  find_program(DLPC_THIN_LINKER ld.lld REQUIRED)
  add_link_options(-fuse-ld=lld)
endif()
