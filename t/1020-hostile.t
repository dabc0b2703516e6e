#!/bin/sh
# What a user can get wrong: each has one line on stderr that names the place,
# the right exit code, and no output file.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
host=$(case $host in /*) echo "$host" ;; *) echo "$OLDPWD/$host" ;; esac)
: "${STEPCOST_DATA_PATH:=$(cd "$OLDPWD/$top_srcdir" 2>/dev/null && pwd || echo "$top_srcdir")}"
export STEPCOST_DATA_PATH
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$OLDPWD/$STEPCOST_PLUGIN_PATH ;; esac
lfs='version https://git-lfs.github.com/spec/v1
oid sha256:0
size 1'
# 12 lines; [tables] and arms follow.
cat >head.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
num_gpu_blocks = 1000
[workload]
num_requests = 3
request_rate = 1
input_tokens = constant:10
output_tokens = constant:2
seed = 1
X
arm='[cost_model]
plugin = const_step'
printf '%s\n' "$(cat head.ini)" "$arm" >good.ini
printf 'step,decode,prefill\n0,64,\n' >s.csv
printf 'op,m,n,k\ngemm,1,2,3\n' >p.csv

# CODE TEXT COMMAND...: fails so, in one line, and leaves no out.csv
fails() {
	code=$1 want=$2; shift 2
	rm -f out.csv
	timeout 60 "$@" </dev/null >stdout 2>stderr; got=$?
	cat stderr; echo "exit $got"
	[ "$got" -eq "$code" ] && [ "$(wc -l <stderr)" -eq 1 ] &&
		grep -qF -- "$want" stderr && [ ! -e out.csv ] && [ ! -s stdout ]
}
eval_fails() { code=$1 want=$2; shift 2; fails "$code" "$want" "$host" eval c.ini --steps s.csv --output out.csv "$@"; }
run_fails() { code=$1 want=$2; shift 2; fails "$code" "$want" "$host" run c.ini --output out.csv "$@"; }

t 'the configuration that all of this starts from is sound' "$host" run good.ini
t 'and evaluates' "$host" eval good.ini --steps s.csv

# --- every key of the host: SECTION.KEY VALUE... -------------------------------
# Each value is refused where it stands, whatever the command.
bad_values() {
	key=${1#*.} section=${1%%.*}; shift
	for value; do
		awk -v s="[$section]" -v k="$key" -v v="$value" '
			{ sub(/\r$/, "") } $1 == k && in_it { next }
			/^\[/ { in_it = $0 == s } { print }
			in_it && $0 == s { print k " = " v; done = 1 }
			END { if (!done) print s "\n" k " = " v }' good.ini >c.ini
		line=$(grep -n "^$key = " c.ini | cut -d: -f1 | head -1)
		eval_fails 2 "c.ini:$line: " && grep -qF "$key" stderr || { echo "[$section] $key = $value"; return 1; }
	done
}
integers='x -1 1.5'
while read -r key values; do
	[ -z "$key" ] || t "[${key%%.*}] ${key#*.}" eval "bad_values $key $values ''"
done <<X
stepcost.schema 0 2 x
model.num_hidden_layers 0 $integers '32 x'
model.hidden_size 0 $integers
model.num_attention_heads 0 $integers
model.num_key_value_heads 3 64 $integers
model.head_dim $integers
model.intermediate_size $integers
model.vocab_size 0 $integers
model.max_position_embeddings $integers
model.bytes_per_param 0 -1 x nan inf 9 '2 x'
model.torch_dtype fp9 BF16
model.quantization fp9
model.tie_word_embeddings yes 1 TRUE
model.layer_types full full_attention*0 full_attention,,
hardware.peak_tflops 0 -1 x nan inf 1e99 '1 TFLOP/s'
hardware.memory_bandwidth_tbs 0 -1 x nan inf
hardware.memory_gib 0 -1 x nan inf
hardware.usable_bytes -1 x nan
hardware.link_bandwidth_gbs -1 x nan inf
hardware.sm_count $integers
engine.tensor_parallel_size 0 $integers
engine.max_num_seqs 0 $integers 1e9 1.5e0 0x10 99999999999999999999 nan
engine.max_num_batched_tokens 0 $integers
engine.max_model_len $integers
engine.long_prefill_token_threshold $integers
engine.block_size 0 $integers
engine.num_gpu_blocks 0 many AUTO $integers
engine.gpu_memory_utilization 0 -1 1.1 x nan
engine.enable_prefix_caching yes 1
engine.async_scheduling yes 1
engine.scheduling_policy FCFS lifo
engine.api_overhead_us -1 x nan inf
engine.api_request_us -1 x nan inf
engine.response_overhead_us -1 x nan inf
engine.schedule_us -1 x nan inf
engine.graph_max_tokens AUTO $integers
engine.replicas 0 $integers
engine.routing best
engine.prefill_replicas $integers
slo.ttft_ms -1 x nan inf
slo.tpot_ms -1 x nan inf
slo.e2el_ms -1 x nan inf
workload.num_requests -1 x 1.5
workload.request_rate -1 x nan
workload.seed -1 x 1.5
workload.arrival uniform
workload.rate_scale 0 -1 x nan inf
cost_model.base_us -1 x nan inf '1 us'
X

# --- the file itself ------------------------------------------------------------
ini() { { cat head.ini; cat; } >c.ini; }
for bad in "[engin] (did you mean 'engine'?)|[engin]" "needs plugin = NAME|[cost_model:b]
plugn = x" "given twice|[cost_model]
plugin = const_step" "an arm's name is|[cost_model:B c]
plugin = const_step" "not 'key = value'|[slo]
x" "indented|[slo]
 ttft_ms = 1"; do
	what=${bad%%|*}
	printf '%s\n%s\n%s\n' "$(cat head.ini)" "$arm" "${bad#*|}" >c.ini
	t "refused: $what" eval_fails 2 "$what"
done
sed 's/^plugin.*//' good.ini >c.ini
t 'an arm without a plugin, by its line' eval_fails 2 'c.ini:13: [cost_model] needs plugin'
printf '\357\273\277' | cat - good.ini | sed 's/$/\r/' >c.ini
t 'a byte order mark and CRLF are fine' "$host" eval c.ini --steps s.csv
printf '%s\n' "$lfs" >c.ini
t 'the INI is a git-LFS pointer' eval_fails 2 'c.ini:1: is a git-LFS pointer'
printf '[model]\n' | gzip >c.ini
t 'the INI is compressed' eval_fails 2 'c.ini:1: is compressed by gzip'
head -c 3000 /dev/zero >c.ini
t 'the INI is zeros' eval_fails 2 'c.ini:1: '
head -c 2000000 /dev/zero | tr '\0' 'x' >c.ini
t 'the INI is one huge line' eval_fails 2 'c.ini:1: longer than'
: >c.ini
t 'the INI is empty' eval_fails 2 'c.ini: no arm'
t 'the INI is a folder' fails 2 '.: Is a directory' "$host" run . --output out.csv
t 'the INI is endless' fails 2 '/dev/zero: is a device' "$host" run /dev/zero --output out.csv
cp good.ini c.ini

# --- a section that is not there ------------------------------------------------
only() { awk -v s="[$1]" '/^\[/ { out = $0 == s } !out' good.ini | sed 's/const_step/roofline_v2/' >c.ini; }
only model; t 'no [model] is said' eval_fails 2 'c.ini: no [model]; give config = NAME'
sed '/^num_gpu/d' c.ini >d.ini; cp d.ini c.ini
t 'and in run' run_fails 2 '[model]'
only hardware; t 'no [hardware] is said' eval_fails 2 'c.ini: no [hardware]; give config = NAME'
cp good.ini c.ini

# --- the command line -------------------------------------------------------------
for bad in '--set|--set needs' '--set x|not section.key=value' '--set =|not section.key=value' \
	'--set a.=1|not section.key=value' '--set .b=1|not section.key=value' \
	"--set engin.block_size=1|did you mean 'engine'" '--set engine.block_size=|--set: block_size = ' \
	'--set engine.block_size=16x|--set: block_size = 16x: not an integer in [1, 65536]' \
	'--set model.config=nope|no '"'nope.ini'"' in etc/models' '--set hardware.config=nope|no '"'nope.ini'"' in etc/hardware' \
	"--set cost_model.plugin=nope|no nope.so in" "--set cost_model.plugin=../x|a plugin's file is NAME.so" \
	'--set cost_model.preset=x|has no preset' '--set tables.set=nope|no set of tables' \
	"--arms x|no arm 'x'" '--arms const_step,const_step|given twice' "--arms |--arms '': needs A,B" "--arms const_step,|no arm ''" \
	'--format yaml|not one of' '--strict=x|not one of' '--nope|unknown option' '-q|unknown option' \
	'--steps x|given twice'; do
	set -f; IFS=' '
	case $bad in '--arms |'*) set -- --arms '' ;; *) set -- ${bad%%|*} ;; esac
	unset IFS; set +f
	t "$*" eval_fails 2 "${bad#*|}" "$@"
