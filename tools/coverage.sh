#!/bin/sh
# How much the tests reach of the code that reads other people's files, keeps
# results, guards plugins and writes for other programs (tools/coverage.py has
# the files):
#  - the lines of each reader that its fuzz corpus reaches;
#  - by room, the branches that corpora, unit programs and scripts reach together,
#    also when an allocation or a system call of a unit program fails.
#   sh tools/coverage.sh                              both tables
#   sh tools/coverage.sh LEAST-LINES                  the first alone
#   sh tools/coverage.sh LEAST-LINES LEAST-BRANCHES   both
# Exit code 1: a reader has less than LEAST-LINES percent of its lines, or a room
# less than LEAST-BRANCHES percent of its branches; 77: clang or llvm is not
# installed, and only the first table is asked for.
# Builds in build-coverage/: once, 15 minutes on two cores.  The first table takes
# seconds then, the second 25 minutes.
# With clang and llvm, counters lie in files that processes share, so that those
# count too that crash or _exit().  Otherwise with gcc and gcov: those do not.
. "$(dirname "$0")/setup.sh"
lines=${1:-0} branches=${2:-0}
folder=$tools_top/build-coverage
table() { python3 "$tools_top/tools/coverage.py" "$@"; }
profdata=$(command -v llvm-profdata || ls /usr/bin/llvm-profdata-* 2>/dev/null | tail -n 1)
cov=$(command -v llvm-cov || ls /usr/bin/llvm-cov-* 2>/dev/null | tail -n 1)
if [ -n "$profdata" ] && [ -n "$cov" ] && command -v clang >/dev/null; then
	compiler=clang
	flags='-O1 -g -fprofile-instr-generate -fcoverage-mapping'
	flags="$flags -mllvm -runtime-counter-relocation -Wno-unused-command-line-argument"
	counted() { # PROGRAM...
		"$profdata" merge -o all.profdata counters/*.profraw
		"$cov" export -skip-functions -instr-profile=all.profdata $(printf -- '-object %s ' "$@")
	}
	uncount() { rm -rf counters; }
elif [ $# -eq 1 ]; then
	echo 'coverage.sh: the lines alone need clang and llvm' >&2
	exit 77
else
	compiler=gcc
	flags='-O0 -g --coverage -fprofile-update=prefer-atomic'
	counted() {
		find src -name '*.gcda' | xargs gcov --json-format --branch-probabilities --stdout
	}
	uncount() { find . -name '*.gcda' -exec rm {} +; }
fi

# What reads, keeps, guards and emits; the unit programs are those of its rooms.
scripts='0160-trace 0165-own-csv 0166-import 0167-otel 0240-etc 0900-validate 1069-plugin-folder
	1410-recommend 1411-recommend-options 1412-recommend-launch 1414-import-launch 1615-containment
	1670-operators 1700-sweep 1710-sweep-slurm 1720-sweep-report 1730-sweep-killed
	1735-sweep-axes 1740-sweep-damage 1745-other-languages 1750-sweep-inputs
	1900-bad-input 1905-bad-files 1907-remedies 2030-models 6007-results'

[ -e "$folder/config.status" ] || configured "$folder" CC="$compiler" CFLAGS="$flags"
cd "$folder"
uncount
targets=$(cd "$tools_top/fuzz/corpus" && ls)
export LLVM_PROFILE_FILE="$PWD/counters/%m%c.profraw"
{
	make -s -j "$(nproc)" fuzz
	where_to_find "$PWD"
	for target in $targets; do
		found=$tools_top/fuzz/found/$target
		[ -d "$found" ] || found=
		"fuzz/$target" "$tools_top/fuzz/corpus/$target" $found >/dev/null
	done
} >&2
code=0
counted $(printf 'fuzz/%s ' $targets) | table lines "$lines" || code=1
[ $# -ne 1 ] || exit $code
units=$(table units)
# A test that fails here is no fault of coverage, and its counters are good.
check() { make -s -k -j "$(nproc)" check TESTS="$*" 2>&1 | grep '^FAIL:' >&2 || :; }
check $units
check $(printf 't/%s.t ' $scripts)
top_srcdir=$tools_top top_builddir=$PWD table fail t/so/.libs/inject.so >&2
counted stepcost | table branches "$branches" || code=1
exit $code
