#!/bin/sh
# Whatever it is given, a reader ends soon and says the fault: pipes, devices and
# sockets, lists of a million members, numbers beyond all use.
. "${top_srcdir:-.}/t/lib/tap.sh"
if ! command -v python3 >/dev/null; then echo '1..0 # SKIP no python3'; exit 0; fi
host=$(cd "$top_builddir" && pwd)/stepcost
include=$(cd "$top_srcdir" && pwd)/include
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$(cd "$top_srcdir" && pwd)}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1

# CODE WANT COMMAND...: ends within 20 s of processor time, with that
ends() {
	code=$1 want=$2; shift 2
	(ulimit -t 20; timeout 300 "$@" >out 2>&1 </dev/null); got=$?
	echo "exit code $got"; head -c 2000 out
	[ $got -eq "$code" ] && grep -qF -- "$want" out
}

# configuration TRACE SOURCE...: what the reader of a file is pointed at
config() {
	cat >c.ini <<X
[model]
config = ${model:-llama-3.1-8b}
[hardware]
config = ${hardware:-h100-sxm}
[cost_model:a]
plugin = const_step
[workload]
X
	printf '%s\n' "$@" >>c.ini
}
tokens='input_tokens = 10
output_tokens = 2'

# ---- pipes, devices, sockets ----
mkfifo fifo
mkdir folder
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
cat >store.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:a]
plugin = const_step
[workload]
num_requests = 2
request_rate = 1
$tokens
X
"$host" sweep store.ini --axis workload.seed=1,2 --store sound.db >/dev/null 2>&1
for suffix in -journal -wal -shm .lock; do
	mkfifo sound.db$suffix
	for words in 'sweep show sound.db' 'sweep check sound.db' 'sweep merge to.db sound.db' \
		'sweep store.ini --axis workload.seed=1,2,3 --store sound.db'; do
		# shellcheck disable=SC2086 # words
		t "$words: sound.db$suffix is a pipe" ends 2 "sound.db$suffix: is not a regular file" "$host" $words
	done
	rm sound.db$suffix
