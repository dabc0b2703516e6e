#!/bin/sh
# recommend --emit: scripts that parse, with flags that the list of each engine has.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
list=$top_srcdir/etc/launch.csv
out=$tap_tmp/out
ask() { # ENGINE OPTION...
	engine=$1; shift
	"$host" recommend --model "${model:-llama-3.1-8b}" --hardware h100-sxm --gpus "${gpus:-2}" --slo ttft_p99_ms=500,tpot_mean_ms=50 \
		--input-tokens 500 --output-tokens uniform:50,100 --arms roofline_v1 --one-draw --quiet --engine "$engine" \
		--emit "$out" "$@"
}
# Runs a script with commands that print their words instead of serving.
mkdir "$tap_tmp/bin"
for p in vllm trtllm-serve python3; do printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$tap_tmp/bin/$p"; chmod +x "$tap_tmp/bin/$p"; done
words() { PATH=$tap_tmp/bin:$PATH MODEL=x sh "$1" --port 8001; }
# Each flag is in the list (python's -m, and --port, which the caller gave, are not).
known() { # ENGINE SCRIPT
	words "$2" >"$tap_tmp/words" || return 1
	sed -n 's/=.*//; /^--/p' "$tap_tmp/words" | grep -vx -e --port | while read -r flag; do
		plain=$(echo "$flag" | sed 's/^--no-/--/')
		awk -F, -v e="$1" -v f="$flag" -v g="$plain" '$1 == e && ($4 == f || $4 == g || $4 ~ " " f "$") { found = 1 } END { exit !found }' \
			"$list" || { echo "unknown to $1: $flag"; exit 1; }
	done
}
has() { words "$1" | tr '\n' ' ' | grep -qF -- "$2" || { words "$1"; return 1; }; }
one() { model=llama-3.1-8b ask "$@" --serve aggregated --fix engine.max_num_batched_tokens; }
t 'vLLM' one vllm-0.24 --set engine.kv_cache_dtype=fp8 --set engine.routing=random
t 'its flags are known' known vllm "$out/roofline_v1-serve.sh"
t 'the model by its public name' has "$out/roofline_v1-serve.sh" 'serve meta-llama/Llama-3.1-8B --tensor-parallel-size 1'
t 'the longest request' has "$out/roofline_v1-serve.sh" '--max-model-len 600'
t 'a key as configured' has "$out/roofline_v1-serve.sh" '--kv-cache-dtype fp8'
t 'more arguments are passed on' has "$out/roofline_v1-serve.sh" '--port 8001'
t 'how many to start' grep -q '^# Start 2 of these, each on 1 GPU of' "$out/roofline_v1-serve.sh"
t 'a key without a flag is named' grep -qx '# routing = random' "$out/roofline_v1-serve.sh"
t 'the client' has "$out/roofline_v1-bench.sh" '--random-input-len 500 --random-output-len 75'
t 'a ratio that it cannot have is said' grep -q '^# The client has one ratio' "$out/roofline_v1-bench.sh"
t 'the INI runs' "$host" run "$out/roofline_v1.ini" --arms roofline_v1
rm -rf "$out"
t 'prefill and decode apart' ask vllm-0.24 --serve disaggregated --fix engine.max_num_batched_tokens,engine.max_num_seqs
t 'flags of prefill' known vllm "$out/roofline_v1-prefill.sh"
t 'flags of decode' known vllm "$out/roofline_v1-decode.sh"
t 'a connector' has "$out/roofline_v1-decode.sh" '--kv-transfer-config {"kv_connector":"NixlConnector"'
t 'SGLang' one sglang
t 'its flags are known' known sglang "$out/roofline_v1-serve.sh"
t 'its own name of the context' has "$out/roofline_v1-serve.sh" '--context-length 601'
t 'TensorRT-LLM' one tensorrt_llm --set engine.kv_cache_dtype=fp8
t 'its flags are known' known tensorrt_llm "$out/roofline_v1-serve.sh"
t 'a key of a file is named' grep -q 'kv_cache_dtype = fp8: in the file of --config' "$out/roofline_v1-serve.sh"
# SGLang counts the GPUs of all data-parallel ranks together.
model=gpt-oss-20b t 'experts' ask sglang --set cost_model:roofline_v1.plugin=operators --search engine.tensor_parallel_size=1 --search engine.data_parallel_size=2 \
	--search engine.enable_expert_parallel=true --fix engine.max_running_requests,engine.chunked_prefill_size --serve aggregated
