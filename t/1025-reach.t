#!/bin/sh
# Inputs that reach too far: into the terminal, a spreadsheet, the memory; and
# outputs that would destroy an input or each other.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
host=$(case $host in /*) echo "$host" ;; *) echo "$OLDPWD/$host" ;; esac)
case $STEPCOST_PLUGIN_PATH in /*) ;; *) STEPCOST_PLUGIN_PATH=$OLDPWD/$STEPCOST_PLUGIN_PATH ;; esac
: "${STEPCOST_DATA_PATH:=$(cd "$OLDPWD/$top_srcdir" 2>/dev/null && pwd || echo "$top_srcdir")}"
export STEPCOST_DATA_PATH
esc=$(printf '\033'); csi=$(printf '\302\233')
cat >run.ini <<X
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
[cost_model]
plugin = const_step
X
sed '/_tokens\|request/d; s/^\[workload\]/&\ntrace = t.csv/' run.ini >trace.ini
printf 'arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,2\n1,10,2\n' >t.csv
mkdir set; echo 'op,m' >set/gemm.csv

# ---- outputs ----
refuses() { # WHAT ARGUMENTS...
	what=$1; shift; cp -r . ../before.$$; "$host" "$@" >out 2>err; code=$?
	cat err; [ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$what" err && [ ! -s out ] &&
		diff -r -x out -x err -x log . ../before.$$; same=$?
	rm -rf ../before.$$; return $same
}
t 'two outputs of one name' refuses '--write-requests and --write-steps would both write x' run run.ini --write-requests x --write-steps x
t 'by two names' refuses 'would both write ./x' run run.ini --html x --output ./x
t 'of one file' sh -c 'echo old >y; ln y z'
t 'is two outputs' refuses 'would both write z' run run.ini --html y --output z
t 'an output over the INI' refuses '--output run.ini would overwrite an input: run.ini' run run.ini --output run.ini
t 'over a trace' refuses '--write-requests ./t.csv would overwrite an input: trace.ini:' run trace.ini --write-requests ./t.csv
t 'over a trace that --set names' refuses 'would overwrite an input: --set' run run.ini --set workload.trace=t.csv --html t.csv
t 'over a table' refuses '--output set/gemm.csv would overwrite an input' run run.ini --set cost_model.tables.path=set --output set/gemm.csv
mkdir -p root/set; echo 'op,m' >root/set/gemm.csv; : >root/set/MANIFEST
t 'over a table that nobody names' refuses '--output root/set/gemm.csv would overwrite a table' run run.ini --output root/set/gemm.csv
t 'or that is beside' sh -c "cd root/set && ! '$host' run ../../run.ini --output gemm.csv && grep -q op,m gemm.csv"
t 'a new file there is one' "$host" run run.ini --output root/set/mine.txt
t 'over steps' refuses '--output t.csv would overwrite an input: --steps' eval run.ini --steps t.csv --output t.csv
both() { "$host" run run.ini --write-requests /dev/null --write-steps /dev/null --output /dev/null; }
t 'a device may take several' both
again() { "$host" run run.ini --output r.txt && "$host" run run.ini --output r.txt && [ -s r.txt ]; }
t 'an earlier result may be replaced' again

# ---- the terminal ----
quiet() { # no escape in what ARGUMENTS print, on either stream
	"$host" "$@" >out 2>&1; cat -v out; ! grep -q "[$esc]" out && ! grep -q "$csi" out
}
printf 'step,decode,prefill\n"a%s[31m%sb",7,\n' "$esc" "$csi" >s.csv
t 'a name of a step, as CSV' quiet eval run.ini --steps s.csv
t 'as text' quiet eval run.ini --steps s.csv --format text
t 'as JSON' quiet eval run.ini --steps s.csv --format json
printf 'arrived_at,num_prefill_tokens,%s]0;x\n0,10,2\n' "$esc" >bad.csv
t 'a column of a trace' quiet trace info bad.csv
t 'a path' quiet trace info "no${esc}[2Jfile"
t 'a key' quiet run run.ini --set "workload.${esc}[2J=3"
t 'a value' quiet run run.ini --set "workload.arrival=${csi}2J"
printf '[model]\nconfig = llama%s[2J\n' "$esc" >esc.ini
t 'a value in an INI' quiet run esc.ini
if command -v cc >/dev/null; then
	# a plugin with a version and a summary that would colour and rename a terminal
	sed 's/"needy"/"loud"/; s/version = "1"/version = "1\\033[31m"/; s/"needs a table"/"a\\033]0;x\\007 b"/' "$top_srcdir/t/so/needy.c" >loud.c
	cc -std=gnu17 -shared -fPIC -fvisibility=hidden -I"$top_srcdir/include" -o loud.so loud.c || exit 1
	export STEPCOST_PLUGIN_PATH="$PWD:$STEPCOST_PLUGIN_PATH"
	sed 's/const_step/loud/; s/^\[hardware\]/[tables]\nset = h100-sxm.vllm-0.24\n&/' run.ini >loud.ini
	for words in 'plugins list' 'plugins describe loud' 'plugins check loud.so' 'plugins check loud.so --config loud.ini' \
		'run loud.ini --all' 'run loud.ini --format json' 'run loud.ini --cite' 'run loud.ini --html loud.html'; do
		# shellcheck disable=SC2086 # words
		t "of a plugin: $words" quiet $words
	done
	t 'the page has none either' sh -c "! grep -q '$esc' loud.html && grep -q loud loud.html"
fi
printf '{"model_type": "a\\u001b[2Jb", "num_hidden_layers": 2}\n' >config.json
t 'a name in a config.json' quiet model show config.json
t 'an option' quiet run run.ini "--$esc[2J"
t 'a command' quiet "$esc[2J"

# ---- a spreadsheet ----
printf 'step,decode,prefill\n=1+1,7,\n@SUM(A1),7,\n"\tx",7,\n"a\tb\t",7,\n' >f.csv
tab=$(printf '\t')
formulas() {
	"$host" eval run.ini --steps f.csv >once && cat once && cut -d, -f1 once | tail -n +2 >got &&
		printf "'=1+1\n'@SUM(A1)\n\"'\tx\"\n\"a\tb\t\"\n" >want && diff want got
}
t 'no formula, and tabs in quotes' formulas
back() { { echo step,decode,prefill; sed 1d got | sed 's/$/,7,/'; } >twice.csv && "$host" eval run.ini --steps twice.csv | cut -d, -f1 | sed 1d | diff - "$1"; }
sed 1d got >rest
t 'and back the same' back rest

# ---- numbers that are none ----
sed 's/"vocab_size"/"rope": -Infinity, "z": [NaN, Infinity], "s": "NaN \\" Infinity", "vocab_size"/' >config.json <<'X'
{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 4096, "vocab_size": 128256,
 "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336}
X
shown() { "$host" model show config.json | grep -q 128256; }
t 'NaN and Infinity where nobody needs them' shown
sed -i 's/128256/NaN/' config.json
needed() { "$host" model show config.json 2>err; [ $? -eq 3 ] && grep -q 'vocab_size is not a whole number' err; }
t 'and where one does' needed

# ---- lines without end ----
if grep -q __asan_init "$host"; then
	skip 'lines without end' 'a sanitizer takes more addresses than the limit allows'
	tap_done
fi
long() { # ARGUMENTS...: refused at once
	( ulimit -v 400000; timeout 20 "$host" "$@" ) >out 2>err; code=$?; cut -c1-200 err
	[ $code -eq 3 ] && grep -q 'of more than 16 MiB' err
}
{ printf '{"timestamp": 0, "input_length": 5, "output_length": 3, "hash_ids": ['; head -c 40000000 /dev/zero | tr '\0' 1; echo ']}'; } >long.jsonl
t 'of JSON' long run run.ini --set workload.trace=long.jsonl --set workload.format=mooncake --memory-limit 0
{ echo 'arrived_at,num_prefill_tokens,num_decode_tokens'; printf '0,"'; head -c 40000000 /dev/zero | tr '\0' '\n'; } >long.csv
t 'of CSV' long trace info long.csv
tap_done
