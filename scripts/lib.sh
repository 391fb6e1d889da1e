# shellcheck shell=bash
# Shared by scripts/setup, scripts/certify and scripts/test. Source it; it changes into the root.
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT" || exit 3

say() { printf '%s\n' "$*"; }
die() {
  local code="$1"
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$code"
}

# Runs a command silently; on failure shows the end of its output. quietly LOG COMMAND...
quietly() {
  local log="$1"
  shift
  mkdir -p "$(dirname "$log")"
  if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
  printf 'error: failed: %s\n' "$*" >&2
  tail -n 40 "$log" >&2
  printf '(whole log: %s)\n' "${log#"$ROOT"/}" >&2
  return 1
}

# One of our scripts at a time in a folder that both would change. locked NAME COMMAND...
locked() {
  local name="$1"
  shift
  (
    mkdir -p "$ROOT/.deps"
    exec 9>"$ROOT/.deps/$name.lock"
    flock 9
    "$@" 9>&-
  )
}

# Does this interpreter really run (pyenv leaves shims that do not), is it 3.10 or newer, and can it
# make virtual environments? Prints its real path.
python_usable() {
  "$1" -I -c 'import sys, venv, ensurepip
if sys.version_info < (3, 10): sys.exit(1)
print(sys.executable)' 2>/dev/null </dev/null
}

# The newest interpreter to be found, since new releases of the producers need a new one.
# DLPC_PYTHON overrides. Prints a path, or fails.
choose_python() {
  local candidate
  local pyenv="${PYENV_ROOT:-$HOME/.pyenv}/versions"
  if [ -n "${DLPC_PYTHON:-}" ]; then
    python_usable "$DLPC_PYTHON"
    return
  fi
  for candidate in python3.13 python3.12 \
    "$pyenv"/3.13*/bin/python3 "$pyenv"/3.12*/bin/python3 \
    python3 /usr/bin/python3 "$pyenv"/3.11*/bin/python3 "$pyenv"/3.10*/bin/python3; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    python_usable "$candidate" && return 0
  done
  return 1
}

# ensure_venv NAME PYTHON REQUIREMENT...: a virtual environment in .venvs/NAME that holds this.
# A stamp tells whether there is anything to do; a half-made environment has none.
ensure_venv() { locked "venv-$1" make_venv "$@"; }
make_venv() {
  local name="$1" python="$2"
  shift 2
  local dir="$ROOT/.venvs/$name"
  local stamp="$dir/.stamp" want="$python $*"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && [ -x "$dir/bin/python" ]; then
    return 0
  fi
  say "installing into .venvs/$name: ${*:-(pip only)}"
  local log="$ROOT/.venvs/log/$name.log"
  rm -rf "$dir"
  quietly "$log" "$python" -m venv "$dir" || return 1
  if [ $# -gt 0 ]; then
    quietly "$log" "$dir/bin/python" -m pip install --disable-pip-version-check --no-input \
      --only-binary :all: "$@" || return 1
  fi
  printf '%s\n' "$want" >"$stamp"
}

# configure PRESET: only when there is no build yet; ninja itself notices changed CMake files.
configure() { locked "build-$1" configure_unlocked "$@"; }
configure_unlocked() {
  [ -f "$ROOT/build/$1/build.ninja" ] && return 0
  say "configuring build/$1"
  quietly "$ROOT/build/$1/configure.log" cmake --preset "$1"
}

# build PRESET [TARGET...]
build() { locked "build-$1" build_unlocked "$@"; }
build_unlocked() {
  local preset="$1"
  shift
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  say "building build/$preset"
  quietly "$ROOT/build/$preset/build.log" cmake --build "build/$preset" \
    --parallel "${DLPC_JOBS:-$(nproc)}" "${targets[@]}"
}
