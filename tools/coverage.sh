#!/bin/sh
# How much of each reader its fuzz corpus reaches: builds the targets with
# clang's source coverage, gives each its corpus, prints a line a file.
#   sh tools/coverage.sh
. "$(dirname "$0")/setup.sh"
folder=$tools_top/build-coverage
profdata=$(command -v llvm-profdata || ls /usr/bin/llvm-profdata-* 2>/dev/null | tail -n 1)
cov=$(command -v llvm-cov || ls /usr/bin/llvm-cov-* 2>/dev/null | tail -n 1)
[ -n "$profdata" ] && [ -n "$cov" ] || { echo "coverage.sh: needs clang and llvm" >&2; exit 2; }
flags='-O1 -g -fprofile-instr-generate -fcoverage-mapping'
[ -e "$folder/config.status" ] || configured "$folder" CC=clang CFLAGS="$flags" >/dev/null
cd "$folder"
make -s -j "$(nproc)" fuzz
rm -f ./*.profraw
objects=
for target in $(cd "$tools_top/fuzz/corpus" && ls); do
	found=$tools_top/fuzz/found/$target
	[ -d "$found" ] || found=
	LLVM_PROFILE_FILE=$target.profraw "fuzz/$target" \
		"$tools_top/fuzz/corpus/$target" $found >/dev/null
	objects="$objects -object fuzz/$target"
done
"$profdata" merge -o all.profdata ./*.profraw
"$cov" export -summary-only -instr-profile=all.profdata $objects |
	python3 -c '
import json, os, sys
for f in json.load(sys.stdin)["data"][0]["files"]:
    name = f["filename"].split("/src/")[-1]
    lines = f["summary"]["lines"]
    if "/src/" in f["filename"] and name.endswith(".c") and lines["covered"]:
        print("%6.1f %%  %5d lines  %s" % (lines["percent"], lines["count"], name))
' | sort -n
