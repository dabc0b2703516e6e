#!/bin/sh
# One run, as each benchmark program would tell it: `validate` simulates the same.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
cd "$tap_tmp" || exit 1

cat >vllm.json <<'EOF'
{"model_id": "meta-llama/Llama-3.1-8B-Instruct", "max_concurrency": 4, "completed": 40,
 "total_input_tokens": 4000, "total_output_tokens": 800, "mean_ttft_ms": 50, "mean_tpot_ms": 8, "mean_e2el_ms": 202}
EOF
cat >sglang.jsonl <<'EOF'
{"request_rate": Infinity, "max_concurrency": 4, "completed": 40, "total_input_tokens": 4000, "total_output_tokens": 800, "mean_ttft_ms": 50, "mean_tpot_ms": 8, "mean_e2e_latency_ms": 202}
EOF
cat >guidellm.json <<'EOF'
{"benchmarks": [{"config": {"strategy": {"type_": "concurrent", "streams": 4}, "backend": {"model": "meta-llama/Llama-3.1-8B-Instruct"}},
 "metrics": {"request_totals": {"successful": 40, "errored": 0},
  "prompt_token_count": {"successful": {"mean": 100}}, "output_token_count": {"successful": {"mean": 20}},
  "time_to_first_token_ms": {"successful": {"mean": 50}}, "inter_token_latency_ms": {"successful": {"mean": 8}},
  "request_latency": {"successful": {"mean": 0.202}}}}]}
EOF
cat >aiperf.json <<'EOF'
{"input_config": {"endpoint": {"model_names": ["meta-llama/Llama-3.1-8B-Instruct"]}, "loadgen": {"concurrency": 4}},
 "request_count": {"unit": "requests", "avg": 40}, "input_sequence_length": {"unit": "tokens", "avg": 100},
 "output_sequence_length": {"unit": "tokens", "avg": 20}, "time_to_first_token": {"unit": "ms", "avg": 50},
 "inter_token_latency": {"unit": "us", "avg": 8000}, "request_latency": {"unit": "sec", "avg": 0.202}}
EOF
cat >report.yaml <<'EOF'
version: '0.2'
run: {uid: x}
scenario:
  load: {standardized: {tool: vllm-benchmark, concurrency: 4, rate_qps: null}}
  stack:
  - standardized: {kind: inference_engine, tool: other, role: replica, replicas: 1, model: {name: meta-llama/Llama-3.1-8B-Instruct}}
results:
  request_performance:
    aggregate:
      requests: {total: 40, input_length: {units: count, mean: 100}, output_length: {units: count, mean: 20}}
      latency:
        time_to_first_token: {units: s, mean: 0.05}
        time_per_output_token: {units: ms/token, mean: 8}
        request_latency: {units: s, mean: 0.202}
EOF
said() { # FILE: measured and predicted, without the name of the file
	"$host" validate quickstart --arms roofline_v1 --measured "$1" --quiet --format csv |
		sed "s/$1[:0-9]*//g; s|meta-llama/[^,]*||g" >"$1.csv" && [ -s "$1.csv" ]
}
same() { said "$1" && diff vllm.json.csv "$1.csv"; }
t 'vllm bench serve' said vllm.json
t 'all figures are there' grep -q '50.*8.*202' vllm.json.csv
for file in sglang.jsonl guidellm.json aiperf.json report.yaml; do
	t "$file" same "$file"
done

cat >fleet.yaml <<'EOF'
version: '0.2'
scenario:
  load: {standardized: {tool: vllm-benchmark, concurrency: 4}}
  stack:
  - standardized:
      {kind: inference_engine, role: replica, replicas: 3, model: {name: meta-llama/Llama-3.1-8B-Instruct},
       accelerator: {model: NVIDIA-H100-80GB-HBM3, count: 4, parallelism: {tp: 2, dp: 4, dp_local: 2}}}
results:
  request_performance:
    aggregate:
      requests: {total: 40, input_length: {units: count, mean: 100}, output_length: {units: count, mean: 20}}
      latency: {request_latency: {units: s, mean: 0.202}}
EOF
explained() { # TEXT...
	"$host" validate quickstart --arms roofline_v1 --measured fleet.yaml --explain "fleet.yaml:1" >explained || return 1
	for text; do grep -qF -- "$text" explained || { cat explained; return 1; }; done
}
t 'a report tells the fleet' explained --set\ engine.tensor_parallel_size=2 --set\ engine.data_parallel_size=4 \
	--set\ engine.replicas=3 --set\ hardware.config=h100-sxm
tap_done