done
points=$top_srcdir/bench_data/serving/points.csv
case $points in /*) ;; *) points=$OLDPWD/$points ;; esac
wish='--gpus 1 --slo ttft_p99_ms=500'
read_all() { # FILE IS
	file=$1 is=$2
	for words in 'run FILE' 'sweep show FILE' 'sweep check FILE' 'sweep plot FILE --x seed' \
		'sweep pareto FILE --x ttft_mean_ms --y tpot_mean_ms' 'sweep merge to.db sound.db FILE' \
		'sweep store.ini --axis workload.seed=1 --store FILE' 'sweep store.ini --points FILE --store new.db' \
		'trace info FILE' 'eval store.ini --steps FILE' 'validate store.ini --measured FILE' \
		'score store.ini --steps FILE' "validate store.ini --measured $points --aliases FILE" \
		"validate store.ini --measured $points --lengths FILE" 'experiment FILE' 'import vllm FILE' \
		"validate store.ini --measured $points --facts FILE" 'kernel store.ini --points FILE' \
		"recommend FILE $wish" "recommend store.ini $wish --points FILE" \
		'run store.ini --set hardware.prices=FILE' \
		'plugins check const_step --config FILE' 'capacity FILE --slo ttft_p99_ms=500'; do
		# shellcheck disable=SC2046 # words
		t "$words: $file" ends 2 "$file: $is" "$host" $(echo "$words" | sed "s#FILE#$file#")
	done
	config "trace = $file"; t "trace = $file" ends 2 "$file: $is" "$host" run c.ini
	config 'num_requests = 2' 'request_rate = 1' "input_tokens = empirical:$file" 'output_tokens = 2'
	t "empirical:$file" ends 2 "$file: $is" "$host" run c.ini
}
read_all ./fifo 'is a pipe'
read_all /dev/zero 'is a device'
read_all ./socket 'is a socket'
read_all ./folder 'Is a directory'
for file in ./fifo /dev/zero ./socket; do
	t "model show $file" ends 2 "$file" "$host" model show "$file"
	t "tables check $file" ends 2 "$file: is a" "$host" tables check "$file"
	t "tables check --path $file" ends 2 "--path $file: Not a directory" "$host" tables check --path "$file"
	t "tables list --path $file" ends 2 "--path $file: Not a directory" "$host" tables list --path "$file"
	model=$file; config 'num_requests = 2' 'request_rate = 1' "$tokens"; model=
	t "[model] config = $file" ends 2 "$file: is a" "$host" run c.ini
	hardware=$file; config 'num_requests = 2' 'request_rate = 1' "$tokens"; hardware=
	t "[hardware] config = $file" ends 2 "$file: is a" "$host" run c.ini
	ln -s "$file" link.so
	t "plugins check of a link to $file" ends 2 './link.so: is a' "$host" plugins check ./link.so
	rm link.so
done
# ---- outputs: known to be none before anything is simulated ----
ln -s /dev/full full.svg
printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model:a]\nplugin = const_step\nbase_us = 0\nper_token_us = 0\n' >breaks.ini
for option in rows write-requests write-errors html plot output; do
	t "validate --$option in a folder that is not there" ends 2 'cannot write gone/x.svg: No such file' \
		"$host" validate breaks.ini --measured "$points" --$option gone/x.svg
	t "validate --$option: nobody reads the pipe" ends 2 'it is a pipe that no program reads' \
		sh -c 'ln -sf fifo fifo.svg; exec "$@"' - "$host" validate breaks.ini --measured "$points" --$option fifo.svg
done
t 'nothing was simulated: the plugin would have failed' sh -c '! grep total_us out'
t 'recommend --emit below a folder that is not there' ends 2 '--emit gone/x: No such file' "$host" recommend store.ini $wish --emit gone/x
t 'recommend --emit where a file is' ends 2 '--emit store.ini: Not a directory' "$host" recommend store.ini $wish --emit store.ini
t 'recommend --emit where nothing may be written' ends 2 '--emit ' "$host" recommend store.ini $wish --emit /proc/self
for option in html output; do
	t "recommend --$option: the disk is full" ends 2 'cannot write full.svg: No space left' "$host" recommend store.ini $wish --one-draw --serve aggregated --$option full.svg
done
head -c 20000000 /dev/zero | tr '\0' x >long.csv
config 'trace = long.csv'; t 'a line without an end' ends 3 'long.csv:1: a line of more than 16 MiB' "$host" run c.ini

t 'tables check of an empty folder' ends 2 './folder: no table and no set of tables' "$host" tables check ./folder
mkdir garbage && python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(1000))' >garbage/MANIFEST
cp garbage/MANIFEST folder/
printf 'dtype,m,n,k,latency_us\nbf16,1,64,64,1\n' >garbage/gemm.csv
t 'tables check of a folder with a garbage MANIFEST' ends 3 MANIFEST "$host" tables check ./garbage
printf 'm\372\021 = \001\200' >garbage/MANIFEST
t 'and of one that parses by chance' ends 3 'MANIFEST:1: the key is no text' "$host" tables check ./garbage
t 'and of nothing but the MANIFEST' ends 2 './folder: no table' "$host" tables check ./folder

# ---- numbers ----
t_run() { config "$3" "$4" "$5" "$6"; t "$3, $4" ends "$1" "$2" "$host" run c.ini; }
t_run 2 'c.ini:8: 1000000000000000 requests take 1.16e+04 days' 'num_requests = 1e15' 'request_rate = inf' "$tokens" ''
t_run 2 'c.ini:8: 1000000000000000 requests' 'num_requests = 1e15' 'concurrency = 5' "$tokens" 'turns = 7'
t_run 2 'prompts are shuffled' 'prompts = 1000000000' 'prompt_order = shuffled' "$tokens" 'request_rate = 1'
t_run 0 "" 'cv = 1e-300' 'arrival = gamma' "$tokens" 'request_rate = 1'
t_run 0 "" 'cv = 1e-300' 'arrival = weibull' "$tokens" 'request_rate = 1'
printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n5,10,2\n4700000000000000,10,2\n' >late.csv
t_run 3 './late.csv:4: arrives after 146 years' 'trace = ./late.csv' '' '' ''
printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n50000000,10,2\n' >slow.csv
t_run 3 './slow.csv:3: arrives after 146 years' 'trace = ./slow.csv' 'rate_scale = 1e-9' '' ''

# ---- lists of a million members ----
cat >lists.py <<'X'
import json, sys
n = 10**6
model = dict(model_type='qwen3_moe', architectures=['Qwen3MoeForCausalLM'], hidden_size=2048, num_hidden_layers=48,
             num_attention_heads=32, num_key_value_heads=4, head_dim=128, intermediate_size=6144,
             moe_intermediate_size=768, num_experts=128, num_experts_per_tok=8, vocab_size=151936,
             torch_dtype='bfloat16')
def quantized(**k): return {'quantization_config': k}
def packed(targets, ignore):
    weights = dict(num_bits=8, type='float', strategy='channel', symmetric=True, dynamic=False)
    return quantized(quant_method='compressed-tensors', format='float-quantized', ignore=ignore,
                     config_groups={'g': {'targets': targets, 'weights': weights, 'input_activations': None}})
def names(text, n=n): return [text % i for i in range(n)]
case = {
    'layer_types': lambda: dict(layer_types=['full_attention'] * n),
    'mlp_only_layers': lambda: dict(mlp_only_layers=list(range(n))),
    'layers': lambda: dict(num_hidden_layers=n, layer_types=['full_attention'] * n),
    'rope': lambda: dict(rope_scaling=dict(type='longrope', short_factor=[1.] * n, long_factor=[1.] * n)),
    'names': lambda: quantized(quant_method='fp8', modules_to_not_convert=names('model.layers.%d.mlp')),
    'components': lambda: quantized(quant_method='fp8', ignored_layers=names('x%d')),
    'globs': lambda: quantized(quant_method='modelopt', quant_algo='FP8', exclude_modules=names('*x%d*')),
    'expressions': lambda: packed(['Linear'], names('re:.*x%d')),
    'targets': lambda: packed(names('re:.*x%d'), []),
    'allowed': lambda: quantized(quant_method='fp8', modules_to_not_convert=names('re:.*x%d.*y.*z$', 1000)),
    'groups': lambda: quantized(quant_method='compressed-tensors', format='float-quantized',
                                config_groups={'g%d' % i: packed(['Linear'], [])['quantization_config']['config_groups']['g'] for i in range(n // 10)}),
    'deep': None,
}
made = case[sys.argv[1]]
print(json.dumps(model | made()) if made else '[' * n)
X
t_list() { # CODE WANT LIST
	mkdir -p m && python3 lists.py "$3" >m/config.json
	t "config.json: $3" ends "$1" "$2" "$host" model show m/config.json
}
t_list 0 parameters layer_types
t_list 0 parameters mlp_only_layers
t_list 3 'num_hidden_layers is above 10000' layers
t_list 0 parameters rope
t_list 0 parameters names
t_list 0 parameters components
t_list 2 'the 1001st pattern' globs
t_list 2 'the 1001st pattern' expressions
t_list 2 'the 1001st pattern' targets
t_list 0 parameters allowed
t_list 2 'more than 64 schemes' groups
t_list 3 'maximum parsing depth' deep

# ---- signals without a name ----
cat >sent.c <<'X'
#include <signal.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "stepcost/plugin.h"
static int32_t create(void **inst, const sc_setup *s, const void *k, sc_error *e) { (void)s; (void)k; (void)e; *inst = NULL; return SC_OK; }
static void destroy(void *inst) { (void)inst; }
/* The caller of the tests may ignore or block the signal; the library's own functions refuse to change that. */
static void as_usual(int sig) { static const long none[8]; syscall(SYS_rt_sigaction, sig, none, NULL, 8); syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, 8); }
static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *e) { (void)inst; (void)s; (void)e; (void)out; as_usual(SENT); syscall(SYS_kill, getpid(), SENT); return SC_OK; }
static const sc_plugin plugin = {.size = sizeof plugin, .abi_major = SC_ABI_MAJOR, .name = "sent", .version = "1", .summary = "s",
	.create = create, .destroy = destroy, .eval = eval};
SC_PLUGIN_DEFINE(plugin);
X
STEPCOST_PLUGIN_PATH=$tap_tmp; export STEPCOST_PLUGIN_PATH
sed 's/const_step/sent/' store.ini >sent.ini
if cc -shared -fPIC -I"$include" -DSENT='(SIGRTMIN + 3)' -o sent.so sent.c; then
	t 'a real-time signal' ends 4 'killed by SIGRTMIN+3' "$host" run sent.ini
	cc -shared -fPIC -I"$include" -DSENT=32 -o sent.so sent.c
	t 'a signal that the C library keeps' ends 4 'killed by signal 32' "$host" run sent.ini
fi
tap_done
