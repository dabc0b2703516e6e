#!/bin/sh
# trace info as a user meets it; the trace is made up.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
says() { # CODE WANT COMMAND...: exits with CODE, and has WANT in its output
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/out" 2>&1; got=$?
	cat "$tap_tmp/out"; echo "exit $got"
	[ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/out"
}
info() { code=$1 want=$2; shift 2; says "$code" "$want" "$host" trace info "$@"; }

m=$tap_tmp/moon.jsonl
row() { printf '{"timestamp": %s, "input_length": %s, "output_length": %s, "hash_ids": [%s]}\n' "$@"; }
{ row 0 600 10 '0, 1'; row 3000 1024 20 '0, 2'; row 3000 1500 1 '0, 2, 3'; row 9000 512 5 0; } >"$m"
t 'requests' info 0 'requests                   4' "$m"
t 'told from its content' info 0 'format                     mooncake' "$m"
t 'span' info 0 'span_s                     9' "$m"
t 'rate of what came after the first' info 0 'rate_per_s                 0.3333' "$m"
t 'gap CV: of 3, 0 and 6 s' info 0 'gap_cv                     0.8165' "$m"
t 'gaps of nothing' info 0 'zero_gaps                  1' "$m"
t 'a percentile as numpy has it' info 0 'input_tokens_p90           1357.20' "$m"
t 'ideal reuse: 4 of 8' info 0 'ideal_block_reuse_percent  50' "$m"
t 'JSON' info 0 '"ideal_block_reuse_percent": 50,' "$m" --format json
t 'JSON has null for what there is not' info 0 '"sessions": null,' "$m" --format json
t 'CSV' info 0 'input_tokens_max,1500' "$m" --format csv
t 'quantiles' info 0 '0.5,812' "$m" --quantiles input
t 'a trace has no arms' info 2 'trace info: unknown option --arms' "$m" --arms a
t 'a file' "$host" trace info "$m" --output "$tap_tmp/report"
t 'has it' grep -q 'requests  *4' "$tap_tmp/report"

c=$tap_tmp/c.csv
printf 'arrival_us,input_tokens,output_tokens\n5,1,1\n' >"$c"
t 'one request has no rate' info 0 '"rate_per_s": null,' "$c" --format json
t 'keys of the workload' info 0 'requests                   1' "$m" --set workload.num_requests=1
t 'and no others' info 2 'takes keys of [workload]' "$m" --set engine.block_size=1
t 'another format than it is' info 3 "c.csv:1: no column TIMESTAMP" "$c" --set workload.format=azure
t 'an unknown format' info 2 'not one of auto|stepcost|' "$c" --set workload.format=foo
t 'no such file' info 2 'nope.csv: No such file' "$tap_tmp/nope.csv"
printf 'arrival_us,input_tokens,output_tokens\n5,1,1\n6,nan,1\n' >"$c"
t 'a fault, with its line' info 3 'c.csv:3: input_tokens = nan' "$c"
t 'one line of it' says 0 1 sh -c "'$host' trace info '$c' 2>&1 | wc -l"
t 'and no output' sh -c "'$host' trace info '$c' --output '$tap_tmp/none'; [ \$? -eq 3 ] && ! [ -e '$tap_tmp/none' ]"
printf 'arrival_us,input_tokens,output_tokens\n9,1,1\n5,1,1\n6,3,1\n' >"$c"
t 'one out of order is said' info 0 'c.csv:3: earlier than the row before' "$c"
t 'and its gaps are of the sorted times' info 0 'gap_max_s                  3e-06' "$c"
t 'quietly' says 0 0 sh -c "'$host' trace info '$c' --quiet 2>&1 >/dev/null | wc -l"
tap_done
