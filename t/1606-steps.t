#!/bin/sh
# Files of steps: what `run --write-steps` writes, `eval` reads and prices alike;
# deployments, several arms, columns without a meaning.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$(cd "$top_builddir" && pwd)/stepcost
STEPCOST_PLUGIN_PATH=$(cd "$top_builddir" && pwd)/.libs; export STEPCOST_PLUGIN_PATH
STEPCOST_DATA_PATH=${STEPCOST_DATA_PATH:-$(cd "$top_srcdir" && pwd)}; export STEPCOST_DATA_PATH
cd "$tap_tmp" || exit 1

config() { # ENGINE LINES...
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n'
	printf '[workload]\nnum_requests = 40\nrequest_rate = 40\ninput_tokens = uniform:1,6000\noutput_tokens = uniform:2,40\nseed = 3\n'
	printf '[cost_model:smooth]\nplugin = smooth_roofline\n[cost_model:linear]\nplugin = linear\n[engine]\n'
	printf '%s\n' "$@"
}
same() { # ARM
	"$host" run c.ini --arms "$1" --write-steps w.csv --quiet >/dev/null &&
		"$host" eval c.ini --arms "$1" --steps w.csv --check --quiet >out &&
		rows=$(($(wc -l <w.csv) - 1)) && test "$rows" -gt 20 &&
		test "$(cat out)" = "$rows of $rows steps equal"
}
presets=$("$host" help preset | grep -oE '(vllm|sglang)-[0-9.]+[0-9-]*[0-9]|sglang|tensorrt_llm|none' | sort -u)
for preset in $presets; do
	config "preset = $preset" >c.ini
	t "the same bits under $preset" same linear
done
t 'there are presets' test "$(echo "$presets" | wc -l)" -gt 5
printf '[model]\nconfig = qwen3-30b-a3b\n[hardware]\nconfig = h100-sxm\n[engine]\npreset = vllm-0.24\ndata_parallel_size = 2\nexpert_parallel_size = 2\n[workload]\nnum_requests = 12\nrequest_rate = 40\ninput_tokens = 200\noutput_tokens = 20\n[cost_model:operators]\nplugin = operators\n' >c.ini
t 'ranks in lockstep' same operators
needed() {
	sed '1s/dp_tokens/was_tokens/' w.csv >cut.csv
	"$host" eval c.ini --steps cut.csv --check --quiet
	test $? = 1
}
t 'they need their columns' needed

config >c.ini
"$host" run c.ini --arms linear --write-steps w.csv --quiet >/dev/null
awk -F, -v OFS=, 'NR == 9 { $4 = $4 + 1 } { print }' w.csv >other.csv
differs() { "$host" eval c.ini --steps other.csv --check --quiet >out; test $? = 1 && grep -q 'first that differs is step 7' out; }
t 'a step that differs is named, exit 1' differs
"$host" compare c.ini --write-steps both.csv --quiet >/dev/null
chosen() { "$host" eval c.ini --steps-of "$1" --steps both.csv --check --quiet | grep -q "equal\$"; }
t 'the steps of an arm' chosen linear
t 'of another' chosen smooth
first() { "$host" eval c.ini --steps both.csv 2>err >/dev/null; grep -q 'steps of the first of 2 arms, smooth' err; }
t 'without the option: of the first, and it is said' first
ignored() { grep -q 'columns without a meaning here: bound, ' err; }
t 'columns without a meaning are named' ignored
no_arm() { "$host" eval c.ini --steps both.csv --steps-of none 2>err; test $? = 2 && grep -q 'has no steps of this arm' err; }
t 'an arm that wrote no step' no_arm
unchecked() { printf 'decode\n5\n' >s.csv; "$host" eval c.ini --steps s.csv --check 2>err; test $? = 3 && grep -q 'needs the columns total_us' err; }
t 'nothing to check against' unchecked

printf 'decode,gpu,tensor_parallel_size\n64x8,h100-sxm,1\n64x8,h200-sxm,\n64x8,,\n64x8,h100-sxm,2\n' >d.csv
deployed() {
	"$host" eval c.ini --arms linear --steps d.csv --quiet | cut -d, -f1,3 >out
	awk -F, 'NR > 1 { us[NR] = $2 } END { exit !(us[2] == us[4] && us[3] < us[2] && us[5] < us[2] && us[5] > us[2] / 2.01) }' out
}
t 'each row on its own deployment' deployed
kept() { "$host" eval c.ini --arms linear --steps d.csv --set hardware.memory_bandwidth_tbs=1 --quiet | cut -d, -f3 | sort -u >out; test "$(wc -l <out)" = 3; }
t 'what the user sets wins' kept
tap_done
