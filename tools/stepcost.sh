#!/bin/sh
# Runs the stepcost that tools/demo.sh built, with its plugins and the data of this
# tree.   sh tools/stepcost.sh compare quickstart
. "$(dirname "$0")/setup.sh"
build=$tools_top/build-demo
[ -x "$build/stepcost" ] || { echo 'stepcost.sh: nothing is built; run sh tools/demo.sh' >&2; exit 2; }
where_to_find "$build"
PKG_CONFIG_PATH=$build${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
exec "$build/stepcost" "$@"
