#!/bin/sh
# A stored row knows what it read: after each kind of change of an input its rows
# are computed again, and are those of a new store; without a change none is.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/sweep.sh"
sql() { python3 "$top/t/lib/store.py" sql "$@"; }
mkdir -p plug data/etc/models data/etc/hardware data/bench_data/own plug/foldered
cp "$build/.libs/exec.so" "$build/.libs/exec.py" "$build/.libs/const_step.so" "$build/.libs/roofline_v2.so" plug/
cp "$build/.libs/linear.so" plug/linear.so
cp "$top/etc/power.csv" "$top/etc/prices.csv" "$top/etc/acceptance.csv" data/etc/
cp "$top/etc/models/llama-3.1-8b.ini" data/etc/models/m.ini
cp "$top"/etc/hardware/*.ini data/etc/hardware/
cp "$top"/bench_data/h100-sxm.infersim/* data/bench_data/own/
export STEPCOST_DATA_PATH="$PWD/data" STEPCOST_PLUGIN_PATH="$PWD/plug"
for f in in out think items number; do printf 'tokens\n1\n2\n3\n' >$f.csv; done
{ echo tokens; echo 300; echo 500; } >in.csv
cat >c.ini <<'X'
[model]
config = m
[hardware]
config = h100-sxm
[engine]
preset = vllm-2026-07
max_num_seqs = 8
[tables]
set = own
[slo]
ttft_ms = 500
[workload]
num_requests = 30
request_rate = 20
turns = 2
input_tokens = empirical:in.csv
output_tokens = empirical:out.csv
think_time_s = empirical:think.csv
mm_item_tokens = empirical:items.csv
mm_items_per_prompt = empirical:number.csv
[cost_model:program]
plugin = exec
[cost_model:rows]
plugin = roofline_v2
[cost_model:plain]
plugin = const_step
X
sweep() { "${program:-$host}" sweep c.ini --quiet --output /dev/null --axis engine.max_num_batched_tokens=1024,2048 --store "$1" >log.sweep 2>&1 || { cat log.sweep; return 1; }; }
computed() { sql a.db 'SELECT count(*) FROM log'; }
kept() { # WHAT: nothing is computed
	before=$(computed); sweep a.db || return 1
	is "$(computed)" "$before"
}
again() { # N: that number of rows is computed, and all are those of a new store
	before=$(computed); sweep a.db || return 1
	is $(($(computed) - before)) "$1" || return 1
	rm -f new.db; sweep new.db && same a.db new.db || return 1
	is "$(sql a.db "SELECT count(*) FROM result WHERE status = 'ok'")" 6
}
t 'a store' again 6 || { sweep a.db; cat log.sweep; }
t 'again: nothing is computed' kept
n=0
# ROWS | WHAT | COMMAND: a change, and the number of rows that rest on it.
while IFS='|' read -r rows what change; do
	[ -n "$rows" ] || continue
	n=$((n + 1))
	eval "$change" || { echo "# $change failed"; tap_bad=1; }
	t "$what" again "$((rows))"
done <<'X'
6|lengths of prompts|echo 900 >>in.csv
6|lengths of answers|echo 9 >>out.csv
6|times to think|echo 4 >>think.csv
6|tokens of pictures|echo 4 >>items.csv
6|pictures of a prompt|echo 4 >>number.csv
6|another file of lengths|cp in.csv in2.csv && sed -i 's/in.csv/in2.csv/' c.ini
6|a file of lengths without a dot|cp in2.csv lengths && sed -i 's/in2.csv/lengths/' c.ini
6|a length more in it|echo 700 >>lengths
6|a file of lengths with blank and comma|cp lengths 'my lengths,1' && sed -i 's/:lengths/:my lengths,1/' c.ini
6|a length more in that one|echo 800 >>'my lengths,1'
6|quantiles in place of tokens|sed -i 's/my lengths,1/in2.csv/' c.ini; printf 'quantile,tokens\n0,100\n1,700\n' >in2.csv
2|the program of a plugin|sed -i 's/base_us = knobs."base_us"./base_us = 2 * knobs["base_us"]/' plug/exec.py
2|a file beside that program|echo '# more' >plug/exec.txt
2|the plugin of that program|echo >>plug/exec.so
2|a plugin built again|echo >>plug/roofline_v2.so
2|a plugin with a folder in place of a file|mkdir plug/const_step && mv plug/const_step.so plug/const_step/
2|a link to a table in that folder|ln -s ../../linked plug/const_step/linked && echo 1 >linked
2|the target of that link|echo 2 >linked
2|a table in that folder|echo 1 >plug/const_step/table.csv
2|a plugin by its path|sed -i 's,^plugin = const_step,plugin = ./plug/const_step/const_step.so,' c.ini
2|that plugin built again|echo >>plug/const_step/const_step.so
4|a row of a table|sed -i '2s/8.988/8.977/' data/bench_data/own/gemm.csv
4|a note of the MANIFEST|echo 'law.gemm.bf16.t0_us = 7' >>data/bench_data/own/MANIFEST
4|the licence in the MANIFEST|sed -i 's/^licence.*/licence = MIT/' data/bench_data/own/MANIFEST
4|one more table|printf 'a,latency_us\n1,2\n' >data/bench_data/own/more.csv
6|the model|sed -i 's/^num_hidden_layers.*/num_hidden_layers = 30/' data/etc/models/m.ini
6|the GPU|sed -i 's/^memory_bandwidth_tbs.*/memory_bandwidth_tbs = 3.2/' data/etc/hardware/h100-sxm.ini
6|prices|sed -i 's/^h100-sxm,[0-9.]*/h100-sxm,7.5/' data/etc/prices.csv
6|a law of power|printf 'power_limit_w = 400\npower_a = 1\npower_b = 0.5\npower_p = 1\npower_c = 0\npower_q = 1\n' >>data/etc/hardware/h100-sxm.ini
2|a knob|sed -i 's/^plugin = .*const_step.*/&\nbase_us = 700/' c.ini
2|a preset|sed -i 's/^plugin = roofline_v2/&\npreset = fixed/' c.ini
6|a key of the engine|sed -i 's/max_num_seqs = 8/max_num_seqs = 6/' c.ini
6|a bound|sed -i 's/ttft_ms = 500/ttft_ms = 400/' c.ini
6|the number of requests|sed -i 's/num_requests = 30/num_requests = 25/' c.ini
6|arrivals|sed -i 's/^turns = 2/&\narrival = burst\nburst_size = 3/' c.ini
6|a preset of the engine|sed -i 's/^preset = vllm-2026-07/&\nblock_size = 32/' c.ini
6|a trace in place of drawn requests|printf 'arrival_us,input_tokens,output_tokens\n0,100,10\n9,200,5\n' >t.csv; grep -vE '^[a-z_]*tokens|think|turns|mm_|num_requests|burst' c.ini | sed 's/^request_rate.*/trace = t.csv/' >d.ini && mv d.ini c.ini
6|a request of the trace|echo 20,300,7 >>t.csv
6|a prefix cache that is emptied|printf '{"stepcost_trace":1,"configuration":"x"}\n{"request_id":"a","arrival_us":0,"input_tokens":900,"output_tokens":9}\n{"reset_us":5}\n' >t.jsonl; sed -i 's/= t.csv/= t.jsonl/' c.ini
6|the time at which it is|sed -i 's/"reset_us":5/"reset_us":7/' t.jsonl
X
t "$n kinds of change, at least 34" [ "$n" -ge 34 ]

