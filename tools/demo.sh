#!/bin/sh
# Builds stepcost and runs its main job: cost models compared on the same
# requests.  What the build prints is shown if it fails.   sh tools/demo.sh
. "$(dirname "$0")/setup.sh"
log=$(mktemp)
exec 3>&1 4>&2
trap 'cat "$log" >&4; rm -f "$log"' EXIT
echo 'demo.sh: installs what is missing, and builds' >&2
exec >"$log" 2>&1
setup "$tools_top/build-demo"
exec >&3 2>&4
trap - EXIT
rm -f "$log"
where_to_find
exec ./stepcost compare five-arms --why "$@"
