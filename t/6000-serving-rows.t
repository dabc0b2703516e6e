#!/bin/sh
# Published serving runs: which rows are read, which are left out and why, the
# rules by engine, model and load, and which figures are scored.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
serving=$top_srcdir/bench_data/serving
cd "$tap_tmp" || exit 1
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model]
plugin = known_cost
base_us = 1000
token_us = 1
X
validate() { "$host" validate c.ini --quiet "$@"; }
says() { # CODE WANT COMMAND...
	code=$1 want=$2; shift 2; "$@" >out 2>&1; got=$?
	cat out; echo "exit $got"; [ $got -eq "$code" ] && grep -qF -- "$want" out
}
cell() { # COLUMN: of the first row of out
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' out
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b * .999 && a < b * 1.001) }'; }

# ---- shipped rows ------------------------------------------------------------
page() { # --check, and refused for other errors
	python3 "$top_srcdir/tools/measured/release_page.py" --check || return 1
	mkdir -p other/bench_data/accuracy other/doc && cp -R "$top_srcdir/bench_data/serving" other/bench_data/ &&
		sed 's/,mean_tpot_ms,[0-9.]*,/,mean_tpot_ms,1,/' "$top_srcdir/bench_data/accuracy/operators.csv" >other/bench_data/accuracy/operators.csv &&
		cp "$top_srcdir/configure.ac" other/ && cp "$top_srcdir/doc/accuracy-by-run.md" other/doc/ &&
		! STEPCOST_DATA_PATH=other python3 "$top_srcdir/tools/measured/release_page.py" --check
}
t 'the page of every run is that of the shipped errors' page
counts() { # FILE ROWS
	[ "$(($(wc -l <"$serving/$1") - 1))" -eq "$2" ]
}
for f in vllm-closed-loop:337 inferencex-sglang:465 inferencex-trtllm:757 inferencex-vllm:436 inferencex-token-position:130 inferencex-percentiles:42 inferencex-disagg:661 disagg-launches:661 drafts:597 ml-energy:422 mlperf-v5.1:228 trtllm-offline:72 points:49; do
	t "$f" counts "${f%:*}.csv" "${f#*:}"
done

# ---- flags -------------------------------------------------------------------
head='id,origin,model,gpu,gpu_count,tp,ep,dp,dtype,engine,engine_version,concurrency,input_mean,output_mean,ttft_mean,tpot_mean,e2e_mean,flags'
row() { echo "$1,inferencex,meta-llama/Llama-3.1-8B,H100-SXM-80GB,1,1,,,bf16,${3:-vllm},${4:-0.15.0},2,100,20,50,2,,$2"; }
{ echo "$head"; row a LENGTHS_NOMINAL; row b 'X|REPEATS_DISAGREE_1.4'; row c REPEATS_DISAGREE_2.0; row d SET_ASIDE; } >flags.csv
t 'doubtful rows are left out, and counted by their flag' says 0 '2 rows not simulated (b …): flag REPEATS_DISAGREE_' validate --measured flags.csv
t 'others are scored' grep -qE '^known_cost +1 ' out
all_flags() { validate --measured flags.csv --flags all | grep -qE '^known_cost +4 '; }
t 'unless all are asked for' all_flags
sed 2d flags.csv >none.csv
t 'where none is left, all reasons are told' says 3 '2 rows: flag REPEATS_DISAGREE_; 1 rows: flag SET_ASIDE' validate --measured none.csv

# ---- what a row does not tell ---------------------------------------------------
said() { "$host" validate c.ini --measured "$1" --explain "${2:-x}"; }
sed "s/,H100-SXM-80GB/,B200/; s|meta-llama/Llama-3.1-8B|openai/gpt-oss-120b|; s/,bf16,vllm,0.15.0/,fp4,vllm,0.15.1/" flags.csv | sed -n '1,2p' >today.csv
t 'a launch that asks for a day is not taken without one, and that is said' says 0 'today.csv: 1 row is of the kind of a known launch, but the column measured is empty (line 2), so none is taken: protocol inferencex' said today.csv a
{ echo "$head"; row x '' atom; } >atom.csv
t 'so is an engine that no rule is of' says 0 'atom.csv:2: no rule is of engine atom: [engine] of c.ini schedules its rows' said atom.csv
mkdir own; cp "$top_srcdir/etc/models/llama-3.1-8b.ini" own/plain.ini
cp "$top_srcdir/etc/models/llama-3.1-8b-fp8.ini" own/told.ini
{ echo "$head"; row x '' | sed "s|meta-llama/Llama-3.1-8B|own/plain.ini|; s/,bf16,/,fp8,/"; row y '' | sed "s|meta-llama/Llama-3.1-8B|own/told.ini|; s/,bf16,/,fp8,/"; } >own.csv
t "a row's fp8 holds for a file that tells no format" says 0 'set model.quantization=fp8' said own.csv x
own_format() { said own.csv y >out 2>&1; cat out; ! grep -q 'set model.quantization' out; }
t 'and not for one that does' own_format
printf '%s\n' id,workload,model,gpu,engine,arrival,concurrency,mean_e2el_ms x,odd,llama-3.1-8b,h100-sxm,trtllm,closed,1,5 >odd.csv
printf 'workload,input_tokens,output_tokens\nodd,8400,3\nodd,8401,4\n' >lengths.csv
printf '[arrival]\nclosed = closed_loop\n' >closed.ini
whole() { "$host" validate c.ini --measured odd.csv --lengths lengths.csv --explain x --aliases closed.ini; }
t 'lengths with a mean that is no whole number make whole limits' says 0 'engine.max_num_tokens=8402' whole