# An arm that prices drafts.
speculate() { # N: that number of rows is computed
	"$host" sweep c.ini --arms plain --quiet --output /dev/null --axis engine.max_num_batched_tokens=1024,2048 --store drafts.db \
		--set engine.num_speculative_tokens=2 --set engine.synthetic_acceptance_rates=deepseek-v4-pro.mtp || return 1
	is "$(sql drafts.db 'SELECT count(*) FROM log')" "$1"
}
t 'a measured acceptance' speculate 2
sed -i 's/^\(deepseek-v4-pro.mtp,.*,2\),2.27,/\1,2.5,/' data/etc/acceptance.csv
t 'another one' speculate 4

# An arm that prices the decode pool of another one, with a knob that names a file.
cp "$build/t/so/.libs/declares.so" plug/
{ cat c.ini; printf '[cost_model:decode]\nplugin = declares\nwords = ./note.txt\n'; } >pools.ini
apart() { # N: that number of rows is computed
	"$host" sweep pools.ini --arms plain,decode --quiet --output /dev/null --axis engine.max_num_batched_tokens=1024,2048 --store pools.db \
		--set workload.trace=t.csv --set engine.replicas=2 --set engine.prefill_replicas=1 --set engine.decode_cost_model=decode || return 1
	is "$(sql pools.db 'SELECT count(*) FROM log')" "$1"
}
echo 1 >note.txt
t 'a pool of another arm' apart 4
echo 2 >note.txt
t 'a file that this arm names' apart 8

# The program itself: another commit, or, if sources were changed, other bytes.
commit=$("$host" --version | sed -n 's/^stepcost [^ ]* \([0-9a-f]*\).*/\1/p')
if [ "${#commit}" -eq 40 ]; then
	LC_ALL=C sed "s/$commit/$(echo "$commit" | tr 0-9a-f 1-9a-f0)/" "$host" >stepcost && chmod +x stepcost
	program=$PWD/stepcost
	t 'stepcost of another commit' again 6
	t 'and the same one again' kept
else
	skip 'stepcost of another commit' 'built without git'
	skip 'and the same one again' 'built without git'
fi

# --- what changes nothing -------------------------------------------------------
touch t.csv plug/exec.py data/bench_data/own/*
t 'files of another date: nothing is computed' kept
printf '; a remark\n\n' | cat - c.ini >d.ini && mv d.ini c.ini
t 'a remark in the INI' kept
echo >>plug/linear.so
t 'another plugin built again' kept
cp t.csv unused.csv && echo >>data/etc/hardware/a100-sxm.ini
t 'a file that nothing names' kept

# --- a store from before ---------------------------------------------------------
python3 - <<'X'
import sqlite3
db = sqlite3.connect("a.db")
db.execute("UPDATE result SET key = '0' || substr(key, 2) WHERE arm = 'plain'")
db.execute("ALTER TABLE result DROP COLUMN digest") # which the key is part of
db.commit()
X
t 'rows from before are said' says 0 '2 of 6 rows were made before rows knew what they read' "$host" sweep show a.db
tap_done
