#!/bin/sh
# kernel --against: measured rows that are a known share away from the prediction.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs STEPCOST_DATA_PATH=$(cd "$top_srcdir" && pwd)
export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1
cat >c.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
set = h100-sxm.vllm-0.24
[cost_model:operators]
plugin = operators
[cost_model:smooth]
plugin = smooth_roofline
X
refused() { # WANT COMMAND...
	want=$1; shift; "$@" >out 2>&1; got=$?
	cat out; [ $got -eq 2 ] && grep -qF -- "$want" out
}
# A set of GEMMs that took a quarter longer than is predicted, and one twice as long.
measured() {
	echo 'op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,message_bytes' >p.csv
	for m in 16 100 1000 3000; do echo "gemm,bf16,$m,4096,5000,,,,,,,,"; done >>p.csv
	"$host" kernel c.ini --arms operators --points p.csv --format csv 2>/dev/null >priced.csv || return 1
	mkdir -p sets/own
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "dtype,m,n,k,latency_us"; next }
		{ print "bf16," $at["m"] "," $at["n"] "," $at["k"] "," $at["latency_us"] * ($at["m"] == 100 ? 2 : 1.25) }' priced.csv >sets/own/gemm.csv
	cat sets/own/gemm.csv; [ "$(wc -l <sets/own/gemm.csv)" -eq 5 ]
}
t 'measurements of a known error' measured
against() { "$host" kernel c.ini --arms operators --against sets/own "$@"; }
errors() { against >out && cat out && grep -qE '^  gemm +4 +0 +27\.5 +20\.0 +[0-9.]+ +-27\.5$' out && grep -qE '^  all +4 ' out; }
t 'mean, median and bias by operator' errors
t 'the worst row first' sh -c "grep -A1 'most wrong' out | grep -q '^  gemm.csv:3: measured .* m=100 n=4096 k=5000'"
rows() { against --format csv >rows.csv && cat rows.csv && [ "$(grep -c '^gemm,' rows.csv)" -eq 4 ] && [ "$(grep -cE ',-0\.(2|19999|20000)[0-9]*,' rows.csv)" -eq 3 ]; }
t 'every row as CSV' rows
t 'JSON' sh -c "'$host' kernel c.ini --arms operators --against sets/own --format json | python3 -c 'import json, sys; d = json.load(sys.stdin); a = d[\"arms\"][0]; assert d[\"rows\"] == 4 and a[\"operators\"][0][\"operator\"] == \"gemm\" and abs(a[\"operators\"][0][\"mean\"] - .275) < 1e-4 and a[\"worst\"][0][\"line\"] == 3'"
own() { "$host" kernel c.ini --arms operators --against h100-sxm.vllm-0.24 2>err >out; cat err; head -20 out; grep -q 'looks kernels up in h100-sxm.vllm-0.24 itself' err && grep -qE '^  moe +[0-9]+ ' out; }
t 'an arm that has the set is named' own
t 'an arm without the hook is a note' sh -c "'$host' kernel c.ini --against sets/own 2>&1 | grep -q 'smooth_roofline prices no single kernels'"
t 'no arm has it' refused 'no arm prices a kernel of own; use plugin = operators' "$host" kernel c.ini --arms smooth --against sets/own
t 'no such set' refused "no set of tables 'nope'" "$host" kernel c.ini --against sets/nope
t 'both' refused 'needs --points FILE or --against SET' "$host" kernel c.ini --against sets/own --points p.csv
t 'neither' refused 'needs --points FILE or --against SET' "$host" kernel c.ini
t 'a plot of them' refused '--plot and --strict need --points' "$host" kernel c.ini --against sets/own --plot x.svg
# Kernels that the model has none of, and attention of prompts in FP8: each
# measured row is answered by itself.
exactly() { # TABLE
	mkdir -p sets/h200 && cp "$STEPCOST_DATA_PATH/bench_data/h200-sxm.trtllm-1.3.0rc20/$1.csv" sets/h200/
	printf 'gpu = H200 SXM\nsource = x\nlicence = x\nadded = 2026-11\n' >sets/h200/MANIFEST
	"$host" kernel c.ini --arms operators --set hardware.config=h200-sxm --set engine.preset=tensorrt_llm \
		--set tables.set=h200-sxm.trtllm-1.3.0rc20 --against sets/h200 --format json >exact.json 2>err &&
		python3 -c 'import json; d = json.load(open("exact.json")); a = d["arms"][0]["operators"]; assert d["rows"] > 300 and all(x["p90"] < 0.01 for x in a), a'
	code=$?; rm -r sets/h200; return $code
}
for table in dsa_module_decode attention_prefill_more; do
	t "$table: measured rows answer" exactly $table
done

# ---- intervals ----------------------------------------------------------------
ends() { # WANT BYTES: whether a message of that size has an interval
	printf 'op,tp,message_bytes\nall_reduce,8,%s\n' "$2" >r.csv
	"$host" kernel c.ini --arms operators --points r.csv --format csv --quiet >out; cat out
	awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ low = $at["low_us"]; is = low != "" && low < $at["latency_us"] && $at["latency_us"] < $at["high_us"]; bad = is != want }
		END { exit NR != 2 || bad }' out
}
t 'an all-reduce between sizes has one' ends 1 300000
t 'a measured one has none' ends 0 262144
tap_done
