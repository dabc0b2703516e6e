#!/bin/sh
# Builds stepcost in a clean folder and runs all its tests.  sh tools/test.sh
. "$(dirname "$0")/setup.sh"
more_packages="slurm-wlm munge abigail-tools"
setup "$tools_top/build-test" --enable-werror
exec make -s prove