done
t 'no such steps' fails 2 'No such file' "$host" eval c.ini --steps none.csv --output out.csv
t 'the steps are a folder' fails 2 'Is a directory' "$host" eval c.ini --steps . --output out.csv
t 'the output is in no folder' fails 2 'cannot write none/o' "$host" eval c.ini --steps s.csv --output none/o
t 'the output is a folder' fails 2 'cannot write .: Is a directory' "$host" eval c.ini --steps s.csv --output .
t 'the output is full' fails 2 'cannot write /dev/full: No space left' "$host" eval c.ini --steps s.csv --quiet --output /dev/full
t 'of run as well' fails 2 'cannot write /dev/full: No space left' "$host" run c.ini --quiet --output /dev/full
mkdir locked; chmod 500 locked
no_root=$(cd "$OLDPWD" && without_power)
# shellcheck disable=SC2086 # words
if [ -z "$no_root" ] || $no_root test -w locked; then skip 'the output is in a locked folder' 'everything may be written here'
else t 'the output is in a locked folder' fails 2 'Permission denied' $no_root "$host" eval c.ini --steps s.csv --output locked/o; fi
for name in STEPCOST_PLUGIN_PATH STEPCOST_DATA_PATH; do
	for value in : /dev/null ::/x/y:; do
		t "$name=$value" fails 2 ' in ' env $name=$value "$host" eval c.ini --steps s.csv --set hardware.config=nope --set cost_model.plugin=nope
	done