# ---- a loop by hand: a step is 1 ms and 1 us a token -------------------------
# One client, one request after another: 100 tokens in one step, 10 more steps
# of a token each; the request reaches the engine 11 ms after its issue.
one() { echo "$head"; echo "x,internal,llama-3.1-8b,h100-sxm,1,1,,,bf16,$1,1.0,1,100,11,50,2,,"; }
one vllm >one.csv
first() { validate --measured one.csv --format csv >out; cat out; near "$(cell mean_ttft_ms)" 12.1 && near "$(cell mean_tpot_ms)" 1.001; }
t 'TTFT and TPOT of a closed loop' first
twice() { cat "$1"; tail -n 1 "$1" | sed 's/^x/y/'; }
median() {
	sed 's/ttft_mean/ttft_p50/;s/tpot_mean/tpot_p50/' one.csv >median.csv
	validate --measured median.csv --format csv >out; cat out; [ "$(cell p50_tpot_error_pct)" = -49.95 ] || return 1
	twice median.csv >medians.csv
	validate --measured medians.csv | grep -qE '^known_cost +2 '
}
t 'medians are scored where no mean was published' median
two() { echo "$head"; echo "x,internal,llama-3.1-8b,h100-sxm,1,1,,,bf16,$1,1.0,2,100,101,50,2,,"; }
waits() { # prompts beside decodes, or alone
	two vllm >v.csv; two sglang >s.csv
	validate --measured v.csv --format csv >out; v=$(cell mean_tpot_ms)
	validate --measured s.csv --format csv >out; s=$(cell mean_tpot_ms)
	echo "$v $s"; awk -v v="$v" -v s="$s" 'BEGIN { exit !(v < s) }'
}
t 'the engine says how batches are formed' waits
scheduled() { # ENGINE: each by its own rules
	one "$1" >sched.csv
	validate --measured sched.csv --format csv >out; cat out
	near "$(cell mean_ttft_ms)" "$2" && near "$(cell mean_tpot_ms)" "$3"
}
t 'the same request through the scheduler of SGLang' scheduled sglang 12.1 1.001
# A process of 80 us a token and 5 ms more for the first one; by the eleventh
# token it is no longer behind.
t 'and of TensorRT-LLM 1.0, with a process that hands out tokens' scheduled trtllm 17.18 0.501
limits() { # a row's limits have the names of its engine's keys
	{ echo "$head,max_num_seqs,max_num_batched_tokens,block_size,num_requests,protocol"
	echo "x,,llama-3.1-8b,h100-sxm,1,1,,,bf16,sglang,1.0,2,100,11,50,2,,,1,200,4,8,benchmark"; } >limits.csv
	printf '[when:own]\nengine = sglang\nengine.%s = sglang\n' "$1" >own.ini
	validate --measured limits.csv --aliases own.ini --format csv >out 2>&1; cat out; grep -q ',true,' out
}
for key in scheduler preset; do t "in a benchmark of one's own, too, by its $key" limits $key; done

# Of 64 clients of 4,100 tokens an H100 has room for all beside gpt-oss-120b,
# where every other layer keeps 128, and else for fewer.
{ echo "$head"; echo 'x,internal,openai/gpt-oss-120b,h100-sxm,1,1,,,fp4,vllm,0.18.0,64,4000,100,50,2,,'; } >windows.csv
windows() {
	printf '[when:all]\nengine = vllm\nengine.disable_hybrid_kv_cache_manager = true\n' >all.ini
	validate --measured windows.csv --format csv >out; kept=$(cell mean_ttft_ms)
	validate --measured windows.csv --aliases all.ini --format csv >out; all=$(cell mean_ttft_ms)
	echo "$kept $all"; awk -v a="$kept" -v b="$all" 'BEGIN { exit !(b > 1.2 * a) }'
}
t 'layers with sliding windows keep no more than that, or every token' windows

# ---- knobs of arms that have them --------------------------------------------
printf '[arrival]\n[when:slow]\nengine = vllm\narm.base_us = 2000\narm.nosuch = 1\n' >own.ini
knob() { validate --measured one.csv --aliases own.ini --format csv "$@" >out 2>&1; cat out; near "$(cell mean_tpot_ms)" "$want"; }
sed '/^base_us/d' c.ini >free.ini
free() { "$host" validate free.ini --quiet --measured one.csv --aliases own.ini --format csv >out 2>&1; cat out; near "$(cell mean_tpot_ms)" 2.001; }
t 'a rule sets a knob' free
want=1.001
t 'but not one that the configuration sets' knob
printf '[when:bad]\nspeed = fast\narm.x = 1\n' >own.ini
t 'a rule with a condition on nothing' says 2 'own.ini:2: speed is no column of the measured rows' validate --measured one.csv --aliases own.ini

