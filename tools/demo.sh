#!/bin/sh
# Builds stepcost and runs its main job: cost models compared on the same
# requests.   sh tools/demo.sh
. "$(dirname "$0")/setup.sh"
setup "$tools_top/build-demo"
STEPCOST_DATA_PATH=$tools_top STEPCOST_PLUGIN_PATH=$PWD/.libs
export STEPCOST_DATA_PATH STEPCOST_PLUGIN_PATH
exec ./stepcost compare "$tools_top/etc/quickstart.ini" --why "$@"
