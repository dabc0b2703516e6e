#!/bin/sh
# --watch: again when the INI or the plugin changes, and what that changed.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
mkdir so; cp "$top_builddir/t/so/.libs/known_cost.so" "$top_builddir/t/so/.libs/faulty.so" so/
STEPCOST_PLUGIN_PATH=$tap_tmp/so
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[workload]
num_requests = 20
request_rate = 4
input_tokens = constant:200
output_tokens = constant:20
[cost_model:a]
plugin = known_cost
base_us = 5000
[cost_model:b]
plugin = known_cost
base_us = 6000
X
# Waits until the output has so many lines that begin so, or for a while.
until_there() { i=0; while [ "$(grep -c "^$1" out)" -lt "$2" ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done; sleep 0.3; }
timeout 60 "$host" compare c.ini --quiet --watch=3 >out 2>err & pid=$!
until_there mean_ttft_ms 1
sed 's/6000/7000/' c.ini >d.ini && mv d.ini c.ini
until_there '  b ' 1
sed 's/base_us = 7000/base_us = seven/' c.ini >d.ini && mv d.ini c.ini
until_there changed 2
sed 's/base_us = seven/base_us = 7000/' c.ini >d.ini; cp "$top_builddir/t/so/.libs/known_cost.so" so/new && mv so/new so/known_cost.so; mv d.ini c.ini
wait $pid; code=$?
cat out err | sed 's/^/# /'
t 'ends after so many changes' [ $code -eq 0 ]
t 'the table, once' [ "$(grep -c '^mean_ttft_ms' out)" -eq 1 ]
t 'three changes' [ "$(grep -c '^changed: ' out)" -eq 3 ]
t 'the arm that did not change' grep -q '^  a  *unchanged' out
t 'the one that did' grep -q '^  b  *mean_step_us .*6[0-9.]* -> 7[0-9.]*  +1[0-9.]* %' out
t 'a broken INI is said, and waited over' grep -q 'c.ini:15: .*seven' err
tap_done
