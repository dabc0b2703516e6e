#!/bin/sh
# Makes the release, builds it from its tarball, installs it, runs a few of the
# tests and removes it again.   sh tools/release.sh [FOLDER]
. "$(dirname "$0")/setup.sh"
configured "${1:-$tools_top/build-release}"
make -s distcheck-quick >&2
rm -rf stepcost-*/
ls stepcost-*.tar.xz
