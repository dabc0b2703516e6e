#!/bin/sh
# Prices that are faster than the hardware: warnings, counts in results,
# --strict=floor; and a sample of what tools/floor.py looks for.
. "${top_srcdir:-.}/t/lib/tap.sh"
top=$(cd "$top_srcdir" && pwd) host=$(cd "$top_builddir" && pwd)/stepcost
PATH=${host%/*}:$PATH
cd "$tap_tmp" || exit 1

# Of the plugins named, for a Llama of 8 billion parameters in FP8.
config() { # GPU PLUGIN...
	printf '[model]\nconfig = llama-3.1-8b-fp8\n[hardware]\nconfig = %s\n' "$1"
	printf '[engine]\npreset = vllm-0.24\nkv_cache_dtype = fp8\n'
	printf '[tables]\nset = auto\n[workload]\nnum_requests = 20\nrequest_rate = 5\ninput_tokens = 500\noutput_tokens = 50\n'
	shift
	for plugin; do
		printf '[cost_model:%s]\nplugin = %s\n' "$plugin" "$plugin"
	done
}
says() { # CODE TEXT COMMAND...
	code=$1 text=$2
	shift 2
	"$@" >out 2>err
	test $? = "$code" && grep -qF "$text" out err
}
silent() { "$@" >out 2>err && ! grep -q 'faster than the hardware' err; }

config rtxpro6000 operators >c.ini
printf 'step,decode,prefill\na,1048576,\nb,64,\n' >s.csv
t 'reading a long KV cache takes no less than the memory needs' \
	silent "$host" eval c.ini --steps s.csv --strict=floor
printf 'op,dtype,m,n,k\ngemm,fp8_block,1,100000,8192\n' >k.csv
t 'nor do the weights of a GEMM' \
	silent "$host" kernel c.ini --points k.csv --strict=floor
sed -i 's/llama-3.1-8b-fp8/minimax-m2.5/; s/rtxpro6000/l40s/; /kv_cache/d' c.ini
t 'of experts, too' silent "$host" eval c.ini --steps s.csv --strict=floor

# One layer's KV cache fits the second-level cache of an L40S, all layers' does not.
sed -i 's/minimax-m2.5/qwen3-coder-480b-a35b/; s/^kv_cache.*//; s/^preset.*/&\ntensor_parallel_size = 8\nmemory_check = off/' c.ini
printf 'step,decode,prefill\na,131072,\n' >s8.csv
t 'decodes measured with their KV cache at hand, too' silent "$host" eval c.ini --steps s8.csv --strict=floor

# A published rule that keeps to the hardware here, and a constant that cannot.
config h100-sxm roofline_v1 >c.ini
printf '[cost_model:const_step]\nplugin = const_step\nbase_us = 1000\n' >>c.ini
t 'a step that is faster is a warning with both figures' says 0 \
	'const_step: 2 of 2 steps are faster than the hardware; the worst is step a: step 1 ms, but reading the weights and the KV cache takes 22.9 ms' \
	"$host" eval c.ini --steps s.csv
t 'and a column' says 0 ',step' "$host" eval c.ini --steps s.csv --format csv
t 'an error if that is asked for' says 3 \
	'step a: faster than the hardware: step 1 ms' \
	"$host" eval c.ini --steps s.csv --arms const_step --strict=floor
t 'which leaves lookups alone' says 0 a,roofline_v1 \
	"$host" eval c.ini --steps s.csv --arms roofline_v1 --strict=floor

run() { "$host" run c.ini --arms const_step "$@"; }
count() { sed -n 's/.*"faster_than_hardware": \([0-9]*\).*/\1/p' out; }
steps() { sed -n 's/.*"num_steps": \([0-9]*\).*/\1/p' out; }
counted() { run --format json >out 2>err && test "$(count)" = "$(steps)"; }
t 'a run counts its steps' counted
t 'and names the worst' says 0 '"part": "step"' run --format json
t 'in words' says 0 'steps are faster than the hardware; the worst is step' run
t 'in the table of all figures' says 0 'faster_than_hardware' run --all
none() {
	"$host" run c.ini --arms roofline_v1 --format json >out 2>err &&
		test "$(count)" = 0 && grep -q '"furthest_below_hardware": null' out
}
t 'none is none' none
t 'a run ends at the first if that is asked for' says 3 \
	'const_step: faster than the hardware: step' run --strict=floor

t 'models, GPUs, ranks, plugins: a sample' \
	env PATH="$PATH" python3 "$top/tools/floor.py" --sample
tap_done
