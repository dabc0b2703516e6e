#!/bin/sh
# Wrong input of every kind: the right exit code, one line on stderr that says
# where, nothing on stdout, and no file left behind.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$STEPCOST_PLUGIN_PATH:$top_builddir/t/so/.libs
cd "$tap_tmp" || exit 1

fresh() { # a sound configuration and sound files
	cat >c.ini <<-X
	[model]
	config = llama-3.1-8b
	[hardware]
	config = h100-sxm
	[engine]
	max_num_seqs = 8
	[tables]
	path = $top_srcdir/bench_data
	set = h100-sxm.infersim
	[cost_model]
	plugin = known_cost
	[workload]
	trace = t.csv
	format = stepcost
	X
	printf 'arrival_us,input_tokens,output_tokens\n0,10,2\n9,20,3\n' >t.csv
	printf 'step,decode,prefill\n0,64;128,0:512\n' >s.csv
	printf '%s\ngemm,fp8,8,4096,4096,,,,,,,,\n' "$points" >p.csv
}
points=op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,message_bytes

# CODE WHERE COMMAND...: WHERE is a pattern in the one line
refused() {
	code=$1 where=$2; shift 2; rm -f out.json*
	"$host" "$@" --output out.json >stdout 2>stderr </dev/null; got=$?
	cat stdout stderr; echo "exit $got"
	[ $got -eq "$code" ] && [ "$(wc -l <stderr)" -eq 1 ] &&
		grep -q -- "$where" stderr && [ ! -s stdout ] &&
		[ "$(echo out.json*)" = 'out.json*' ]
}
# SECTION 'KEY = VALUE': the line, put under its section, is refused and named.
# It replaces a line with the same key.
key() {
	name=${2%% *}
	sed -i "/^\[$1\]/,/^\[/{/^$name = /d}" c.ini
	sed -i "/^\[$1\]/a $2" c.ini
	n=$(grep -nFx -- "$2" c.ini); n=${n%%:*}
	t "[$1] $2" refused 2 "c.ini:$n: .*$name" run c.ini
	fresh
}
# The same through --set.
set_key() {
	t "--set $1" refused 2 "$2" run c.ini --set "$1"
}
# WHAT LINE TEXT...: a trace, LINE 0: no line is asked for
trace() {
	what=$1 n=$2; shift 2
	printf "$@" >t.csv
	at="t.csv:$n: "; [ "$n" -ne 0 ] || at=t.csv
	t "trace: $what" refused 3 "$at" run c.ini
	t "trace info: $what" refused 3 "$at" trace info t.csv --set workload.format=stepcost
}
steps() {
	what=$1 n=$2; shift 2
	printf "$@" >s.csv
	t "steps: $what" refused 3 "s.csv:$n: " eval c.ini --steps s.csv
}
point() {
	printf '%s\n%s\n' "$points" "$2" >p.csv
	t "point: $1" refused 3 'p.csv:2: ' kernel c.ini --points p.csv
}
# WHAT PATTERN CODE
json() {
	printf '%s' "$2" >config.json
	t "config.json: $1" refused "$4" "$3" model show ./config.json
	sed -i 's/^config = llama.*/config = config.json/' c.ini
	t "config.json in an INI: $1" refused "$4" "$3" run c.ini
	fresh
}
lfs='version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n'

fresh
t 'the sound configuration runs' "$host" run c.ini --output ok.json
t 'and prices steps' "$host" eval c.ini --steps s.csv --output ok.csv
rm -f ok.json ok.csv

for value in 0 -1 x 8x 1e9 1.5e0 8.5 nan 99999999999999999999 0x10 '8 8'; do
	key engine "max_num_seqs = $value"
done
for line in 'max_num_batched_tokens = 0' 'max_model_len = -1' 'long_prefill_token_threshold = x' \
	'block_size = 0' 'num_gpu_blocks = 0' 'num_gpu_blocks = many' 'gpu_memory_utilization = 1.1' \
	'gpu_memory_utilization = nan' 'enable_prefix_caching = yes' 'async_scheduling = 1' \
	'scheduling_policy = lifo' 'api_overhead_us = -1' 'api_overhead_us = inf' \
	'schedule_us = nan' 'graph_max_tokens = -1' 'replicas = 0' 'routing = best' \
	'tensor_parallel_size = 0' 'max_num_seq = 8'; do
	key engine "$line"
done
for line in 'num_hidden_layers = 0' 'hidden_size = -1' 'num_attention_heads = x' \
	'head_dim = -1' 'vocab_size = nan' 'layers = 3'; do
	key model "$line"
done
for line in 'peak_tflops = nan' 'memory_bandwidth_tbs = -3' 'memory_gib = x' 'peak = 3'; do
	key hardware "$line"
done
for line in 'base_us = x' 'base_us = -1' 'base_us = nan' 'base_us = 1e400' 'bse_us = 1'; do
	key cost_model "$line"
done
for line in 'format = azur' 'rate_scale = 0' 'rate_scale = nan' 'fmt = auto' 'trace = .'; do
	key workload "$line"
done

