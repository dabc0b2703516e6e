#!/bin/sh
# Makes the release, builds it from its tarball, installs it, runs a few of the
# tests and removes it again.   sh tools/release.sh [FOLDER]
# Exit code 77: no xz.
. "$(dirname "$0")/setup.sh"
command -v xz >/dev/null || { echo 'release.sh: needs xz'; exit 77; }
configured "${1:-$tools_top/build-release}"
make -s distcheck-quick >&2
rm -rf stepcost-*/
ls stepcost-*.tar.xz
