#!/bin/sh
# Mistakes of people who use the program for the first time: each is answered with
# what is wrong, where, and what to do.  A line of the table is an exit code, what
# the answer must have, and the command; the files are made first.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs STEPCOST_DATA_PATH=$(cd "$top_srcdir" && pwd)
export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1

ini() { # FILE SED-SCRIPT: a sound configuration, changed
	cat >sound.ini <<-'X'
	[model]
	config = llama-3.1-8b
	[hardware]
	config = h100-sxm
	[engine]
	max_num_seqs = 64
	[workload]
	num_requests = 20
	request_rate = 4
	input_tokens = constant:200
	output_tokens = constant:20
	[cost_model:a]
	plugin = smooth_roofline
	[cost_model:b]
	plugin = roofline_v1
	X
	sed "$2" sound.ini >"$1"
}
ini good.ini ''
ini offload.ini 's/^max_num_seqs.*/&\npreset = vllm-2026-07\nkv_offloading_size = 10\nkv_offload_bandwidth_gbs = 30\neviction_policy = arc/'
printf 'decode\n100\n' >s.csv
ini key.ini 's/max_num_seqs/max_num_seq/'
ini section.ini 's/workload/worklaod/'
ini unit.ini 's/request_rate = 4/request_rate = 4 req\/s/'
ini seconds.ini 's/^num_requests.*/&\nthink_time_s = 5s/'
ini negative.ini 's/request_rate = 4/request_rate = -4/'
ini twice.ini '$a [engine]\nmax_num_seqs = 8'
ini arm_twice.ini '$a [cost_model:a]\nplugin = const_step'
ini model.ini 's/llama-3.1-8b/llama-3.1-8B-instruct/'
ini gpu.ini 's/h100-sxm/h100/'
ini plugin.ini 's/smooth_roofline/smooth_rofline/'
ini preset.ini 's/^max_num_seqs.*/preset = vllm-99/'
ini knob.ini 's/^plugin = smooth_roofline/&\neww = 0.8/'
ini range.ini 's/^plugin = smooth_roofline/&\new = 80/'
ini tp.ini 's/^max_num_seqs.*/tensor_parallel_size = 3/'
ini trace.ini 's/^num_requests.*/trace = none.csv/; /^request_rate\|^input_tok\|^output_tok/d'
ini own.ini 's/^num_requests.*/trace = own.csv/; /^request_rate\|^input_tok\|^output_tok/d'
ini distribution.ini 's/constant:200/normal(200)/'
sed 's/$/\r/' key.ini >crlf.ini
: >empty.ini
head -c 3000 "$host" >binary.ini
printf 'when,prompt,answer\n0,10,20\n' >own.csv
printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n5,-3,2\n' >negative.csv
printf 'id,model,gpu,mean_e2el_ms\nx,llama-3.1-8b,h100-sxm,fast\n' >word.csv
printf 'id,model\nx,llama-3.1-8b\n' >nothing.csv
printf 'id,protocol,model,gpu,input_tokens,output_tokens,mean_e2el_ms\nx,single,llama-3.1-8b,h100-sxm,10,5,50\n' >good.csv
printf '{"mean_ttft_ms": ' >cut.json
printf 'step,decode,prefill\n0,64;x,\n' >steps.csv
printf 'op,m,n,k\ngemm,8,64\n' >points.csv
: >empty.csv
: >empty.json
ini slow_gpu.ini 's/h100-sxm/.\/gpu2.ini/'
ini open.ini 's/^\[engine\]/[engine/'
ini timed.ini 's/^num_requests.*/trace = timed.csv/; /^request_rate\|^input_tok\|^output_tok/d'
ini timed_sound.ini 's/^num_requests.*/trace = timed.csv/; /^request_rate\|^input_tok\|^output_tok/d'
printf '[hardware]\nbf16_tflops = 900\n' >gpu2.ini
printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n9,20,3\n' >timed.csv
printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n5' >cut.csv
printf 'Prompt-Länge (Tok),answer\n10,20\n' >german.csv
printf 't,in,out\n02.11.2026 09:00:00,10,20\n' >day_first.csv
printf 't,in,out\n0,10,1\n160,20,2\n350,30,3\n' >slow.csv
printf 'when_s,in,out\n0,10,20\n5,10,20\n9,10,20\n' >when.csv
ini when.ini 's/^num_requests.*/trace = when.csv\ncolumns = time:when_s@ms, input:in, output:out/; /^request_rate\|^input_tok\|^output_tok/d'
ini comment.ini 's/llama-3.1-8b/& # inline/'
ini comment2.ini 's/= 64/& # sequences/'
ini one.ini '/^\[cost_model:b\]/,$d'
printf '{"duration": 3, "completed": 1, "mean_ttft_ms": 25, "mean_tpot_ms": 8, "num_prompts": 1, "request_rate": 4, "total_input_tokens": 200, "total_output_tokens": 20, "model_id": "Qwen/Qwen3-8B"}' >run.json
"$host" sweep one.ini --quiet --axis workload.request_rate=1,2 --store of.db >/dev/null 2>&1
"$host" plugins new mine --like const_step >/dev/null
cp "$STEPCOST_PLUGIN_PATH/const_step.so" old.so
echo text >text.so; mkdir folder closed; echo x >closed/f; chmod 0 closed

