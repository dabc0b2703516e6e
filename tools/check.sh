#!/bin/sh
# What a change must pass before it is read: a build with that compiler and the
# quick tests.  sh tools/check.sh [gcc|clang]
. "$(dirname "$0")/setup.sh"
CC=${1:-gcc}
export CC
more_packages=$CC
setup "$tools_top/build-check"
exec make -s check-fast
