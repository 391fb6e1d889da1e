#!/bin/bash -eu
exec "$SRC/dlpack-conformance/fuzz/tools/build_ossfuzz.sh"
