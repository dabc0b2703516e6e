#!/bin/sh
# Schedulers of other engines: how they are chosen, which keys each of them
# reads, and that results say how far they were checked.
. "${top_srcdir:-.}/t/lib/tap.sh"
: "${STEPCOST_DATA_PATH:=$top_srcdir}"; export STEPCOST_DATA_PATH
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:a]
plugin = const_step
[cost_model:b]
plugin = const_step
[workload]
num_requests = 20
request_rate = 10
input_tokens = constant:100
output_tokens = constant:5
X
runs() { "$host" compare c.ini "$@" >out 2>err; got=$?; cat out err; [ $got -eq 0 ]; }
says() { want=$1; shift; runs "$@" --all && cat out err | tr -s ' \n' ' ' | grep -qF -- "$want"; }
refused() {
	want=$1; shift
	"$host" compare c.ini "$@" >out 2>err; got=$?
	cat err; [ $got -eq 2 ] && grep -qF -- "$want" err
}
t 'a scheduler is a preset' says 'engine sglang, but chunked_prefill_size = 8192' --set engine.scheduler=sglang
t 'also one of two versions' says 'engine sglang-0.5.6, but chunked_prefill_size = 8192' --set engine.preset=sglang-0.5.6
t 'and the preset that scheduler' says 'tensorrt_llm (its KV cache read, not run)' --set engine.preset=tensorrt_llm
t 'each result says how far to trust it' says 'its schedulers were run and compared; its KV cache and its loop come from its source' --set engine.scheduler=tensorrt_llm
t 'also as JSON' says '"scheduler_rules": "its KV cache read, not run"' --set engine.scheduler=tensorrt_llm --format json
verified() { ! runs --set engine.scheduler="$1" --format json | grep -e scheduler_rules -e "run and compared"; }
for s in vllm sglang; do t "not for $s" verified $s; done
t 'TensorRT-LLM of another KV cache manager' says 'by the rules of the first KV cache manager' --set engine.preset=tensorrt_llm
quiet() { runs "$@" && ! grep -q 'KV cache manager;' err; }
t 'that is not said of a release without it' quiet --set engine.preset=tensorrt_llm-1.2
t 'nor where the first is asked for' quiet --set engine.preset=tensorrt_llm --set engine.use_kv_cache_manager_v2=false
t 'the other one' says 'its second KV cache manager and the scheduler of that come from its source' --set engine.preset=tensorrt_llm --set engine.use_kv_cache_manager_v2=true --set engine.num_gpu_blocks=5000
t 'needs a number of places' refused 'a KV cache without num_gpu_blocks' --set engine.preset=tensorrt_llm --set engine.use_kv_cache_manager_v2=true --set engine.num_gpu_blocks=unlimited
t 'a release takes it for latent attention' says 'its second KV cache manager' --set engine.preset=tensorrt_llm-1.3 --set model.config=deepseek-v2-lite --set engine.num_gpu_blocks=5000
t 'and not for others' says 'by the rules of the first KV cache manager' --set engine.preset=tensorrt_llm-1.3
t 'an arm has a scheduler of its own' says '"scheduler_rules": "its KV cache read, not run"' --set cost_model:b.engine.scheduler=tensorrt_llm --format json
t 'beside a preset of the others' runs --set engine.preset=vllm-0.24 --set cost_model:b.engine.scheduler=tensorrt_llm
t 'and keys of the others' runs --set engine.max_num_seqs=5 --set cost_model:b.engine.scheduler=sglang
t 'both in one place contradict each other' refused 'contradicts preset' --set engine.preset=vllm-0.24 --set engine.scheduler=sglang
t 'keys of vLLM are refused' refused 'max_num_seqs is a key of scheduler = vllm, not of sglang' --set engine.scheduler=sglang --set engine.max_num_seqs=5
t 'keys of SGLang need it' refused 'page_size is a key of scheduler = sglang, not of vllm' --set engine.page_size=16
t 'the key of this one is named' refused "not of sglang (did you mean 'max_running_requests'?)" --set engine.scheduler=sglang --set engine.max_num_seqs=5
t 'also the other way round' refused "not of vllm (did you mean 'max_num_batched_tokens'?)" --set engine.max_num_tokens=5
without() { refused 'not of sglang' "$@" && ! grep 'did you mean' err; }
t 'where there is one' without --set engine.scheduler=sglang --set engine.disable_hybrid_kv_cache_manager=true
interval() { # NUMBER OF WARNINGS, OPTION...
	want=$1; shift
	runs --arms a --set engine.preset=vllm-0.24 --set engine.prefill_schedule_interval=4 "$@" && [ "$(grep -c 'prefill_schedule_interval has no effect' err)" = "$want" ]
}
t 'an interval that defers nothing' refused 'prefill_schedule_interval has no effect with data_parallel_size = 1' --set engine.preset=vllm-0.24 \
	--set engine.prefill_schedule_interval=4
t 'where ranks step together it does' interval 0 --set model.config=qwen3-30b-a3b --set engine.data_parallel_size=2 --set engine.num_gpu_blocks=5000
t 'chunks are whole pages' refused 'not a multiple of page_size' --set engine.scheduler=sglang --set engine.page_size=16 --set engine.chunked_prefill_size=40
t 'a prompt that must go whole' sh -c '"$1" compare c.ini --set engine.scheduler=tensorrt_llm --set engine.max_num_tokens=50 2>&1 | grep -q "with a prompt longer than max_num_tokens"' sh "$host"
t 'there are priorities' runs --set engine.scheduler=sglang --set engine.enable_priority_scheduling=true --set engine.priority_scheduling_preemption_threshold=2
t 'not in 0.5.6' refused 'enable_priority_scheduling is' --set engine.preset=sglang-0.5.6 --set engine.enable_priority_scheduling=true
t 'KV of SGLang' says '"num_gpu_blocks"' --set engine.scheduler=sglang --format json
drafts() { refused "under scheduler = $1 drafts are simulated in [engine:decode] alone" --set engine.scheduler="$1" \
	--set engine.num_speculative_tokens=2 --set engine.synthetic_acceptance_length=2; }
for s in sglang tensorrt_llm; do t "$s does not draft here" drafts $s; done

# ---- what cost models are told of it -----------------------------------------
printf 'step,decode,prefill\n0,500x17,\n' >steps.csv
cat >kernels.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h200-sxm
[tables]
set = auto
[cost_model]
plugin = operators
X
priced() { "$host" eval kernels.ini --steps steps.csv --quiet "$@" | cut -d, -f3; }
own_kernels() { # SCHEDULER ENGINE
	priced --set engine.scheduler="$1" --set cost_model.engine=auto >auto
	priced --set engine.scheduler="$1" --set cost_model.engine="$2" >own
	cat auto own; cmp auto own && ! priced --set cost_model.engine=vllm | cmp -s - own
}
t 'SGLang runs its own kernels' own_kernels sglang sglang
t 'TensorRT-LLM runs its own kernels' own_kernels tensorrt_llm trtllm
divided() { # SCHEDULER: its micro-batches are the cost model's, as without a preset
	priced --set engine.scheduler="$1" --set cost_model.pipeline=divide --set engine.pipeline_parallel_size=2 >divided
	priced --set engine.scheduler="$1" --set engine.pipeline_parallel_size=2 >auto
	cat auto divided; [ -s auto ] && cmp auto divided
}
for s in sglang tensorrt_llm; do t "$s passes a pipeline as one" divided $s; done
tap_done
