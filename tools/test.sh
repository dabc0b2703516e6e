#!/bin/sh
# Builds stepcost in a clean folder and runs its daily tests: some minutes.  Long
# tests (t/TIERS) are left out and named at the end.  sh tools/test.sh
. "$(dirname "$0")/setup.sh"
more_packages="slurm-wlm munge abigail-tools"
setup "$tools_top/build-test" --enable-werror
exec make -s check-daily PROVE_FLAGS="-j $(nproc)"