sed -i 's/^trace = .*/num_requests = 10\narrival = poisson\nrequest_rate = 8\ninput_tokens = constant:100\noutput_tokens = constant:10/; /^format/d' c.ini
cp c.ini generated.ini
for line in 'num_requests = 0' 'num_requests = -1' 'num_requests = 1.5' 'arrival = poison' \
	'request_rate = 0' 'request_rate = nan' 'input_tokens = constant:0' 'input_tokens = constant:2147483648' \
	'input_tokens = constant' 'input_tokens = normal:10,-1' 'input_tokens = uniform:9,3' \
	'input_tokens = lognormal:mean=10,p50=20' 'input_tokens = zipf:3' 'output_tokens = constant:x' \
	'seed = -1' 'prompts = x' 'turns = 0' 'think_time_s = -1' 'concurrency = 0' 'stages = 8:'; do
	key workload "$line"
	cp generated.ini c.ini
done
fresh

# WHAT PATTERN SED: other ways to get an INI wrong
while IFS='|' read -r what where script; do
	sed -i "$script" c.ini
	t "INI: $what" refused 2 "$where" run c.ini
	fresh
done <<'X'
unknown section|c.ini:5: .*engine|s/^\[engine\]/[engin]/
a key given twice|c.ini:7: .*max_num_seqs|s/^max_num_seqs.*/&\nmax_num_seqs = 9/
an arm given twice|c.ini:12: .*known_cost|s/^\[workload\]/[cost_model:known_cost]\nplugin = known_cost\n&/
a bad arm name|c.ini:10: |s/^\[cost_model\]/[cost_model:Bad Name]/
no plugin|c.ini:10: .*plugin|s/^plugin.*//
unknown plugin|c.ini:11: .*nope|s/^plugin.*/plugin = nope/
a plugin outside the path|c.ini:11: |s/^plugin.*/plugin = ..\/known_cost/
unknown preset|c.ini:12: .*nope|s/^plugin.*/&\npreset = nope/
unknown model|c.ini:2: .*llama-9|s/llama-3.1-8b/llama-9/
unknown GPU|c.ini:4: .*h900|s/h100-sxm$/h900/
no equals sign|c.ini:6: |s/^max_num_seqs = 8/max_num_seqs 8/
an open section|c.ini:5: |s/^\[engine\]/[engine/
a missing trace|none.csv|s/t\.csv/none.csv/
X
for what in 'a git-LFS pointer' 'nothing'; do
	: >c.ini; [ "$what" = nothing ] || printf "$lfs" >c.ini
	t "INI: $what" refused 2 c.ini run c.ini
done
printf '[engine]\nmax_num_seqs = %05000d8x\n' 8 >c.ini
t 'INI: a line of 5,000 characters' refused 2 'c.ini:2: ' run c.ini
fresh
t 'INI: no such file' refused 2 none.ini run none.ini
mkdir d; t 'INI: a folder' refused 2 d run d

set_key engine.max_num_seqs=0 max_num_seqs
set_key engine.max_num_seq=3 max_num_seqs
set_key engin.max_num_seqs=3 engin
set_key engine.max_num_seqs max_num_seqs
set_key cost_model.base_us=nan base_us
set_key cost_model:nope.base_us=1 nope
set_key workload.format=foo format
set_key =3 set
t 'an unknown option' refused 2 -- run c.ini --nope
t 'an unknown output format' refused 2 xml run c.ini --format xml
t 'an unknown arm' refused 2 nope run c.ini --arms nope
t 'no steps file' refused 2 none.csv eval c.ini --steps none.csv
t 'no points file' refused 2 none.csv kernel c.ini --points none.csv
t 'a folder that is not there' refused 2 nodir run c.ini --write-steps nodir/x.csv

h='arrival_us,input_tokens,output_tokens\n'
trace 'nothing' 0 ''
trace 'a header alone' 0 "$h"
trace 'a git-LFS pointer' 0 "$lfs"
trace 'NaN' 2 "${h}0,nan,2\n"
trace 'a negative number' 2 "${h}0,-5,2\n"
trace 'no input' 2 "${h}0,0,2\n"
trace 'no output' 2 "${h}0,5,0\n"
trace '2^31 tokens' 2 "${h}0,2147483648,2\n"
trace '2^64 tokens' 2 "${h}0,18446744073709551617,2\n"
trace 'an infinite arrival' 2 "${h}inf,5,2\n"
trace 'a negative arrival' 2 "${h}-1,5,2\n"
trace 'text' 2 "${h}0,5x,2\n"
trace 'a fraction of a token' 2 "${h}0,5.5,2\n"
trace 'an empty cell' 2 "${h}0,,2\n"
trace 'a short row at its end' 3 "${h}0,5,2\n10,5"
trace 'one cell at its end' 3 "${h}0,5,2\n10"
trace 'a long row' 2 "${h}0,5,2,9\n"
trace 'an open quote' 2 "${h}0,\"5,2\n"
trace 'a NUL' 2 "${h}0,5\000,2\n"
trace 'a column that is not there' 1 'arrival_us,input_tokens\n0,5\n'
trace 'an unknown column' 1 'arrival_us,input_tokens,output_tokens,foo\n0,5,2,1\n'
trace 'a column twice' 1 'arrival_us,input_tokens,output_tokens,input_tokens\n0,5,2,1\n'
trace 'no header' 1 '0,5,2\n1,5,2\n'
trace 'CRLF and text' 2 'arrival_us,input_tokens,output_tokens\r\n0,x,2\r\n'
fresh

s='step,decode,prefill\n'
steps 'nothing' 1 ''
steps 'a git-LFS pointer' 1 "$lfs"
t 'and says so' refused 3 'git-LFS pointer' eval c.ini --steps s.csv
steps 'no composition' 1 'step,time_us\n0,1\n'
steps 'a negative length' 2 "${s}0,-5,\n"
steps 'NaN' 2 "${s}0,nan,\n"
steps '2^32 tokens' 2 "${s}0,4294967296,\n"
steps 'none of them' 2 "${s}0,64x0,\n"
steps 'an end without a number' 2 "${s}0,64;,\n"
steps 'prefill without a colon' 2 "${s}0,,512\n"
steps 'prefill of nothing' 2 "${s}0,,5:0\n"
steps 'a short row' 3 "${s}0,64,\n1,64\n"
steps 'more tokens than sequences' 2 'step,decode,prefill,sampled\n0,64,,5\n'
fresh

sed -i 's/^plugin.*/plugin = roofline_v2/' c.ini
point 'an unknown operation' gem,fp8,8,4096,4096,,,,,,,,
point 'no m' gemm,fp8,,4096,4096,,,,,,,,
point 'm = 0' gemm,fp8,0,4096,4096,,,,,,,,
point 'NaN' gemm,fp8,nan,4096,4096,,,,,,,,
point 'an unknown dtype' gemm,bf17,8,4096,4096,,,,,,,,
point 'a cell that the operation has no use for' gemm,fp8,8,4096,4096,32,,,,,,,
point 'a short row' gemm,fp8,8
printf "$lfs" >p.csv
t 'points: a git-LFS pointer' refused 3 'p.csv:1: .*git-LFS pointer' kernel c.ini --points p.csv
fresh
t 'an arm without a kernel hook' refused 2 known_cost kernel c.ini --points p.csv

# A cell of a table, in a copy of the set
mkdir sets; cp -r "$top_srcdir/bench_data/h100-sxm.infersim" sets/x; chmod -R u+w sets
cp sets/x/gemm.csv gemm.csv
table() { # WHAT CODE SED
	sed "$3" gemm.csv >sets/x/gemm.csv
	sed -i 's/^plugin.*/plugin = roofline_v2/; s/^path.*/path = sets/; s/^set.*/set = x/' c.ini
	t "table: $1" refused "$2" 'gemm' eval c.ini --steps s.csv
	t "table, run: $1" refused "$2" 'gemm' run c.ini --quiet
	fresh
}
table 'NaN' 3 '5s/[0-9.]*$/nan/'
table 'a negative time' 3 '5s/[0-9.]*$/-3/'
table 'no time at all' 3 '5s/[0-9.]*$/0/'
table 'text' 3 '5s/[0-9.]*$/fast/'
table 'a short row' 3 '$s/,[^,]*$//'
table 'a long row' 3 '7s/$/,3/'
table 'a header alone' 3 '2,$d'
table 'nothing' 3 '1,$d'

json 'nothing' '' config.json 3
json 'a git-LFS pointer' "$(printf "$lfs")" '[Ll][Ff][Ss]' 3
json 'cut off' '{"hidden_size": 40' 'config.json:1' 3
json 'an array' '[1, 2]' config.json 3
json 'a key twice' '{"hidden_size": 1, "hidden_size": 2}' config.json 3
json 'a number as text' '{"model_type": "llama", "hidden_size": "4096", "num_hidden_layers": 32, "num_attention_heads": 32}' hidden_size 3
json 'no KV heads' '{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 0, "intermediate_size": 11008, "vocab_size": 32000}' num_key_value_heads 3
json 'more parameters than can be counted' '{"model_type": "mixtral", "hidden_size": 1000000, "num_hidden_layers": 1000, "num_attention_heads": 1000, "num_key_value_heads": 1000, "head_dim": 10000, "intermediate_size": 1000000, "num_local_experts": 100000, "num_experts_per_tok": 2, "vocab_size": 128256}' 'more than 2^64' 3
json 'no layers' '{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000}' num_hidden_layers 3
json 'an unknown architecture' '{"model_type": "foonet", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000}' foonet 2
plain() { # COMMAND: JSON is refused, in one line
	# shellcheck disable=SC2086 # several words
	"$host" $1 --format json >out 2>err; [ $? = 2 ] && grep -q -- '--format json: it writes text$' err && [ ! -s out ]
}
for command in 'experiment list' 'tables fit h100-sxm.vllm-0.24' 'plugins check x.so' 'sweep check x.db' \
	'sweep merge x.db y.db' 'sweep plot x.db' 'plugins new x' 'import vllm x'; do
	t "$command prints text alone" plain "$command"
done
tap_done
