#!/bin/sh
# recommend without a CONFIG: options stand for an INI, which gives the same answer.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
says() {
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/log2" 2>&1; got=$?
	cat "$tap_tmp/log2"; [ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/log2"
}
ask() { # OPTION...
	"$host" recommend --model "${model:-llama-3.1-8b}" --hardware "${gpu:-h100-sxm}" --gpus 2 \
		--slo ttft_p99_ms=500,tpot_mean_ms=30 --input-tokens "${prompt:-500}" --output-tokens uniform:50,100 --arms roofline_v1 --one-draw --quiet --serve aggregated \
		--fix engine.max_num_batched_tokens,engine.max_num_seqs "$@"
}
has() { # LINE...: of the INI
	for line; do grep -qxF -- "$line" "$tap_tmp/o.ini" || { echo "no line $line"; return 1; }; done
}
t 'the INI' ask --print-ini --output "$tap_tmp/o.ini"
t 'has what the options say' has 'config = llama-3.1-8b' 'config = h100-sxm' 'input_tokens = 500' \
	'output_tokens = uniform:50,100' 'max_model_len = 600' 'preset = vllm-0.24'
t 'has no other rate' has 'request_rate = 4'
t 'the rate to serve is the rate of the workload' sh -c "'$host' recommend --model llama-3.1-8b --hardware h100-sxm \
	--gpus 2 --slo ttft_p99_ms=500 --input-tokens 500 --output-tokens 50 --rate 12 --print-ini | grep -qx 'request_rate = 12'"
t 'an answer' says 0 'tp 1 x 2' ask
same() {
	ask --format csv >"$tap_tmp/a" && "$host" recommend "$tap_tmp/o.ini" --hardware h100-sxm --gpus 2 \
		--slo ttft_p99_ms=500,tpot_mean_ms=30 --arms roofline_v1 --one-draw --quiet --serve aggregated \
		--fix engine.max_num_batched_tokens,engine.max_num_seqs --format csv >"$tap_tmp/b" && cmp "$tap_tmp/a" "$tap_tmp/b"
}
t 'the INI gives the same answer' same
t 'another engine' says 0 'preset = sglang' ask --engine sglang --print-ini
t 'its own keys' says 0 'routing = random' ask --set engine.routing=random --print-ini
t 'a setting of its own is last' says 0 'input_tokens = 700' ask --set workload.input_tokens=700 --print-ini
model=llama-3.1-8 t 'a model near' says 2 "did you mean 'llama-3.1-8b'" ask
gpu=h100-sx t 'a GPU near' says 2 "did you mean 'h100-sxm'" ask
t 'an engine' says 2 '--engine: preset = vllm-0.23: this release has no preset; vllm-0.24 stands for 0.20 to 0.25' ask --engine vllm-0.23
bare() { "$host" recommend --gpus 2 --slo ttft_p99_ms=500 "$@"; }
t 'no model' says 2 '--model NAME is needed' bare
t 'no GPU' says 2 '--hardware NAME is needed' bare --model llama-3.1-8b
t 'no prompt' says 2 '--input-tokens N is needed' bare --model llama-3.1-8b --hardware h100-sxm
t 'no answer' says 2 '--output-tokens N is needed' bare --model llama-3.1-8b --hardware h100-sxm --input-tokens 5
brief() { ask --print-ini >"$tap_tmp/long" && "$host" recommend --model llama-3.1-8b --hardware h100-sxm --gpus 2 --input 500 \
	--output 75 --slo ttft_p99_ms=500 --print-ini | sed 's/= 75$/= uniform:50,100/; s/= 575/= 600/' | cmp - "$tap_tmp/long"; }
t 'lengths in brief' brief
t 'a length with a CONFIG is a file' sh -c "cd '$tap_tmp' && '$host' recommend o.ini --gpus 2 --slo ttft_p99_ms=500 --print-ini --output 300 && [ -s 300 ]"
prompt=-5 t 'a length that is none' says 2 '--input-tokens: input_tokens = -5' ask
# --- the Pareto front ------------------------------------------------------------------
front() { ask --front --format csv >"$tap_tmp/f.csv" && grep -c ',front,' "$tap_tmp/f.csv"; }
t 'a front' front
no_front() { ask --format csv | { ! grep ',front,'; }; }
t 'none unless asked for' no_front
t 'in words' says 0 'Pareto front: output tokens/s per GPU against output tokens/s per user' ask --front
t 'of other figures' says 0 'Pareto front: requests/s against USD per million' ask --front=request_rate,usd_per_million_output_tokens
t 'no figure' says 2 'not X,Y with two of' ask --front=request_rate,speed
page() {
	ask --html "$tap_tmp/p.html" >/dev/null && grep -q '<svg' "$tap_tmp/p.html" &&
		grep -q 'Rate lost if\|Pareto front' "$tap_tmp/p.html"
}
t 'a page' page
t 'a page with nothing that meets the bounds' says 1 'nearest' ask --set workload.input_tokens=100000 --html "$tap_tmp/q.html"
tap_done
