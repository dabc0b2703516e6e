#!/bin/sh
# Makes bench_data/accuracy anew: the errors of every shipped cost model on the
# measured runs of bench_data/serving.  Those of smooth_roofline, which is fitted
# to them, twice: predicted by coefficients that were not fitted to the run
# (etc/folds-run.ini), and by such that were not fitted to any run of its model
# (etc/folds.ini; both made by tools/measured/refit.py).
# Run it at the top of the source tree where stepcost is on PATH or in $STEPCOST.
set -e
S=bench_data/serving
errors() { # TO LEFT_OUT CONFIG ARM FILE...
	to=$1 left_out=$2 config=$3 arm=$4
	shift 4
	for f; do set -- "$@" --measured "$S/$f"; shift; done
	"${STEPCOST:-stepcost}" validate "$config" --arms "$arm" --quiet $aliases \
		--leave-out $left_out "$@" --write-errors "$to" >/dev/null
}
score() { # PLUGIN CONFIG ARM FILE...
	plugin=$1
	shift
	errors bench_data/accuracy/$plugin.csv model "$@"
}
served='vllm-0.15-open-loop.csv vllm-0.11-replay.csv vllm-single-stream.csv'
published='inferencex-sglang.csv inferencex-trtllm.csv inferencex-vllm.csv vllm-closed-loop.csv trtllm-offline.csv ml-energy.csv'
mkdir -p bench_data/accuracy
aliases='--aliases etc/folds.ini'
score smooth_roofline etc/validate.ini smooth_roofline $served
aliases='--aliases etc/folds-run.ini'
by_run=bench_data/accuracy/by-run.csv
errors $by_run run etc/validate.ini smooth_roofline $served
tail -n +2 $by_run >>bench_data/accuracy/smooth_roofline.csv
rm $by_run
aliases=
for plugin in latency_interp roofline_v1 mfu_interp; do
	score $plugin etc/validate.ini $plugin $served
done
score roofline_v2 etc/validate.ini v2_fixed $served
score operators etc/published.ini operators $served $published
# Runs that give no support and no interval: doc/accuracy-by-run.md has them.
aliases='--aliases etc/folds-amd.ini'
errors bench_data/accuracy/operators-reported.csv model etc/published.ini operators \
	inferencex-amd.csv mlperf-v5.1-offline.csv llmservingsim.csv
python3 tools/power_fit.py --write
