#!/bin/sh
# Builds the fuzz targets with clang, libFuzzer, ASan and UBSan, and runs each
# for SECONDS from its corpus.  A finding stays in build-fuzz/TARGET-crash-…;
# moved to fuzz/found/TARGET/ it is replayed by every test run.
#   sh tools/fuzz.sh [SECONDS] [TARGET...]
. "$(dirname "$0")/setup.sh"
seconds=${1:-60}; [ $# -eq 0 ] || shift
command -v clang >/dev/null || { echo "fuzz.sh: needs clang" >&2; exit 2; }
corpora=$tools_top/fuzz
folder=$tools_top/build-fuzz
[ -e "$folder/config.status" ] || configured "$folder" CC=clang \
	--enable-sanitizer=address,undefined,fuzzer-no-link >/dev/null
cd "$folder"
make -s -j "$(nproc)" fuzz
targets=${*:-$(cd "$corpora" && ls corpus)}
bad=0
for target in $targets; do
	mkdir -p "new/$target"
	dictionary=; [ ! -e "$corpora/$target.dict" ] || dictionary=-dict=$corpora/$target.dict
	if "fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 $dictionary -artifact_prefix="$target-" \
		"new/$target" "$corpora/corpus/$target" >"$target.log" 2>&1
	then echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log") inputs, nothing found"
	else echo "$target: FOUND, see $folder/$target.log"; bad=1
	fi
done
exit $bad