done

# --- steps and points: TEXT|CONTENT ------------------------------------------------
content() { printf "${1#*|}" >"$2"; }
for bad in 's.csv:1: is empty|' 's.csv:1: a file of steps needs a column|step,foo\n0,1\n' 's.csv:1: column step occurs twice|step,step,decode,prefill\n' \
	's.csv:1: is a git-LFS|version https://git-lfs.github.com/spec/v1\noid x\n' 's.csv:1: has a NUL|step\0' \
	's.csv:2: decode must be|step,decode,prefill\n0,-1,\n' 's.csv:2: decode must be|step,decode,prefill\n0,1x0,\n' \
	's.csv:2: decode must be|step,decode,prefill\n0,1;;2,\n' 's.csv:2: decode must be|step,decode,prefill\n0,4294967296,\n' \
	's.csv:2: decode must be|step,decode,prefill\n0,1x99999999999,\n' 's.csv:2: prefill must be|step,decode,prefill\n0,,5\n' \
	's.csv:2: prefill must be|step,decode,prefill\n0,,0:0\n' 's.csv:2: prefill must be|step,decode,prefill\n0,,4294967295:1\n' \
	's.csv:2: sampled must be|step,decode,prefill,sampled\n0,1,,2\n' 's.csv:4: fewer cells|step,decode,prefill\r\n\r\n0,1,\r\n1' \
	's.csv:2: more cells|step,decode,prefill\n0,1,,\n' 's.csv:3: |step,decode,prefill\n0,1,\n"'; do
	content "$bad" s.csv
	t "steps: ${bad##*|}" eval_fails 3 "${bad%%|*}"
done
printf '\357\273\277"step","decode","prefill"\r\n\r\n"a, ""b""","64",""' >s.csv
t 'steps: a byte order mark, quotes, CRLF, no line end' \
	sh -c "'$host' eval c.ini --steps s.csv --format csv | grep -F '\"a, \"\"b\"\"\",const_step,'"
printf 'step,decode,prefill\n0,64,\n' >s.csv
for bad in 'p.csv:1: is empty|' "p.csv:1: column 'x' is not known|op,m,x\n" 'p.csv:2: op is|op,m\nconv,1\n' 'p.csv:2: n is needed|op,m\ngemm,1\n' \
	'p.csv:2: m is not|op,m,n,k\ngemm,0.5,1,1\n' 'p.csv:2: dtype is|op,dtype,m,n,k\ngemm,fp9,1,1,1\n' \
	'p.csv:2: tp is no size of this op|op,m,n,k,tp\ngemm,1,1,1,2\n' 'p.csv:1: is a git-LFS|version https://git-lfs.github.com/spec/v1\n'; do
	content "$bad" p.csv
	t "points: ${bad##*|}" fails 3 "${bad%%|*}" "$host" kernel c.ini --points p.csv --output out.csv
done