# ---- arrivals, throughput, lengths -------------------------------------------
echo 'id,model,gpu,gpu_count,tp,engine,arrival,num_requests,input_mean,output_mean,ttft_mean,e2e_mean,output_tok_s' >offline.csv
echo 'x,llama-3.1-8b,h100-sxm,2,1,vllm,all at once,10,100,11,,,2000' >>offline.csv
# Two replicas, each 10 requests: a step of 1000 tokens, 10 of 10.
offline() { validate --measured offline.csv --format csv >out; cat out; near "$(cell output_throughput)" "$(awk 'BEGIN { print 2 * 110 / (2e-3 + 10 * 1.01e-3) }')"; }
t 'offline throughput, of all GPUs' offline
twice offline.csv >offlines.csv
t 'its table' says 0 'known_cost, offline throughput in output tokens a second' validate --all --measured offlines.csv
echo 'id,model,gpu,tp,engine,arrival,rate_rps,num_requests,workload,output_mean,ttft_mean,e2e_mean' >server.csv
echo 'x,llama-3.1-8b,h100-sxm,1,vllm,Poisson,10,50,set,20,30,60' >>server.csv
echo 'y,llama-3.1-8b,h100-sxm,1,vllm,static batch,10,50,set,20,30,60' >>server.csv
t 'rows without lengths are listed' says 3 '1 rows: lacks input_tokens or output_tokens; 1 rows: no protocol static batch' validate --measured server.csv
printf 'workload,input_tokens,output_tokens\nset,100,11\nother,5,5\n' >lengths.csv
t 'and scored with a file of lengths' sh -c "'$host' validate c.ini --quiet --measured server.csv --lengths lengths.csv | grep -qE '^known_cost +1 '"
printf 'workload,input_tokens\nset,100\n' >bad.csv
t 'which must have its columns' says 3 'bad.csv:1: needs the columns workload' validate --measured server.csv --lengths bad.csv
sed "1s/$/,mode/;2s/$/,disagg/;3d" server.csv >split.csv
t 'prefill and decode apart are told' says 3 'prefill and decode apart, without facts: mode disagg' validate --measured split.csv

# ---- prefill and decode apart ------------------------------------------------
apart() { "$host" validate disagg --measured "$serving/inferencex-disagg.csv" --facts "$serving/disagg-launches.csv" --quiet "$@"; }
row=S-2026_03_25_deepseek_r1_b200_sxm_sglang_fp4_disagg_1024x1024_c1024_tp4_0_ep4_0_791
explained() {
	apart --arms operators --explain $row >out; cat out
	for want in 'facts: launch entry; acceptance assumed' engine:decode.data_parallel_size=8 engine:decode.num_speculative_tokens=2 \
		engine:prefill.chunked_prefill_size=8192 'arm.seq_us = {5 \* (1 + draft_tokens / 2)}' seq_us=10; do
		grep -q -- "$want" out || return 1
	done
}
t 'facts and rules set the keys of both pools' explained
few=S-2026_04_06_deepseek_r1_gb200_sglang_fp4_disagg_8192x1024_c4_tp1_ep1_1193
{ head -n 1 "$serving/inferencex-disagg.csv"; grep -E "^($few|S-qwen3_32b)" "$serving/inferencex-disagg.csv"; } >few.csv
scored() {
	"$host" validate disagg --arms operators --measured few.csv --facts "$serving/disagg-launches.csv" --quiet --format csv >out; cat out
	[ -n "$(cell implied_throughput_error_pct)" ] || grep -q ",true,.*,[-0-9.]*,$" out
}
t 'a run is simulated and its throughput implied' scored
t 'facts of no row' says 2 'no measured row has one of its ids' "$host" validate disagg --measured few.csv --facts flags.csv

# ---- drafts that are known -----------------------------------------------------
drafts() { # Rows without drafts are scored, those with some are not.
	"$host" validate published --arms operators --measured "$serving/inferencex-sglang.csv" --facts "$serving/drafts.csv" --explain "$1" >out 2>&1; cat out
	grep -q "$2" out
}
t 'a row without drafts is simulated' drafts S-qwen3_5_b200_sglang_bf16_agg_1024x1024_c4_cfg587 'set engine.scheduler_recv_interval=10'
with_drafts=$(awk -F, '$2 == "drafts" && /qwen/ { print $1; exit }' "$serving/drafts.csv")
t 'one with drafts is not' drafts "$with_drafts" 'not simulated: flag SPEC_DECODING_'

# ---- classes -----------------------------------------------------------------
classes() {
	validate --all --measured flags.csv --measured one.csv >out; cat out
	grep -qE '^vllm 0.15 +1 ' out && grep -qE '^dense +2 ' out && grep -qE '^bf16 +2 ' out
}
t 'a table for each class' classes
json() { validate --measured flags.csv --format json >out && grep -q '"is": "vllm 0.15"' out && { ! command -v python3 >/dev/null || python3 -m json.tool out >/dev/null; }; }
t 'in JSON, too' json
tap_done
