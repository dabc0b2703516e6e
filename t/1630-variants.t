#!/bin/sh
# Arms made from an arm: a knob's values, two presets knob by knob.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
cd "$tap_tmp" || exit 1
cat >c.ini <<X
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[tables]
path = $top_srcdir/bench_data
set = h100-sxm.infersim
[workload]
num_requests = 100
request_rate = 4
input_tokens = uniform:100,3000
output_tokens = uniform:1,100
[cost_model:mine]
plugin = roofline_v2
preset = fixed
X
cp "$top_builddir/.libs/roofline_v2.so" .
sed 's/^plugin = .*/plugin = .\/roofline_v2.so/' c.ini >file.ini
# CODE TEXT ARGUMENTS
says() { code=$1 want=$2; shift 2; "$host" compare c.ini --quiet "$@" >out 2>&1; got=$?; cat out; echo "exit $got"; [ $got -eq "$code" ] && grep -qF -- "$want" out; }
t 'a knob with several values' says 0 'lookup = nearest' --ablate mine.lookup=nearest,linear
same() { grep 'lookup = linear' out | grep -q '+0.00 %.*+0.00 %.*+0.00 %.*+0.00 %'; }
t 'the value it has changes nothing' same
t 'a key of the engine' says 0 'engine.max_num_seqs = 2' --ablate mine.engine.max_num_seqs=2,64
arms() { "$host" compare c.ini --quiet --all --ablate mine.engine.max_num_seqs=2,64 >out; grep -q 'in max_num_seqs-2 max_num_seqs = 2; in max_num_seqs-64 ' out; }
t 'each an arm of its own' arms
t 'by the plugin name, too' says 0 'softmax_flops = true' --ablate roofline_v2.softmax_flops=true
t 'no such arm' says 2 "no arm or plugin 'nope'" --ablate nope.lookup=nearest
t 'no such knob' says 2 "stepcost: --ablate mine.lookpu=nearest: roofline_v2 has no knob 'lookpu' (did you mean 'lookup'?)" --ablate mine.lookpu=nearest
t 'not that value' says 2 'sideways' --ablate mine.lookup=sideways
t 'no value' says 2 'ARM.KNOB=VALUE' --ablate mine.lookup
t 'a knob without an effect in any arm' says 2 'decode_bw_efficiency has no effect with memory = hybrid' \
	--set cost_model:mine.memory=hybrid --ablate mine.decode_bw_efficiency=0.5,0.6
t 'a mode is varied beside its constants' "$host" compare c.ini --set cost_model:mine.overhead=batch_scaled \
	--set cost_model:mine.t_overhead_us=7 --ablate mine.overhead=batch_scaled,none
noted() { "$host" compare c.ini --set cost_model:mine.overhead=batch_scaled --set cost_model:mine.t_overhead_us=7 \
	--ablate mine.overhead=batch_scaled,none 2>&1 >/dev/null | grep -F 't_overhead_us has no effect with overhead = none'; }
t 'with a note where they have none' noted
t 'two presets, knob by knob' says 0 'all of reviewed' --leave-one-out mine=reviewed,fixed
t 'each knob that differs has its arm' grep -q '^no-decode_attention_flops' out
t 'one that does not has none' sh -c '! grep -q "^no-missing_cell" out'
t 'no such preset' says 2 "no preset 'nope'" --leave-one-out mine=nope,fixed
t 'not both' says 2 'one of them' --leave-one-out mine=reviewed,fixed --ablate mine.lookup=nearest
# What --set says holds for the arms that are made, too: a key with a dot.
sets() { "$host" compare c.ini --quiet --format json --set cost_model:mine.tables.set=h100-sxm.vllm-0.24 "$@" >1.json
	grep -o '"set": "[^"]*"' 1.json | sort -u >of; cat of; echo '"set": "h100-sxm.vllm-0.24"' | cmp - of; }
t '--set of a tables.set, with --ablate' sets --ablate mine.lookup=nearest
t 'and with --leave-one-out' sets --leave-one-out mine=reviewed,fixed
# The same with the plugin as a file: another folder has none, or another.
by_file() { STEPCOST_PLUGIN_PATH=/nowhere "$host" compare file.ini --quiet "$@" >1.txt && "$host" compare c.ini --quiet "$@" >2.txt; cat 1.txt; cmp 1.txt 2.txt; }
t 'a plugin by its file, --leave-one-out' by_file --leave-one-out mine=reviewed,fixed
t 'a plugin by its file, --ablate' by_file --ablate roofline_v2.lookup=nearest,linear
json() { "$host" compare c.ini --quiet --leave-one-out mine=reviewed,fixed --format json >1.json && "$host" compare c.ini --quiet --leave-one-out mine=reviewed,fixed --format json --jobs 1 >2.json &&
	cmp 1.json 2.json && grep -q '"ranking"' 1.json; }
t 'the ranking in JSON, the same again' json
positions() { "$host" compare speculation --quiet --all --set workload.num_requests=20 --ablate main.engine.num_speculative_tokens=0,2 >out && grep 'acceptance_at_2 ' out; }
t 'each position of drafts, in arms with and without' positions
tap_done
