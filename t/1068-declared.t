#!/bin/sh
# What a cost model says of itself since ABI 1.3: texts and numbers as knobs,
# needs that are checked before it is asked, times of requests outside of steps.
. "${top_srcdir:-.}/t/lib/declared.sh"

# --- texts and numbers -----------------------------------------------------------
t 'defaults' is_price a,6004.005
t 'numbers by commas' is_price a,6016.005 --set 'cost_model:a.edges=4, 5,6'
t 'by blanks' is_price a,6016.005 --set 'cost_model:a.edges=4 5 6'
t 'none' is_price a,6001.005 --set 'cost_model:a.edges='
t 'a text' is_price a,6004.011 --set 'cost_model:a.words=eleven char'
t 'what is no number is refused' fails 'edges = 4 b: not numbers' --set 'cost_model:a.edges=4 b'
ablate() {
	"$sc" compare base.ini --ablate 'a.edges=5 6,100 200' --format json --quiet 2>/dev/null >o.json &&
		grep -q '"edges": \[5, 6\]' o.json && grep -q '"edges": \[100, 200\]' o.json
}
t '--ablate parts lists by commas' ablate
axis() {
	"$sc" sweep base.ini --axis 'cost_model:a.edges=5 6,100 200' --store s --quiet >/dev/null 2>&1 &&
		[ "$("$sc" sweep show s --format csv 2>/dev/null | grep -c '5 6\|100 200')" -eq 2 ]
}
t 'an axis, too' axis

# --- needs -----------------------------------------------------------------------
t 'a model that no need admits' fails 'declares needs attention full; 3 of the layers of model deepseek-v3 have mla' \
	--set model.config=deepseek-v3 --set engine.tensor_parallel_size=16
t 'a set with the table' needy 0 '' --set tables.set=h100-sxm.vllm-0.24
t 'a set without it is refused, and others are named' needy 4 \
	'needy needs a table attention_decode with columns batch,kv_len, latency_us and notes source; h100-sxm.nccl' \
	--set tables.set="$(cd "$top_srcdir/bench_data" && ls -d h100-sxm.nccl* | head -1)"
others() { grep -q 'these sets of this GPU have: .*h100-sxm.vllm-0.24' err; }
t 'by name' others
t 'a GPU that no need admits' needy 2 'needy needs gpu h[12]00-*; this is a100-80-sxm' --set hardware.config=a100-80-sxm
for_plugin() {
	"$sc" tables list --for needy >list && grep -q '^h100-sxm.vllm-0.24' list && ! grep -q nccl list
}
t 'tables list --for' for_plugin
no_tables() { "$sc" tables list --for const_step 2>err; [ $? -eq 2 ] && grep -q 'names no table' err; }
t 'refused for a model without' no_tables
mkdir -p kinds && printf 'x,latency_us\n1,2\n2,3\n' >kinds/own_kind.csv && printf 'x,latency_us\n1,2\n' >kinds/nobodys_kind.csv
own_kind() { "$sc" tables check ./kinds >found 2>&1; grep -q nobodys_kind found && ! grep -q own_kind.csv found || { cat found; return 1; }; }
t 'tables check knows the kinds of a plugin' own_kind
without() { "$sc" plugins check needy --config needy.ini >checked 2>&1; grep -q '^# without attention_decode: prices' checked || { cat checked; return 1; }; }
t 'plugins check takes a needed table away' without

# --- times outside of steps --------------------------------------------------------
row() { # ARGS: ttft and e2el of request 0
	"$sc" run base.ini --quiet --write-requests r.csv "$@" >/dev/null 2>&1 && awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++) at[$i] = i } $2 == "0" { print $at["input_tokens"], $at["output_tokens"], $at["ttft_ms"], $at["e2el_ms"] }' r.csv
}
outside() {
	row >plain; row --set cost_model:a.before_us=3000 --set cost_model:a.prompt_token_us=1.5 \
		--set cost_model:a.after_us=7000 --set cost_model:a.output_token_us=11.25 >more
	paste -d' ' plain more | awk '{ first = 3 + 0.0015 * $1 + 0.01125; last = 3 + 0.0015 * $1 + 0.01125 * $2 + 7
		a = $7 - $3 - first; b = $8 - $4 - last
		exit !(NF == 8 && a * a < 1e-10 && b * b < 1e-10) }' || { cat plain more; return 1; }
}
t 'a request waits before, and its tokens travel' outside
preset() { # the preset's times are not added
	row --set engine.preset=vllm-0.24 >with; row --set engine.preset=vllm-0.24 --set engine.api_overhead_us=5000 >by_hand
	paste -d' ' with by_hand | awk '{ d = $7 - $3 - 5; exit !(d * d < 1e-10) }' || { cat with by_hand; return 1; }
}
t 'times set by hand count' preset
told() { "$sc" run base.ini --format json --quiet 2>/dev/null | grep -q '"request_costs": {"before_us": 0, "prompt_token_us": 0, "after_us": 0, "output_token_us": 0}'; }
t 'and the result says so' told

# --- how sure it is ------------------------------------------------------------------
own() { "$sc" run base.ini --format json --quiet "$@" 2>/dev/null >own.json; }
interval() {
	own --set cost_model:a.words= && "$sc" run base.ini --quiet --set cost_model:a.words= 2>/dev/null | tr '\n' ' ' | tr -s ' ' >own.txt &&
		grep -q '"mean_tpot_ms": {"low": [0-9.]*, "high": [0-9.]*, "coverage": 0.9, "noise_share": 0.0' own.json &&
		grep -q "mean_tpot_ms [0-9.]* (model's own 90 %: [0-9.]* to [0-9.]*)" own.txt || { cat own.txt; return 1; }
}
t "a model's own interval" interval
none() { own --set cost_model:a.mode=plain && grep -q '"model_interval": null' own.json; }
t 'one that does not say has none' none
ends() { # a common error of 10 %, noise of 5 %: mean * exp(1.6449 * 0.1), and a little more
	own && awk -F'[:,}]' '
		/"mean_tpot_ms": [0-9]/ { mean = $2 }
		/"mean_tpot_ms": \{/ { high = $5 }
		END { r = log(high / mean) / 0.164485; exit !(r > 0.99 && r < 1.02) }' own.json || { grep tpot own.json; return 1; }
}
t 'its ends are those of the formula' ends

tap_done
