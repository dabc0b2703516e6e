#!/bin/sh
# How much of each reader its fuzz corpus reaches: builds the targets with
# clang's source coverage, gives each its corpus, prints a line a file, those
# that read what others wrote first.
#   sh tools/coverage.sh [LEAST]
# Exit code 1: a reader has less than LEAST percent of its lines; 77: clang or
# llvm is not installed.
. "$(dirname "$0")/setup.sh"
least=${1:-0}
folder=$tools_top/build-coverage
profdata=$(command -v llvm-profdata || ls /usr/bin/llvm-profdata-* 2>/dev/null | tail -n 1)
cov=$(command -v llvm-cov || ls /usr/bin/llvm-cov-* 2>/dev/null | tail -n 1)
[ -n "$profdata" ] && [ -n "$cov" ] && command -v clang >/dev/null ||
	{ echo 'coverage.sh: needs clang and llvm' >&2; exit 77; }
flags='-O1 -g -fprofile-instr-generate -fcoverage-mapping'
[ -e "$folder/config.status" ] || configured "$folder" CC=clang CFLAGS="$flags" >/dev/null
cd "$folder"
make -s -j "$(nproc)" fuzz >&2
rm -f ./*.profraw
where_to_find "$PWD"
objects=
for target in $(cd "$tools_top/fuzz/corpus" && ls); do
	found=$tools_top/fuzz/found/$target
	[ -d "$found" ] || found=
	# A file a process: some targets have children.
	LLVM_PROFILE_FILE=$target-%p.profraw "fuzz/$target" \
		"$tools_top/fuzz/corpus/$target" $found >/dev/null
	objects="$objects -object fuzz/$target"
done
"$profdata" merge -o all.profdata ./*.profraw
"$cov" export -summary-only -instr-profile=all.profdata $objects 2>/dev/null |
	python3 -c '
import json, re, sys
READERS = re.compile(
    "arm/(configuration|table_choice)|base/(csv|decimal|ini|json/.*|lines|number)|"
    "cost/(kernels|steps)|experiment/(grid|load|point|template)|math/expression|"
    "engine/speculation|keys/(hardware|keys|power|prices)|model/(hf_.*|model|model_kinds)|"
    "plugin/(dso|file_checks)|report/recommend/flags|"
    "sweep/(plan|values)|tables/(infersim|set|table|table_csv|table_set)|"
    "validate/(aliases|measured.*|rules)|"
    "workload/(arrival|distribution|replay|trace/trace.*|format/.*)")
least, kinds = float(sys.argv[1]), {True: [], False: []}
for f in json.load(sys.stdin)["data"][0]["files"]:
    name = f["filename"].split("/src/")[-1]
    lines = f["summary"]["lines"]
    reader = READERS.fullmatch(name[:-2]) is not None
    if "/src/" in f["filename"] and name.endswith(".c") and (reader or lines["covered"]):
        kinds[reader].append((lines["percent"], lines["count"], name))
for reader, title in (True, "readers and writers"), (False, "what they use"):
    print(title)
    for line in sorted(kinds[reader]):
        print("%6.1f %%  %5d lines  %s" % line)
low = [name for percent, _, name in kinds[True] if percent < least]
print("%d readers and writers, %d below %g %%" % (len(kinds[True]), len(low), least))
sys.exit(bool(low))
' "$least"