t 'their flags' has "$out/roofline_v1-serve.sh" '--tp-size 2 --pp-size 1 --dp-size 2 --enable-dp-attention --ep-size 2'
# The servers' own parsers take each word, and start the GPUs that the script says.
starts() { # GPUS ENGINE SCRIPT
	words "$3" >"$tap_tmp/words" || return 1
	tr '\n' '\0' <"$tap_tmp/words" | xargs -0 python3 "$top_srcdir/t/ref/launched.py" "$list" "$2" "$3" >"$tap_tmp/gpus" || return 1
	[ "$(cat "$tap_tmp/gpus")" = "$1" ] || { cat "$tap_tmp/gpus" "$3"; return 1; }
}
dense() { # ENGINE OPTION...
	engine=$1; shift
	rm -rf "$out"
	one "$engine" --search engine.tensor_parallel_size=1 --search engine.data_parallel_size=2 --search engine.replicas=1 \
		--set engine.num_gpu_blocks=auto --set workload.num_requests=1e2 "$@"
}
if command -v python3 >/dev/null; then
	for engine in vllm-0.24 sglang tensorrt_llm; do
		case $engine in vllm*) name=vllm ;; *) name=$engine ;; esac
		t "$engine: ranks of a dense model" dense $engine
		t "$engine: its parser takes the command, which starts 2 GPUs" starts 2 $name "$out/roofline_v1-serve.sh"
	done
