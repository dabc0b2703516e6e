#!/bin/sh
# import launch: what recommend --emit writes is imported to the same keys; forms
# of flags; gateways; all that has no counterpart is listed.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_DATA_PATH=$(cd "$top_srcdir" && pwd); export STEPCOST_DATA_PATH
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$PWD/$STEPCOST_PLUGIN_PATH ;; esac
cd "$tap_tmp" || exit 1

# ---- round trip ----
keys() { # INI: "key value" of [engine]
	sed -n '/^\[engine\]/,/^\[[^e]/p' "$1" | sed -n 's/ *;.*//; s/^\([a-z_]*\) = /\1 /p' |
		grep -vE '^(preset|scheduler|replicas|routing|prefill_replicas|memory_check) ' | sort
}
round_trip() { # ENGINE OPTION...
	engine=$1; shift
	rm -rf out
	"$host" recommend --model "${model:-llama-3.1-8b}" --hardware h100-sxm --gpus 2 --slo ttft_p99_ms=500,tpot_mean_ms=50 \
		--input-tokens 500 --output-tokens 60 --arms roofline_v1 --one-draw --quiet --engine "$engine" --serve aggregated \
		--emit out "$@" >/dev/null && "$host" import launch out/roofline_v1-serve.sh --gpu h100-sxm >again.ini || return 1
	# Keys that the script itself says it has no flag for.
	sed -n 's/^# \([a-z_]*\) = .*/\1/p' out/roofline_v1-serve.sh >unsaid
	keys out/roofline_v1.ini | grep -vwFf unsaid >want
	keys again.ini | grep -vE '^(pipeline_parallel_size|data_parallel_size) 1$' >got
	grep -vE '^(pipeline_parallel_size|data_parallel_size) 1$' want | diff - got && [ -s got ]
}
apart() { # both scripts of pools apart are imported to the keys that they came from
	rm -rf out
	"$host" recommend --model llama-3.1-8b --hardware h100-sxm --gpus 3 --slo ttft_p99_ms=500,tpot_mean_ms=50 --input-tokens 500 \
		--output-tokens 60 --arms roofline_v1 --one-draw --quiet --engine "$1" --serve disaggregated --emit out "$2" \
		--search engine:decode.replicas=1 --set workload.num_requests=50 >/dev/null &&
		"$host" import launch out/roofline_v1-prefill.sh out/roofline_v1-decode.sh --gpu h100-sxm >again.ini || return 1
	split out/roofline_v1.ini >want && split again.ini | diff want - && [ "$(grep -c . want)" = 2 ]
}
split() { # INI: section and tensor parallelism of each pool
	awk '/^\[/ { section = $1 } /^tensor_parallel_size/ && section ~ /engine:/ { print section, $3 }' "$1"
}
t 'prefill and decode apart, of SGLang' apart sglang --fix=engine.max_running_requests,engine.chunked_prefill_size
t 'its role is a section' sh -c "! grep -q disaggregation again.ini"
in_any_order() { # the flag tells the role
	"$host" import launch out/roofline_v1-decode.sh out/roofline_v1-prefill.sh --gpu h100-sxm | sort >order && sort again.ini | diff - order
}
t 'files in the other order' in_any_order
t 'two decode servers are refused' sh -c "'$host' import launch out/roofline_v1-decode.sh out/roofline_v1-decode.sh 2>&1 | grep -q 'two files start a prefill and a decode'"
t 'those of vLLM, by the order' apart vllm-0.24 --fix=engine.max_num_seqs,engine.max_num_batched_tokens
few='--search engine.data_parallel_size=1 --search engine.replicas=1'
# shellcheck disable=SC2086 # words
t 'vLLM' round_trip vllm-0.24 $few --search engine.tensor_parallel_size=2 --set engine.kv_cache_dtype=fp8 --set engine.enable_prefix_caching=false \
	--fix engine.max_num_seqs,engine.max_num_batched_tokens --set engine.max_num_seqs=77 --set engine.async_scheduling=true \
	--set engine.gpu_memory_utilization=0.85 --set engine.scheduling_policy=priority
# shellcheck disable=SC2086 # words
t 'SGLang' round_trip sglang $few --search engine.tensor_parallel_size=2 --set engine.disable_radix_cache=true --set engine.schedule_policy=lpm \
	--fix engine.max_running_requests,engine.chunked_prefill_size --set engine.max_running_requests=64
# shellcheck disable=SC2086 # words
t 'TensorRT-LLM' round_trip tensorrt_llm $few --search engine.tensor_parallel_size=2 --set engine.free_gpu_memory_fraction=0.7 \
	--fix engine.max_batch_size,engine.max_num_tokens --set engine.max_batch_size=99
model=gpt-oss-20b t 'experts of SGLang' round_trip sglang --set cost_model:roofline_v1.plugin=operators --search engine.tensor_parallel_size=1 \
	--search engine.data_parallel_size=2 --search engine.enable_expert_parallel=true --search engine.replicas=1 \
	--fix engine.max_running_requests,engine.chunked_prefill_size