# --- tables: TEXT|CONTENT of gemm.csv ----------------------------------------------
mkdir -p sets/x
printf '%s\n[tables]\npath = sets\nset = x\n[cost_model]\nplugin = mfu_interp\n' "$(cat head.ini)" >c.ini
for bad in 'gemm.csv:1: is empty|' 'gemm.csv:1: no rows|dtype,m,n,k,latency_us,mfu\n' \
	'gemm.csv:3: dtype is none of|dtype,m,n,k,latency_us,mfu\nbf16,1,2,3,4,0.5\nfp9,2,2,3,4,0.5\n' \
	'gemm.csv:2: not a finite number|dtype,m,n,k,latency_us,mfu\nbf16,1,2,3,x,0.5\n' \
	'gemm.csv:2: latency_us is 0|dtype,m,n,k,latency_us,mfu\nbf16,1,2,3,0,0.5\n' \
	'gemm.csv:2: a negative number|dtype,m,n,k,latency_us,mfu\nbf16,1,2,3,-4,0.5\n' \
	'gemm.csv:2: not a whole number|dtype,m,n,k,latency_us,mfu\nbf16,0.5,2,3,4,0.5\n' \
	'gemm.csv:2: not a finite number|dtype,m,n,k,latency_us,mfu\nbf16,1,2,3,4,inf\n' \
	'gemm.csv:4: fewer cells|dtype,m,n,k,latency_us,mfu\r\n\r\nbf16,1,2,3,4,0.5\r\nbf16,1' \
	'gemm.csv:1: a column twice|dtype,m,m\n' 'gemm.csv:1: is a git-LFS|version https://git-lfs.github.com/spec/v1\n' \
	'gemm.csv:1: is a web page|<!DOCTYPE html>\n'; do
	content "$bad" sets/x/gemm.csv
	t "tables: ${bad##*|}" eval_fails 3 "${bad%%|*}"
done
printf 'x = 1\nx = 2\n' >sets/x/MANIFEST
t 'tables: a MANIFEST with a key twice' eval_fails 3 'MANIFEST:2: '
rm sets/x/MANIFEST sets/x/gemm.csv; mkdir sets/x/gemm.csv
t 'tables: a folder called gemm.csv' eval_fails 2 'gemm.csv: Is a directory'
printf '%s\n[cost_model:good]\nplugin = const_step\n' "$(cat c.ini)" >d.ini
rmdir sets/x/gemm.csv; echo bad >sets/x/gemm.csv
partly() { "$host" eval d.ini --steps s.csv --output out.csv; [ $? -eq 3 ] && [ "$(cut -d, -f2 out.csv | tr '\n' ' ')" = 'arm good ' ]; }
sed -i 's/^path.*//; s/^set = x//' d.ini
sed -i 's/^plugin = mfu_interp/&\ntables.path = sets\ntables.set = x/' d.ini
t 'of two arms the good one is written' partly

# --- config.json: CODE TEXT CONTENT ------------------------------------------------
sed "s/^config = llama.*/config = .\/m.json/; s/const_step/const_step/" good.ini >c.ini
json() { code=$1 want=$2; t "config.json: $want" eval_fails "$code" "m.json$want"; }
: >m.json; json 3 ':1: '
printf '%s\n' "$lfs" >m.json; json 3 ':1: is a git-LFS pointer'
echo '[]' >m.json; json 3 ':1: not an object'
echo '{"model_type": "llama", "model_type": "x"}' >m.json; json 3 ':1: duplicate'
echo '{"model_type": "elephant"}' >m.json; json 2 ":1: model_type 'elephant'"
printf '{"model_type": "llama",\n"num_hidden_layers": "many"}' >m.json; json 3 ':2: num_hidden_layers'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; }' >m.json; json 3 ':1: maximum parsing depth'
awk 'BEGIN { printf "{\"x\": \""; for (i = 0; i < 7000000; i++) printf "0123456789"; print "\"}" }' >m.json; json 3 ': more than 64 MiB'
rm m.json; ln -s /dev/zero m.json; json 2 ': is a device'
rm m.json; mkdir m.json; t 'config.json is a folder without one' eval_fails 2 'm.json/config.json: No such file'

awk 'BEGIN { print "[model]"; for (i = 0; i < 20000; i++) print "k" i " = 1" }' >c.ini; t 'an INI without end' eval_fails 2 'c.ini:10002: more than 10000 keys'

# --- quiet ------------------------------------------------------------------------
quiet() { "$host" run good.ini --quiet --set workload.input_tokens=constant:99999 >/dev/null 2>err; [ $? -eq 1 ] && [ ! -s err ]; }
loud() { "$host" run good.ini --set workload.input_tokens=constant:99999 2>&1 >/dev/null | grep rejected; }
t 'a rejected request is said' loud
t 'but not with --quiet' quiet
tap_done
