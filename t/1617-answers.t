#!/bin/sh
# Answers of a cost model that are out of order, and messages without end: the
# arm fails by name, or its messages are counted.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
export STEPCOST_PLUGIN_PATH
cat >"$tap_tmp/c.ini" <<'X'
[engine]
num_gpu_blocks = unlimited
async_scheduling = true
[cost_model]
plugin = culprit
[workload]
num_requests = 30
request_rate = 10
input_tokens = 100
output_tokens = 20
X
run() { "$host" run "$tap_tmp/c.ini" --quiet "$@" >"$tap_tmp/out" 2>"$tap_tmp/err"; rc=$?; cat "$tap_tmp/out" "$tap_tmp/err"; }
fails() { # FAULT STEP WHAT
	run --set cost_model.fault="$1" --set cost_model.at_step="$2"
	[ $rc = 4 ] && grep -q "culprit: $3" "$tap_tmp/err"
}
t 'host time beyond the step' fails host_us 0 'host_us = .* is more than total_us = .* for step 0 (1 prefill, 0 decode)'
t 'among steps that are priced together' fails host_us 300 'host_us = .* for step 300 '
t 'lookups beyond the step' fails lookup_us 300 'lookup_us\[SC_CLAMPED\] = .* is more than 1000 times total_us = .* for step 300 '
t 'a column of a step' fails writes_ctx 5 'eval.*wrote over the columns of a step'

logs() {
	"$host" run "$tap_tmp/c.ini" --set cost_model.fault=logs_much >"$tap_tmp/out" 2>"$tap_tmp/err" || return 1
	cat "$tap_tmp/err"
	[ "$(grep -c 'one of a thousand' "$tap_tmp/err")" = 100 ] && grep -q 'culprit: 900 more messages were dropped' "$tap_tmp/err"
}
t 'messages have a limit, and the others are counted' logs
tap_done