# ---- forms ----
of() { "$host" import launch "$@" --gpu H100 >ini 2>notes; }
has() { for line; do grep -qxF -- "$line" short || { cat short notes; return 1; }; done; }
says() { of "$1" || { cat notes; return 1; }; sed 's/  *; .*//' ini >short; shift; has "$@"; }
cat >a.sh <<'EOF'
#!/bin/bash
# vllm serve other
export HF_HOME=/tmp
MODEL=meta-llama/Llama-3.1-8B-Instruct
A=1 exec nohup vllm serve "$MODEL" --tensor_parallel_size=2 -dp 2 \
  --max-model-len 32K --no-enable-prefix-caching --kv-cache-dtype 'fp8_e4m3' --quantization fp8 \
  --speculative-config '{"method": "eagle3", "num_speculative_tokens": 3, "model": "x"}' \
  --enforce-eager --trust-remote-code --scheduling-policy lifo --seed $SEED "$@" >log 2>&1 &
EOF
t 'a script of vLLM' says a.sh 'config = llama-3.1-8b' 'quantization = fp8' 'config = h100-sxm' 'tensor_parallel_size = 2' \
	'data_parallel_size = 2' 'max_model_len = 32768' 'enable_prefix_caching = false' 'kv_cache_dtype = fp8' \
	'speculative_method = eagle' 'num_speculative_tokens = 3' 'graph_max_tokens = 0'
t 'the rest is listed' has ';   --trust-remote-code' ';   --seed $SEED' ';   --speculative-config.model x' ';   A=1 (environment)' \
	';   HF_HOME=/tmp (environment)' ';   --scheduling-policy lifo: scheduling_policy = lifo: not one of fcfs|priority'
t 'and counted' grep -q 'without a counterpart, listed at the end: 6$' notes
sed -i 's/^synthetic_acceptance_length = .*//; s/^;? synthetic_acceptance_length = /synthetic_acceptance_length = 2/' ini
cp ini whole.ini
t 'the INI runs' "$host" run whole.ini --arms smooth_roofline --set workload.request_rate=1 --set workload.num_requests=5 \
	--set workload.input_tokens=100 --set workload.output_tokens=10
cat >b.yaml <<'EOF'
model: meta-llama/Llama-3.1-70B-Instruct
tensor-parallel-size: 4
max_num_seqs: 256
enable-prefix-caching: false
enforce-eager: false
kv-transfer-config: {kv_connector: NixlConnector}
EOF
t 'vllm serve --config' says b.yaml 'config = llama-3.1-70b' 'tensor_parallel_size = 4' 'max_num_seqs = 256' \
	'enable_prefix_caching = false' ';   kv-transfer-config.kv_connector NixlConnector'
printf 'vllm serve --config b.yaml --tensor-parallel-size 8\n' >c.sh
t 'a flag goes before the file that it names' says c.sh 'config = llama-3.1-70b' 'tensor_parallel_size = 8' 'max_num_seqs = 256'
echo 'python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 16 --dp 8 --enable-dp-attention --ep-size 16 --cuda-graph-bs 1 2' >d.sh
t 'ranks of SGLang' says d.sh 'config = deepseek-r1' 'preset = sglang' 'tensor_parallel_size = 2' 'data_parallel_size = 8' \
	'enable_expert_parallel = true' ';   --cuda-graph-bs 1 2'
printf 'enable_attention_dp: true\nkv_cache_config: {dtype: fp8, enable_block_reuse: false}\n' >extra.yaml
echo 'trtllm-serve serve nvidia/Llama-3.1-8B-Instruct-FP8 --tp_size 4 --extra_llm_api_options extra.yaml' >e.sh
t 'a file of TensorRT-LLM' says e.sh 'quantization = fp8' 'tensor_parallel_size = 1' 'data_parallel_size = 4' 'kv_cache_dtype = fp8' \
	'enable_block_reuse = false'
cat >gateway.yaml <<'EOF'
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- {name: own, type: prefix-cache-scorer, parameters: {maxPrefixBlocksToMatch: 99, mode: x}}
- type: queue-scorer
- type: max-score-picker
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: own, weight: 2.5}
  - {pluginRef: queue-scorer}
  - {pluginRef: max-score-picker}
EOF
t 'a gateway' says gateway.yaml 'routing = endpoint_picker' 'scorers = prefix-cache-scorer:2.5,queue-scorer:1' \
	'picker = max-score-picker' 'max_prefix_blocks_to_match = 99' ';   prefix-cache-scorer: mode = "x"' ';   plugin single-profile-handler'
sed -i '/^\[engine\]$/a routing = endpoint_picker' whole.ini && sed -n '/^\[router\]/,$p' ini >>whole.ini
t 'its sections serve' "$host" run whole.ini --arms smooth_roofline --set workload.request_rate=1 --set workload.num_requests=5 \
	--set workload.input_tokens=100 --set workload.output_tokens=10

# ---- refused ----
refused() { # TEXT FILE
	of "$2" && return 1
	grep -qF -- "$1" notes || { cat notes; return 1; }
}
echo 'ls -l' >no.sh; t 'no server' refused 'no.sh:1: has no command of a server: vllm serve' no.sh
printf 'x\nvllm serve "a\n' >cut.sh; t 'a quote' refused 'cut.sh:2: a quote does not end' cut.sh
printf 'kind: Deployment\n' >k.yaml; t 'another kind' refused 'k.yaml:1: kind: Deployment is neither a mapping' k.yaml
printf 'kind: EndpointPickerConfig\n' >g.yaml; t 'a gateway without plugins' refused 'needs plugins' g.yaml
printf 'a: [\n' >y.yaml; t 'broken YAML' refused 'y.yaml:2: not YAML' y.yaml
t 'another engine' sh -c "'$host' import launch b.yaml --engine x 2>&1 | grep -q 'engine x: vllm, sglang or tensorrt_llm'"
tap_done
