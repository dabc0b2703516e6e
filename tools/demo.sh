#!/bin/sh
# Builds stepcost and compares five cost models on the same requests.  Says which
# stage runs, then prints the table, the main cause of the differences, and what to
# try next.  Shows the output of a build that fails.   sh tools/demo.sh
. "$(dirname "$0")/setup.sh"
build=$tools_top/build-demo
log=$(mktemp)
trap 'rm -f "$log"' EXIT
stage() { # TEXT COMMAND...
	printf '%s ... ' "$1"
	shift
	began=$(date +%s)
	"$@" >"$log" 2>&1 || { echo failed; cat "$log" >&2; exit 1; }
	echo "$(($(date +%s) - began)) s"
}
stage '1/4 Install missing packages (apt)' install_missing
stage '2/4 Configure' configured "$build"
stage '3/4 Build (one to three minutes)' setup_make "$build"
stage '4/4 Compare five cost models on 4,000 requests' \
	sh "$tools_top/tools/stepcost.sh" compare five-arms --why --quiet --html "$build/demo.html" --output "$build/demo.txt"
# The answer and its tables, and why the second arm differs from the first.
awk 'BEGIN { print "" } /^Why / { told = 1 } told && !NF { exit } { print }' "$build/demo.txt"
cat <<X

All results:  $build/demo.txt
As a page:    $build/demo.html
Try next:
  sh tools/stepcost.sh capacity five-arms --arms operators --slo ttft_p99_ms=500 --rate 100
  sh tools/stepcost.sh validate sizing --measured bench_data/serving/bench-serve.json
  sh tools/stepcost.sh plugins new mine --like roofline_v1
X
