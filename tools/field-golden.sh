#!/bin/sh
# Reprices recorded answers of published cost models by plugins/field.
#   sh tools/field-golden.sh FOLDER [FILE...]
# FOLDER has files of the form of t/golden/field.  Prints a line a file, and last
# how many vectors hold; exits with 0 if all do.  SHOW=1 prints those that do not.
case ${1:-} in
'' | -*) echo 'usage: sh tools/field-golden.sh FOLDER [FILE...]' >&2; exit 2 ;;
esac
golden=$(cd "$1" && pwd) || exit 2
shift
. "$(dirname "$0")/setup.sh"
build=$tools_top/build-dev
[ -e "$build/Makefile" ] || (configured "$build")
setup_make "$build"
make -s -C "$build" t/plugins/aic_sol_passes t/plugins/aic_tables_passes t/plugins/infersim_phases >&2
where_to_find "$build"
STEPCOST=$build/stepcost exec python3 "$tools_top/tools/field_golden.py" "$golden" "$@"
