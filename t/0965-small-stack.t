#!/bin/sh
# A stack of 64 KiB is enough for every command: no function has a frame of more
# than 16 KiB (configure.ac), none recurses without a bound, and the command runs
# on a stack of its own (src/cmd/main.c).
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/server.sh"
program=$(cd "$top_builddir" && pwd)/stepcost
(ulimit -s 64) 2>/dev/null || { echo '1..0 # SKIP the stack cannot be limited'; exit 0; }
! nm "$program" 2>/dev/null | grep -q __asan_init || { echo '1..0 # SKIP sanitized frames are larger'; exit 0; }
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
cd "$tap_tmp" || exit 1
s=$tap_tmp/small
printf '#!/bin/sh\nulimit -s 64 && exec "%s" "$@"\n' "$program" >"$s" && chmod +x "$s"
cat >c.ini <<'END'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:a]
plugin = const_step
base_us = 9000
[cost_model:b]
plugin = roofline_v1
[workload]
num_requests = 20
request_rate = 10
input_tokens = constant:100
output_tokens = constant:8
END
{ echo step,decode,prefill,time_us; for n in 1 2 3 5 8 13; do echo $n,${n}0,,91${n}; echo 2$n,,0:${n}1,93$n; done; } >steps.csv
printf 'op,m,n,k\ngemm,16,4096,4096\n' >points.csv

t run "$s" run c.ini --arms a
t 'run --in-process' "$s" run c.ini --arms a --in-process
t 'compare --why' "$s" compare c.ini --why --html why.html
t 'compare --swap' "$s" compare c.ini --swap a,b
t 'compare --seeds' "$s" compare c.ini --seeds 2
t capacity "$s" capacity c.ini --arms a --slo ttft_p99_ms=100 --one-draw
t 'capacity of a fleet' "$s" capacity c.ini --arms b --slo ttft_p99_ms=100 --rate 100
t recommend "$s" recommend c.ini --arms a --gpus 2 --slo ttft_p99_ms=200 --rate 3
t sweep "$s" sweep c.ini --axis workload.seed=1,2 --store s.db
t 'sweep --capacity' "$s" sweep c.ini --arms a --axis engine.max_num_seqs=8 --capacity ttft_p99_ms=100 --store k.db
t 'sweep show' "$s" sweep show s.db
t validate "$s" validate sizing --measured "$STEPCOST_DATA_PATH/bench_data/serving/bench-serve.json" --arms operators
t eval "$s" eval c.ini --steps steps.csv
t score "$s" score c.ini --steps steps.csv
t fit "$s" fit c.ini --steps steps.csv --arms a --knobs base_us
t kernel "$s" kernel "$STEPCOST_DATA_PATH/etc/quickstart.ini" --points points.csv --arms v2_fixed
t experiment "$s" experiment h33
t model "$s" model show llama-3.1-8b
t 'plugins list' "$s" plugins list
t 'plugins check' "$s" plugins check const_step
t help "$s" help engine
t serve serve c.ini
t 'a request' python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/v1/models')"
t 'serve ends' end_server

# ---- texts that are nested ----
nested() { # CODE COMMAND...
	want=$1; shift
	"$@" 2>said; code=$?
	cat said
	[ $code -eq "$want" ] && grep -q 'nested\|depth' said
}
# A text N times.
repeat() { awk -v n="$1" -v text="$2" 'BEGIN { while (n--) printf "%s", text }'; }
{ repeat 100000 '{"a":'; echo 1; repeat 100000 '}'; } >deep.json
t 'a model' nested 3 "$s" model show ./deep.json
t 'measured runs' nested 3 "$s" validate c.ini --measured deep.json
t 'a trace of spans' nested 3 "$s" trace info deep.json --set workload.format=otel
t 'measured steps' nested 3 "$s" import steps deep.json
{ printf '[experiment]\ntitle = T\nquestion = Q?\nsource = none\nrefuted_if = no\nrefuted = '; repeat 900 '('; echo 1; cat c.ini; } >deep.ini
t 'a condition' nested 2 "$s" experiment deep.ini
tap_done