n=0
# The table's commands have no words with spaces but those in '...'.
while IFS='|' read -r code want command; do
	[ -n "$command" ] || continue
	n=$((n + 1))
	answered() {
		eval "\"$host\" $command" >out 2>err </dev/null; got=$?
		echo "\$ stepcost $command"; head -5 out; cat err; echo "exit $got, not $code, or no '$want'"
		[ $got -eq "$code" ] && grep -qF -- "$want" err && ! grep -q 'Segmentation\|Assertion' err
	}
	t "$command" answered
done <<'X'
2|did you mean|comapre good.ini
2|did you mean 'run good.ini'|good.ini
2|max_num_seqs|run key.ini
2|key.ini:6|run key.ini
2|crlf.ini:6|run crlf.ini
2|section.ini:7: unknown section [worklaod] (did you mean 'workload'?)|run section.ini
2|unit.ini:9|run unit.ini
2|not a number in [0, inf] 1/s|run unit.ini
2|seconds.ini:9|run seconds.ini
2|negative.ini:9|run negative.ini
2|twice.ini:17|run twice.ini
2|arm_twice.ini:17: [cost_model:a] plugin given twice, first at arm_twice.ini:13|run arm_twice.ini
2|llama-3.1-8b|run model.ini
2|h100-sxm|run gpu.ini
2|plugin.ini:13: no smooth_rofline.so|run plugin.ini
2|(did you mean 'smooth_roofline'?)|run plugin.ini
2|vllm|run preset.ini
2|knob.ini:14|run knob.ini
2|ew|run knob.ini
2|range.ini:14|run range.ini
2|tensor_parallel_size|run tp.ini
2|trace.ini:8|run trace.ini
3|own.csv:1|run own.ini
2|constant|run distribution.ini
2|empty.ini|run empty.ini
2|binary.ini:1: has a NUL, so it is no text|run binary.ini
2|none.ini|run none.ini
2|folder|run folder
2|not section.key=value; write engine.max_num_seqs=8|run good.ini --set max_num_seqs=8
2|write engine.tensor_parallel_size=8|run good.ini --set tp=8
2|--axis max_num_seqs=1,2: not section.key=value; write engine.max_num_seqs=1,2|sweep good.ini --axis max_num_seqs=1,2 --store s.db
2|SECTION.KEY=VALUE, as in engine.|run good.ini --set velocity=8
2|--try tensor_parallel_size=2: not section.key=value; write engine.tensor_parallel_size=2|capacity good.ini --slo ttft_p99_ms=500 --try two:tensor_parallel_size=2
2|needs NAME:SECTION.KEY=VALUE, as in tp2:engine.tensor_parallel_size=2|capacity good.ini --slo ttft_p99_ms=500 --try tensor_parallel_size=2
2|is the name of an earlier --try|capacity good.ini --slo ttft_p99_ms=500 --try a:engine.max_num_seqs=8 --try a:engine.max_num_seqs=9
2|without a unit: ttft_p99_ms=500|capacity good.ini --slo ttft_p99_ms=0.5s
2|slow_gpu.ini:4: config = ./gpu2.ini has no memory_bandwidth_tbs|run slow_gpu.ini
2|must be fewer than replicas = 2, so that one generates|run good.ini --set engine.replicas=2 --set engine.prefill_replicas=2
2|open.ini:5: a ']' is missing|run open.ini
2|the weights alone take 673.2 GB of each GPU|run good.ini --set model.config=deepseek-v3 --set engine.preset=vllm-0.24
2|or with max_model_len up to 3|run good.ini --set model.config=llama-3.1-70b --set engine.tensor_parallel_size=2 --set engine.preset=vllm-0.24
2|did you mean '--why'|compare good.ini --wy
1|arm b: no request completed; there is no attribution|compare good.ini --why --set cost_model:b.engine.max_model_len=50
2|needs --y COLUMN: a second figure, for example|sweep pareto s.db --x mean_tpot_ms
2|CONFIG is missing, as quickstart|compare
2|it is an option of compare|run good.ini --all-pairs
2|it is an option of compare|run good.ini --ablate a.ew=0.7
2|the same CONFIG, axes and --store|sweep resume x.db
2|operators is the name of the plugin |plugins new operators
2|for the folder write ./folder|model show folder
2|the trace has its own arrival times, so all points would be equal; --set workload.retime=true|sweep timed.ini --axis workload.request_rate=5,6 --store s.db
2|the trace has its own requests, so all points would be equal|sweep timed.ini --axis workload.turns=5,6 --store s.db
0|request_rate is not used; retime = true|run timed.ini --set workload.request_rate=5
3|time:NAME@UNIT, input:Prompt-Länge (Tok), output:answer|trace info german.csv
3|write year-month-day|trace info day_first.csv --set 'workload.columns=time:t, input:in, output:out'
3|cut.csv:3: 1 cells, but the header has 3: the file is cut short|trace info cut.csv --set workload.format=stepcost
3|the file is cut short|validate good.ini --measured cut.json
3|is empty|validate good.ini --measured empty.json
0|0.00571 requests/s is very few: the time is probably in ms|trace info slow.csv --set 'workload.columns=time:t@s, input:in, output:out'
2|did you mean 'max_num_seqs'|run good.ini --set engine.max_num_seq=8
2|did you mean '--seeds'|compare good.ini --sedes 3
2|--seeds|compare good.ini --seeds many
2|'c'|compare good.ini --arms a,c
2|did you mean 'mean_ttft_ms'|compare good.ini --fail-if 'mean_ttft>5'
2|no metric 'speed'; metrics are|compare good.ini --fail-if 'speed>5'
2|{ttft,tpot,itl,e2el}_{mean,|capacity good.ini --slo ttft=500
2|--slo|capacity good.ini
3|negative.csv:3|trace info negative.csv
2|No such file|validate good.ini --measured none.csv
3|word.csv:2|validate good.ini --measured word.csv
3|nothing.csv:1|validate good.ini --measured nothing.csv
3|cut.json:1|validate good.ini --measured cut.json
3|empty.csv|validate good.ini --measured empty.csv
2|--measured|validate good.ini
2|speed is no knob of smooth_roofline|fit good.ini --measured good.csv --knobs speed
2|that can be fitted; there are: |fit good.ini --measured good.csv --knobs host_us
3|steps.csv:2|eval good.ini --steps steps.csv
3|points.csv:2|kernel good.ini --points points.csv
2|h100-sxm.vllm|kernel good.ini --against h100-sxm.vlm-0.24
2|num_requests|sweep good.ini --axis workload.num_request=1,2 --store s.db
2|--axis|sweep good.ini --store s.db
2|--lang|plugins new x --lang java
2|no_such|plugins describe no_such
2|run|help runn
2|folder|run good.ini --output folder
2|good.ini|run good.ini --output good.ini
3|cut.json|model show ./cut.json
2|none.txt: No such file|import vllm none.txt
3|good.csv|import vllm good.csv
2|no [slo] says which request is good; add one, as in --set slo.ttft_ms=500|capacity good.ini --slo goodput=0.95
2|no [slo] says which request is good|sweep good.ini --axis workload.request_rate=1,2 --capacity goodput=0.95 --store s.db
2|no [slo] says which request is good|recommend good.ini --gpus 2 --slo goodput=0.95
2|--slo p99_ttft_ms=50: p99_ttft_ms has a bound already|capacity good.ini --slo ttft_p99_ms=500,p99_ttft_ms=50
2|--rate 0: not requests/s above 0|capacity good.ini --slo ttft_p99_ms=500 --rate 0
2|come at once, so it tells no rate; give a longer trace|capacity timed_sound.ini --arms a --slo ttft_p99_ms=5000
2|[failures] mtbf_hours: replicas died 500000 times|run good.ini --arms b --set failures.mtbf_hours=1e-12
2|--rate trace: good.ini has no [workload] trace|capacity good.ini --slo ttft_p99_ms=500 --rate trace
2|--rate 0|recommend good.ini --gpus 2 --slo ttft_p99_ms=500 --rate 0
2|--axis workload.request_rate = x: not a number|sweep good.ini --axis workload.request_rate=1,2,x --store s.db
2|--axis engine.routing = rr: not one of|sweep good.ini --axis engine.routing=round_robin,rr --store s.db
2|--axis cost_model:a.ew = y: not a number|sweep good.ini --axis cost_model:a.ew=0.7,y --store s.db
2|vllm-0.24 stands for 0.20 to 0.25|run good.ini --set engine.preset=vllm-0.20
2|vllm-0.15 stands for up to 0.19|run good.ini --set engine.preset=vllm-0.11
2|sglang-0.5.6 stands for up to 0.5.8|run good.ini --set engine.preset=sglang-0.5.4
0|the name of column 'when_s' says s, and @ms was asked for|run when.ini
3|a measured run is a result of a benchmark program (JSON or YAML), or a CSV file|validate good.ini --measured good.ini
3|not CSV: a quote|trace info run.json --set workload.format=azure
2|it has point, workload.request_rate, arm|sweep pareto of.db --x foo --y mean_ttft_ms
2|(did you mean 'mean_ttft_ms'?)|sweep show of.db --sort mean_ttft
2|a value expected at the end of: p99_ttft_ms <|sweep show of.db --where 'p99_ttft_ms <'
4|calls itself 'const_step': rename the file to const_step.so|run one.ini --set cost_model:a.plugin=./old.so
2|workload: prompt_groups has no effect with shared_prefix_tokens = 0|run good.ini --set workload.prompt_groups=4
2|kv_transfer_bandwidth_gbs has no effect with prefill_replicas = 0|run good.ini --set engine.kv_transfer_bandwidth_gbs=30
2|pd_fixed_us has no effect with prefill_replicas = 0|eval good.ini --steps s.csv --set engine.pd_fixed_us=30
2|expert_bits has no effect with num_experts = 0|run good.ini --set model.expert_bits=4
2|pue has no effect with usd_per_kwh = 0|run good.ini --set hardware.pue=1.2
2|power_q has no effect with power_limit_w = 0 and power_c = 0|run good.ini --set cost_model:a.hardware.power_q=2
2|sliding_window has no effect with layer_types = full_attention|run good.ini --set model.sliding_window=64
2|router_ttl_secs has no effect with use_kv_events = true|run good.ini --set engine.replicas=2 --set engine.routing=kv --set router.router_ttl_secs=9
2|eviction_policy has no effect with kv_offloading_size = 0 and cpu_bytes_to_use = 0|eval offload.ini --steps s.csv --arms a --set engine.kv_offloading_size=0 --set engine.eviction_policy=arc
2|path = /nosuch: No such file or directory|run good.ini --set tables.path=/nosuch
2|path: ./good.ini is no folder; path is the folder that has the sets|run good.ini --set tables.path=./good.ini --set tables.set=x
2|a comment begins with ';'|run comment.ini
2|a comment begins with ';'|run comment2.ini
0|config = llama-3.1-8b is not used: the run is of Qwen/Qwen3-8B|validate good.ini --measured run.json
0|--set model.config=llama-3.1-70b is simulated, not the model of the run, Qwen/Qwen3-8B|validate good.ini --measured run.json --set model.config=llama-3.1-70b --set engine.tensor_parallel_size=4
0|without lengths and arrivals of requests (input_lens, output_lens and start_times)|validate good.ini --measured run.json
2|needs power_a, power_b or power_c above 0|run good.ini --set hardware.power_limit_w=50
3|empty.csv:1: is empty: nothing was written to it|trace info empty.csv
2|(the model has values that are the keys)|run good.ini --set model.v_proj=false
2|too few data: 1 run;|fit one.ini --measured good.csv --knobs ew,ec
2|--x and --y are both mean_ttft_ms: a front is of two figures|sweep pareto of.db --x mean_ttft_ms --y mean_ttft_ms
2|equal is written ==|sweep show of.db --where arm=1
2|no measured row has that id; ids are: run.json:1|validate good.ini --measured run.json --explain 7
2|ew starts at 2, outside of its bounds [|fit one.ini --measured good.csv --knobs ew=2
2|with LOW below HIGH|fit one.ini --measured good.csv --knobs ew:0.9..0.5
2|too few data: 1 run; a refit cannot be checked on another one|fit one.ini --measured good.csv --knobs ew
2|has the sources of several plugins; name one with a folder of its own|plugins new x1 --like field
4|not a shared object; make in the plugin's folder builds one|run one.ini --set cost_model:a.plugin=./text.so
3|good.csv: is no bundle (a ustar archive), as stepcost bundle OUT|bundle show good.csv
2|not a number in [0, 1e+18] GiB; write the number alone|run good.ini --set hardware.memory_gib=80GiB
1|raise engine.max_model_len|run good.ini --arms b --set engine.max_model_len=50
2|(did you mean 'draft_model_config'?)|run good.ini --set engine.draft_model=x
2|not SECTION.KEY=VALUES, as in workload.request_rate=1,2|sweep good.ini --axis workload.request_rate --store x1.db
2|--fix foo: not SECTION.KEY, as in engine.max_num_seqs|recommend good.ini --gpus 1 --slo ttft_p99_ms=500 --fix foo
X
# Answers on standard output.
while IFS='|' read -r code want command; do
	[ -n "$command" ] || continue
	said() {
		eval "\"$host\" $command" >out 2>err </dev/null; got=$?
		cat out err; [ $got -eq "$code" ] && grep -qF -- "$want" out
	}
	t "$command" said
done <<'X'
0|model.quantization|help fp8
0|engine.tensor_parallel_size|help tp
0|engine.num_speculative_tokens|help speculative
0|engine.synthetic_acceptance_rates|help acceptance
0|engine.synthetic_acceptance_rates|help acceptance_rate
0|two, a failed: |capacity one.ini --quiet --slo ttft_p99_ms=500 --try one:engine.tensor_parallel_size=1 --try two:model.config=llama-3.1-405b
0|predicts mean TTFT|run good.ini --set engine.replicas=2 --set engine.routing=kv --set router.router_ttl_secs=9 --set cost_model:b.router.use_kv_events=false
0|predicts mean TTFT|run offload.ini
0|total_us|eval offload.ini --steps s.csv --arms a
0|b: |recommend good.ini --quiet --arms b --gpus 1 --budget 3 --one-draw --slo ttft_p99_ms=500 --set engine.kv_transfer_bandwidth_gbs=30
1|No configuration that was tried meets the bounds; --budget left|recommend good.ini --quiet --arms b --gpus 1 --rate 100000 --slo ttft_p99_ms=5 --one-draw --budget 1
1|operators: no configuration is possible: |recommend --quiet --model llama-3.1-405b --hardware l4 --gpus 2 --slo ttft_p99_ms=500 --input-tokens 500 --output-tokens 50
X
noted() { "$host" capacity good.ini --slo ttft_p99_ms=500 --try one:workload.num_requests=20 --set engine.pd_fixed_us=30 --one-draw 2>&1 >out |
	grep -F 'one: engine: pd_fixed_us has no effect with prefill_replicas = 0'; }
t 'a candidate of --try is named in a note' noted
t 'there are at least forty' test $n -ge 40
power=$(without_power)
closed() { # a folder that may not be read
	$power "$host" run closed/f >out 2>err; got=$?; cat out err; [ $got -eq 2 ] && grep -q 'closed/f.*ermission' err
}
if [ -n "$power" ]; then t 'a folder that may not be read' closed; else skip 'a folder that may not be read' 'no other rights'; fi
closed_data() { # of several, one that may not be read
	mkdir -p data/etc/models; chmod 711 data data/etc; chmod 600 data/etc/models
	$power env STEPCOST_DATA_PATH="$PWD/data:$STEPCOST_DATA_PATH" "$host" run good.ini --set model.config=nobody >out 2>err; got=$?; cat out err
	chmod 700 data/etc/models
	[ $got -eq 2 ] && grep -q 'known: .*llama-3.1-8b.*; no permission to read .*data/etc/models' err
}
if [ -n "$power" ]; then t 'a folder of models that may not be read' closed_data; else skip 'a folder of models that may not be read' 'no other rights'; fi
chmod 700 closed
tap_done