fi
t 'the client has a whole number of requests' has "$out/roofline_v1-bench.sh" '--num-prompts 100'
# The emitted INI means the same in another folder.
elsewhere() {
	rm -rf "$out" "$tap_tmp/in" && mkdir -p "$tap_tmp/in/there" &&
		printf 'tokens\n300\n400\n' >"$tap_tmp/in/there/own lengths.csv" &&
		printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model:m]\nplugin = mfu_interp\n[tables]\npath = %s\nset = h100-sxm.infersim\n[workload]\nnum_requests = 50\nrequest_rate = 5\ninput_tokens = empirical:there/own lengths.csv\noutput_tokens = 20\n' \
			"$(realpath --relative-to="$tap_tmp/in" "$top_srcdir/bench_data")" >"$tap_tmp/in/c.ini" &&
		"$host" recommend "$tap_tmp/in/c.ini" --gpus 1 --slo ttft_p99_ms=500 --one-draw --quiet --emit "$out" &&
		"$host" run "$out/m.ini" --format csv >"$tap_tmp/1" && mkdir -p "$tap_tmp/far/away" && mv "$out/m.ini" "$tap_tmp/far/away" &&
		h=$(realpath "$host") && data=$(realpath "$STEPCOST_DATA_PATH") && plugins=$(realpath "$top_builddir/.libs") &&
		(cd / && STEPCOST_DATA_PATH=$data STEPCOST_PLUGIN_PATH=$plugins "$h" run "$tap_tmp/far/away/m.ini" --format csv) >"$tap_tmp/2" &&
		cmp "$tap_tmp/1" "$tap_tmp/2"
}
t 'an emitted INI has the same figures in another folder' elsewhere
# Nothing that an INI or a list names is run by the scripts.
hostile() { # a file of lengths with a command in its name
	(cd "$tap_tmp" && printf 'tokens\n5\n' >'x$(touch ran)`touch ran`"}; touch ran;.csv') &&
		(cd "$tap_tmp" && "$run_host" recommend --model llama-3.1-8b --hardware h100-sxm --gpus 1 --slo ttft_p99_ms=500 \
			--input-tokens 5 --output-tokens 'empirical:x$(touch ran)`touch ran`"}; touch ran;.csv' --arms roofline_v1 --one-draw \
			--quiet --emit hostile --fix engine.max_num_batched_tokens,engine.max_num_seqs &&
			! PATH=$tap_tmp/bin:$PATH sh hostile/roofline_v1-bench.sh && [ ! -e ran ])
}
case $host in /*) run_host=$host ;; *) run_host=$PWD/$host ;; esac
t 'a name in a script is no command' hostile
# Nor is one that no INI holds: it is refused before anything is simulated.
unheld() {
	echo '{"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 8, "vocab_size": 1000, "intermediate_size": 512}' \
		>"$tap_tmp/m ;x.json"
	(cd "$tap_tmp" && "$run_host" recommend --model './m ;x.json' --hardware h100-sxm --gpus 1 --slo ttft_p99_ms=500 --input-tokens 5 \
			--output-tokens 5 --arms roofline_v1 --emit unheld >said 2>err)
	[ $? -eq 2 ] && grep -q 'cannot hold this value; give it another' "$tap_tmp/err" && ! grep -q simulations "$tap_tmp/err" &&
		[ ! -s "$tap_tmp/said" ] && [ ! -e "$tap_tmp/unheld" ] || { cat "$tap_tmp/err"; return 1; }
}
t 'a path that no INI holds' unheld
own() { # LIST ROW MESSAGE: is refused in a list of one's own
	mkdir -p "$tap_tmp/own/etc" && { cat "$top_srcdir/etc/$1"; echo "$2"; } >"$tap_tmp/own/etc/$1" || return 1
	STEPCOST_DATA_PATH=$tap_tmp/own:${STEPCOST_DATA_PATH:-$top_srcdir} one vllm-0.24 >"$tap_tmp/said" 2>&1; code=$?
	cat "$tap_tmp/said"; rm -r "$tap_tmp/own"
	[ $code -eq 3 ] && grep -qF "$3" "$tap_tmp/said"
}
t 'nor is one in a list of flags' own launch.csv 'vllm,x,api_overhead_us,--x;touch ran,int,me' 'a flag has letters'
t 'nor anything that is no flag' own launch.csv 'vllm,x,api_overhead_us,,true,me' 'a flag begins with --'
t 'a list of names that cannot be read' own model-ids.csv 'x' 'fewer cells than the header'
# Servers that share a node: each has GPUs and a port of its own.
node() { # GPUS WANT: what the servers were started with
	cat >"$tap_tmp/bin/vllm" <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" != --port ] || port=$2; shift; done
echo "$CUDA_VISIBLE_DEVICES:$port:$VLLM_NIXL_SIDE_CHANNEL_PORT"
END
	printf '#!/bin/sh\necho "router $*"\n' >"$tap_tmp/bin/vllm-router"
	chmod +x "$tap_tmp/bin/vllm-router"
	GPUS=$1 PATH=$tap_tmp/bin:$PATH sh "$out/roofline_v1-node.sh" 2>"$tap_tmp/err" | sort >"$tap_tmp/started"
	[ "$(tr '\n' ' ' <"$tap_tmp/started")" = "$2 " ] || { cat "$tap_tmp/started" "$tap_tmp/err"; return 1; }
}
rm -rf "$out"
t 'two replicas' one vllm-0.24
t 'two on a node' node 8 '0:8000:5600 1:8001:5601'
t 'one, if the node has one GPU' node 1 0:8000:5600
t 'the rest is said' grep -q 'serve: 1 more on other nodes' "$tap_tmp/err"
t 'a server larger than the node' sh -c "! GPUS=0 sh '$out/roofline_v1-node.sh' 2>'$tap_tmp/err'"
t 'is not for other nodes' grep -q 'a server needs 1 GPUs, and this node has 0' "$tap_tmp/err"
rm -rf "$out"
t 'apart, once more' ask vllm-0.24 --serve disaggregated --fix engine.max_num_batched_tokens,engine.max_num_seqs
t 'with the router' node 8 '0:8000:5600 1:8001:5601 router --vllm-pd-disaggregation --policy round_robin --prefill http://127.0.0.1:8000 --decode http://127.0.0.1:8001 --host 0.0.0.0 --port 8002'
if python3 -c 'import yaml' 2>/dev/null; then
	rm -rf "$tap_tmp/vllm" && cp -r "$out" "$tap_tmp/vllm"
fi
rm -rf "$out"
gpus=3 t 'SGLang apart' ask sglang --serve disaggregated --search engine:prefill.replicas=2 --fix engine.max_running_requests,engine.chunked_prefill_size
t 'its role' has "$out/roofline_v1-prefill.sh" '--disaggregation-mode prefill'
t 'flags of decode' known sglang "$out/roofline_v1-decode.sh"
meets() { # each prefill server has a port of its own, which the router is told
	cat >"$tap_tmp/bin/python3" <<'END'
#!/bin/sh
echo "$CUDA_VISIBLE_DEVICES: $*" | sed 's/ --tp-size.*601//'
END
	PATH=$tap_tmp/bin:$PATH sh "$out/roofline_v1-node.sh" 2>"$tap_tmp/err" | sort >"$tap_tmp/started"
	rm "$tap_tmp/bin/python3"
	cat >"$tap_tmp/want" <<'END'
0: -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --disaggregation-mode prefill --port 8000 --disaggregation-bootstrap-port 8998
1: -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --disaggregation-mode prefill --port 8001 --disaggregation-bootstrap-port 8999
2: -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --disaggregation-mode decode --port 8002
: -m sglang_router.launch_router --pd-disaggregation --prefill http://127.0.0.1:8000 8998 --prefill http://127.0.0.1:8001 8999 --decode http://127.0.0.1:8002 --host 0.0.0.0 --port 8003
END
	diff "$tap_tmp/want" "$tap_tmp/started"
}
t 'its servers on a node, and their router' meets
yaml() { # FILE KINDS
	python3 -c 'import sys, yaml; print(*[(d or {}).get("kind") for d in yaml.safe_load_all(open(sys.argv[1]))])' "$1" >"$tap_tmp/kinds" &&
		[ "$(cat "$tap_tmp/kinds")" = "$2" ]
}
if python3 -c 'import yaml' 2>/dev/null; then
	t 'manifests that PyYAML reads' yaml "$tap_tmp/vllm/roofline_v1-kubernetes.yaml" \
		'Deployment Service Deployment Service Deployment Service'
	t 'values that it reads' yaml "$tap_tmp/vllm/roofline_v1-llm-d-values.yaml" None
	t 'pods with names, where a router has to tell them' yaml "$out/roofline_v1-kubernetes.yaml" \
		'StatefulSet Service StatefulSet Service Deployment Service'
fi
touch "$tap_tmp/file"
out=$tap_tmp/file
t 'a folder that is a file' sh -c "! '$host' recommend --model llama-3.1-8b --hardware h100-sxm --gpus 1 --slo ttft_p99_ms=500 \
	--input-tokens 5 --output-tokens 5 --emit '$out' 2>'$tap_tmp/log2' && grep -q 'Not a directory' '$tap_tmp/log2'"
ids() { # every shipped model has a public name
	for m in "$top_srcdir"/etc/models/*.ini; do
		grep -q "^$(basename "$m" .ini)," "$top_srcdir/etc/model-ids.csv" || { echo "no name of $m"; return 1; }
	done
}
t 'names of all models' ids
tap_done
