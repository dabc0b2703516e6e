#!/bin/sh
# Builds the fuzz targets with clang, libFuzzer, ASan and UBSan, and runs each
# for SECONDS from its corpus.  A finding stays in build-fuzz/TARGET-crash-…;
# moved to fuzz/found/TARGET/ it is replayed by every test run.
#   sh tools/fuzz.sh [SECONDS] [--same] [TARGET...]
# SECONDS 0: builds them only.
# --same: the same inputs at every call, as many as the time is long enough for.
# Exit code 77: clang or its libFuzzer is not installed.
. "$(dirname "$0")/setup.sh"
seconds=${1:-60}; [ $# -eq 0 ] || shift
same=
[ "${1:-}" != --same ] || { same=-seed=1; shift; }
can_fuzz() {
	work=$(mktemp -d)
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >"$work/a.c"
	clang -fsanitize=fuzzer,address,undefined "$work/a.c" -o "$work/a" &&
		"$work/a" -runs=1 && rm -r "$work"
}
can_fuzz >/dev/null 2>&1 || { echo 'fuzz.sh: needs clang and its libFuzzer' >&2; exit 77; }
corpora=$tools_top/fuzz
folder=$tools_top/build-fuzz
[ -e "$folder/config.status" ] || configured "$folder" CC=clang \
	--enable-sanitizer=address,undefined,fuzzer-no-link >/dev/null
cd "$folder"
make -s -j "$(nproc)" fuzz
rm -f ./*.found
[ "$seconds" -gt 0 ] || { echo 'the targets are built'; exit 0; }
where_to_find "$PWD"
# Some targets write files for their reader; in memory that takes no time.  They
# end without removing them.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM
targets=${*:-$(cd "$corpora" && ls corpus)}
# Leaks are looked for at the end: after each input it takes a second where a
# target keeps tables.  Entropic schedules count every feature: a third of the
# time of a target with thousands of them, which then finds no more.
fuzz_one() {
	[ -z "$same" ] || rm -rf "new/$1"
	mkdir -p "new/$1"
	dictionary=; [ ! -e "$corpora/$1.dict" ] || dictionary=-dict=$corpora/$1.dict
	if "fuzz/$1" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 \
		-print_final_stats=1 -detect_leaks=0 -entropic=0 $same $dictionary -artifact_prefix="$1-" \
		"new/$1" "$corpora/corpus/$1" >"$1.log" 2>&1
	then echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$1.log") inputs, nothing found"
	else touch "$1.found"; tail -n 20 "$1.log"; echo "$1: FOUND, see $folder/$1.log"
	fi
}
n=0
for target in $targets; do
	fuzz_one "$target" &
	n=$((n + 1))
	[ $((n % $(nproc))) -ne 0 ] || wait
done
wait
! ls ./*.found >/dev/null 2>&1 || exit 1
echo "$n targets, nothing found"
