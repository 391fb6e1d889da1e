#!/usr/bin/env bash
# The step of action.yml; runs anywhere: PRODUCER and the other inputs come by the environment.
#   PRODUCER=numpy OUT=/tmp/report ci/github-step.sh
set -uo pipefail
: "${PRODUCER:?which producer?}"
suite="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
out="$(realpath -m "${OUT:-dlpack-report/action}")"
how=()
# The suite runs in its own folder, so paths of the caller become absolute.
[ -z "${PYTHON:-}" ] || how+=(--python "$(command -v "$PYTHON" || realpath -m "$PYTHON")")
[ -z "${ADAPTER:-}" ] || how+=(--adapter "$(realpath -m "$ADAPTER")")
options=(--out "$out" "${how[@]}")
case "${EXPECT:-}" in
  "") ;;
  shipped)
    file="$suite/conformance/expectations/$PRODUCER.txt"
    [ ! -f "$file" ] || options+=(--expect "$file")  # None: nothing is known to fail.
    ;;
  *) options+=(--expect "$(realpath -m "$EXPECT")") ;;
esac
read -ra more <<<"${OPTIONS:-}"
options+=("${more[@]}")
producer="$PRODUCER"
[[ "$producer" != */* ]] || producer="$(realpath -m "$producer")"

code=0
"$suite/scripts/certify" "$producer" -- "${options[@]}" || code=$?

summary="${GITHUB_STEP_SUMMARY:-/dev/null}"
[ ! -f "$out/summary.md" ] || cat "$out/summary.md" >>"$summary"
if [ -n "${BASELINE:-}" ] && [ -f "$out/results.json" ]; then
  compared=0
  "$suite/build/release/bin/dlpack-conformance" compare "$BASELINE" "$out/results.json" \
    --markdown >>"$summary" || compared=$?
  [ "$compared" = 0 ] || [ "$code" != 0 ] || code="$compared"
fi
if [ -n "${BENCH:-}" ]; then  # For the record: a shared machine's timings decide nothing.
  read -ra bench <<<"${BENCH#yes}"
  "$suite/build/release/bin/dlpack-conformance" bench "$producer" "${how[@]}" "${bench[@]}" \
    --out "$out/bench" >/dev/null || { [ "$code" != 0 ] || code=3; }
  [ ! -f "$out/bench/bench.md" ] ||
    printf '\n<details><summary>Benchmarks</summary>\n\n%s\n\n</details>\n' \
      "$(cat "$out/bench/bench.md")" >>"$summary"
fi
verdict="$(sed -nE 's/^ "verdict": "([a-z]+)".*/\1/p' "$out/results.json" 2>/dev/null)"
{
  printf 'verdict=%s\n' "$verdict"
  printf 'report=%s\n' "$out"
} >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
