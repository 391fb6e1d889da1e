#!/bin/bash
# Builds every fuzz target the way OSS-Fuzz wants it: with $CXX, $CXXFLAGS, $LIB_FUZZING_ENGINE into
# $OUT, each with its seed corpus, dictionary and options. OSS-Fuzz, ClusterFuzzLite and a test call
# it.
# Also: WORK (build folder), FUZZ_TARGETS (names; default: all).
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
: "${OUT:?folder for the targets}" "${LIB_FUZZING_ENGINE:?link option of the engine}"
work="${WORK:-$root/build/oss-fuzz}"
targets="${FUZZ_TARGETS:-$(cd "$root/fuzz" && ls fuzz_*.cc | sed 's/^fuzz_\(.*\)\.cc$/\1/')}"

options=(-DCMAKE_BUILD_TYPE=None -DDLPC_BUILD_TESTS=OFF -DDLPC_PYTHON_HOST=OFF
         "-DDLPC_FUZZ_ENGINE=$LIB_FUZZING_ENGINE")
case "${CXXFLAGS:-}" in
  *libc++*)  # Libraries of the system are built against another standard library.
    for package in fmt pugixml GTest; do
      options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
    done ;;
esac
cmake -S "$root" -B "$work" -G Ninja "${options[@]}"

names=()
for target in $targets; do names+=("fuzz_$target"); done
cmake --build "$work" --target "${names[@]}"

mkdir -p "$OUT"
for target in $targets; do
  cp "$work/bin/fuzz_$target" "$OUT/"
  # Crashes of the past are the best seeds there are.
  (cd "$root/fuzz" && find "corpus/$target" "crashes/$target" -type f ! -name .gitkeep -print |
    LC_ALL=C sort | python3 "$root/fuzz/tools/pack_corpus.py" "$OUT/fuzz_${target}_seed_corpus.zip")
  for kind in dict options; do
    if [ -f "$root/fuzz/$kind/$target.$kind" ]; then
      cp "$root/fuzz/$kind/$target.$kind" "$OUT/fuzz_$target.$kind"
    fi
  done
  if [ ! -f "$OUT/fuzz_$target.options" ]; then
    cp "$root/fuzz/options/default.options" "$OUT/fuzz_$target.options"
  fi
done
