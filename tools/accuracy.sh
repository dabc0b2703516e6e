#!/bin/sh
# Makes bench_data/accuracy anew: the errors of every shipped cost model on the
# measured runs of bench_data/serving, each predicted by coefficients that were
# not fitted to its model's runs (etc/folds.ini, made by tools/refit.py).
# Run it at the top of the source tree where stepcost is on PATH or in $STEPCOST.
set -e
S=bench_data/serving
score() { # PLUGIN CONFIG ARM FILE...
	plugin=$1 config=$2 arm=$3
	shift 3
	for f; do set -- "$@" --measured "$S/$f"; shift; done
	[ $plugin != smooth_roofline ] || set -- "$@" --aliases etc/folds.ini
	"${STEPCOST:-stepcost}" validate "$config" --arms "$arm" --quiet \
		--leave-out model "$@" \
		--write-errors "bench_data/accuracy/$plugin.csv" >/dev/null
}
served='vllm-0.15-open-loop.csv vllm-0.11-replay.csv vllm-single-stream.csv'
published='inferencex-sglang.csv inferencex-trtllm.csv inferencex-vllm.csv vllm-closed-loop.csv trtllm-offline.csv'
mkdir -p bench_data/accuracy
for plugin in smooth_roofline latency_interp roofline_v1 mfu_interp; do
	score $plugin etc/validate.ini $plugin $served
done
score roofline_v2 etc/validate.ini v2_fixed $served
score operators etc/published.ini operators $served $published
