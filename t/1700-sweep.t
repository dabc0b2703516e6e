#!/bin/sh
# sweep: points, which rows are computed again, which survive a kill, shards,
# and files that are no stores.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/sweep.sh"
sql() { python3 "$top/t/lib/store.py" sql "$@"; }
sweep() { "$host" sweep c.ini --quiet --output /dev/null "$@"; }
computed() { sql "$1" 'SELECT count(*) FROM log'; } # rows, over all calls

{ serving 300; cat; } >c.ini <<'X'
[cost_model:a]
plugin = roofline_v1
[cost_model:b]
plugin = const_step
base_us = 5000
X
rates='--axis workload.request_rate=5:20:5'
sizes='--axis engine.tensor_parallel_size=1,2,4'

# --- points --------------------------------------------------------------------
# shellcheck disable=SC2086 # words
t 'a product of two axes' says 0 'request_rate' "$host" sweep c.ini $rates $sizes --store a.db
t 'has a row for each point and arm' is "$(sql a.db 'SELECT count(*), count(DISTINCT point) FROM result')" '24|12'
figure() { # STORE KEY=VALUE...: its figure there is the figure of a run
	store=$1 && shift
	# shellcheck disable=SC2046 # words
	"$host" run "${ini:-c.ini}" --arms a $(printf -- '--set %s ' "$@") \
		--format json >run.json &&
		python3 - run.json "$store" "$@" <<'X'
import json, sqlite3, sys
metrics = json.load(open(sys.argv[1]))["arms"]
axes = [axis.split("=") for axis in sys.argv[3:]]
at = "".join(f' AND CAST("{key}" AS TEXT)=?' for key, value in axes)
row = sqlite3.connect(sys.argv[2]).execute(
    "SELECT p99_ttft_ms, mean_tpot_ms, output_throughput FROM results WHERE arm='a'" + at,
    [value for key, value in axes]).fetchone()
def find(tree, key):
    if isinstance(tree, list):
        tree = dict(enumerate(tree))
    if isinstance(tree, dict):
        if key in tree:
            return tree[key]
        for child in tree.values():
            got = find(child, key)
            if got is not None:
                return got
    return None
want = tuple(find(metrics, k) for k in ("p99_ttft_ms", "mean_tpot_ms", "output_throughput"))
print(row, want)
sys.exit(row != want)
X
}
t 'each figure is that of `run`' figure a.db \
	workload.request_rate=10 engine.tensor_parallel_size=2
drawn='engine.replicas=4 engine.routing=power_of_two'
# shellcheck disable=SC2046,SC2086 # words
sweep --store draw.db --axis workload.seed=1:4:1 --axis workload.request_rate=80 \
	$(printf -- '--axis %s ' $drawn)
# shellcheck disable=SC2086 # words
t 'also where the engine draws by the seed of the workload' figure draw.db \
	workload.seed=3 workload.request_rate=80 $drawn
cat >pools.ini <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
kv_transfer_bandwidth_gbs = 50
[engine:prefill]
replicas = 1
[engine:decode]
replicas = 2
hardware.config = h200-sxm
[cost_model:a]
plugin = roofline_v1
[workload]
num_requests = 60
request_rate = 10
input_tokens = lognormal:mean=512,p50=400
output_tokens = constant:20
X
"$host" sweep pools.ini --quiet --output /dev/null --store pools.db --jobs 1 --axis workload.seed=1:4:1
pools() { ini=pools.ini figure pools.db workload.seed=4; }
t 'and of two pools, whose engines are one at each point' pools
t 'a point is named by the SHA-256 of its axes' is \
	"$(sql a.db "SELECT point FROM point WHERE \"workload.request_rate\"=10 AND \"engine.tensor_parallel_size\"=2")" \
	"$(printf 'engine.tensor_parallel_size=2\nworkload.request_rate=10' | sha256sum | cut -c1-16)"
"$host" sweep c.ini --axis engine.tensor_parallel_size=4,2,1 --axis workload.request_rate=5,10,15.0,2e1 \
	--store b.db --quiet --output /dev/null
t 'axes in another order name the same points' sh -c \
	"'python3' '$top/t/lib/store.py' sql a.db 'SELECT point, arm, key FROM result ORDER BY 1, 2' >1 &&
	 'python3' '$top/t/lib/store.py' sql b.db 'SELECT point, arm, key FROM result ORDER BY 1, 2' | cmp - 1"
points() { # OPTION...: how many
	rm -f p.db; sweep --store p.db --set workload.num_requests=2 "$@" && sql p.db 'SELECT count(*) FROM point'
}
t 'factor and list' is "$(points --axis 'workload.request_rate=1:16:*2,100')" 6
t 'zip' is "$(points --axis workload.request_rate=1,2,3 --axis engine.replicas=1,2,3 --axis engine.max_num_seqs=8,16 --zip workload.request_rate,engine.replicas)" 6
t 'where' is "$(points --axis engine.tensor_parallel_size=1,2,4,8 --axis engine.replicas=1:8:1 \
	--where 'engine.tensor_parallel_size * engine.replicas <= 8')" 15
printf 'workload.request_rate,cost_model:b.base_us\n1,100\n2,200\n' >points.csv
t 'points from a file' is "$(points --points points.csv)" 2
t 'a knob of an arm' is "$(sql p.db "SELECT count(*) FROM results WHERE arm='b' AND mean_tpot_ms < 0.3")" 2
t 'seeds' is "$(points --axis workload.request_rate=1,2 --seeds 3 >/dev/null; sql p.db 'SELECT count(*), count(DISTINCT seed), min(seed) FROM result')" '12|3|42'
t 'models and GPUs' is "$(points --axis model.config=llama-3.1-8b,qwen3-8b --axis hardware.config=h100-sxm,a100-80-sxm >/dev/null; sql p.db "SELECT count(*) FROM result WHERE status='ok'")" 8

# --- what is wrong ---------------------------------------------------------------
t 'no axis' says 2 'needs --axis' sweep --store x.db
t 'an axis that is no key' says 2 "--axis: unknown key 'request_rat'" sweep --store x.db --axis workload.request_rat=1,2
t 'a value twice' says 2 'given twice' sweep --store x.db --axis workload.request_rate=1,1.0
t 'a value that cannot be' says 2 '--axis: max_num_seqs = many: ' sweep --store x.db --axis engine.max_num_seqs=many
t 'nor in a file' says 2 '--points: max_num_seqs = many: ' sh -c "printf 'engine.max_num_seqs\nmany\n' >many.csv; '$host' sweep c.ini --store x.db --points many.csv"
t 'a column that is no key' says 2 "wrong.csv:1: column 'rate' is no SECTION.KEY" sh -c "printf 'engine.max_num_seqs,rate\n8,1\n' >wrong.csv; '$host' sweep c.ini --store x.db --points wrong.csv"
mkfifo points.pipe
t 'points out of a pipe, that nobody writes' says 2 'is a pipe' timeout 10 "$host" sweep c.ini --store x.db --points points.pipe
t 'bounds of no latency' says 2 '--capacity nothing: ' sweep --store x.db --axis workload.request_rate=1,2 --capacity nothing=1
t 'an option without the one it is for' says 2 '--slurm-dry-run: needs' sweep --store x.db --axis workload.request_rate=1,2 --slurm-dry-run
t 'a folder that is not there' says 2 'no/x.db: cannot write no/x.db.lock: ' sweep --store no/x.db --axis workload.request_rate=1,2
t 'a range that goes nowhere' says 2 'does not lead' sweep --store x.db --axis workload.request_rate=1:10:-1
t 'a where of unknown names' says 2 "stepcost: --where: 'nothing' is neither an axis" sweep --store x.db --axis workload.request_rate=1,2 --where 'nothing > 1'
t 'a point twice' says 2 'have the same values' sh -c "printf 'workload.request_rate\n1\n1.0\n' >twice.csv; '$host' sweep c.ini --store x.db --points twice.csv"
t 'without a store of nothing' test ! -e x.db

# --- warnings are marked on the row they concern ----------------------------------
sed "s/^plugin = roofline_v1/plugin = roofline_v2/; s/num_requests = 300/num_requests = 2/
	/^\[workload\]/i [tables]\nset = h100-sxm.infersim" c.ini >warned.ini
t 'a sweep over GPUs' says 0 'warning: tables h100-sxm.infersim are of H100' "$host" sweep warned.ini --arms a \
	--axis hardware.config=h100-sxm,l40s --store w.db
t 'warns where the tables are of another GPU, and there alone' is \
	"$(sql w.db "SELECT \"hardware.config\" FROM results WHERE warning LIKE '%are of H100%'")" l40s

# --- points that cannot be ---------------------------------------------------------
cannot='--axis engine.gpu_memory_utilization=0.01,0.9 --axis workload.request_rate=5,10'
# shellcheck disable=SC2086
t 'a model that does not fit is a row' says 0 refused "$host" sweep c.ini --store r.db $cannot
t 'with its reason' is "$(sql r.db "SELECT count(*) FROM results WHERE status='refused' AND error IS NOT NULL AND \"engine.gpu_memory_utilization\"=0.01 AND mean_ttft_ms IS NULL")" 4
# shellcheck disable=SC2086
sweep --store r.db $cannot
t 'it is not looked for again' is "$(computed r.db)" 8
cat >f.ini <<'X'
[engine]
num_gpu_blocks = unlimited
[workload]
num_requests = 8
request_rate = 100
input_tokens = constant:40
output_tokens = constant:12
[cost_model:good]
plugin = const_step
[cost_model:bad]
plugin = faulty
fault = segv
at = 1000000
X
crash='--axis cost_model:bad.at=5,1000000 --axis workload.num_requests=4,8'
if grep -q __asan_init "$host"; then
	skip 'a plugin that crashes' 'a sanitizer is faster'
else
	# shellcheck disable=SC2086
	t 'a plugin that crashes costs its arm at that point' says 4 'killed by SIGSEGV' "$host" sweep f.ini --store f.db $crash
	t 'all others are there' is "$(sql f.db "SELECT status, count(*) FROM result GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" 'failed|2 ok|6 '
	# shellcheck disable=SC2086
	t 'it is not tried again' says 4 SIGSEGV "$host" sweep f.ini --store f.db $crash
	t 'unasked' is "$(computed f.db)" 8
	# shellcheck disable=SC2086
	"$host" sweep f.ini --store f.db $crash --retry >/dev/null 2>&1
	t 'asked, it is' is "$(computed f.db)" 10
	{ serving 2; printf '[cost_model:late]\nplugin = violations\n'; } >late.ini
	for phase in create refusal; do
		awk -v phase=$phase 'BEGIN {
			print "workload.seed,cost_model:late.kind,cost_model:late.phase"
			for (i = 1; i <= 100; i++)
				print i "," (i == 90 ? "blocks," phase : "none,eval") }' >late.csv
		t "an instance of many that does wrong, late ($phase)" says 4 'changed the signal mask' \
			"$host" sweep late.ini --store $phase.db --points late.csv --jobs 1
		t 'costs its point and no other' is "$(sql $phase.db 'SELECT "workload.seed", status FROM results WHERE status<>'"'ok'")" '90|failed'
	done
fi

# --- again ---------------------------------------------------------------------------
rows a.db >before
# shellcheck disable=SC2086
sweep $rates $sizes --store a.db
t 'nothing is computed twice' is "$(computed a.db)" 24
t 'and nothing changes' sh -c "python3 '$top/t/lib/store.py' rows a.db | cmp - before"
# shellcheck disable=SC2086
sweep --axis workload.request_rate=5:30:5 $sizes --store a.db
t 'a wider axis adds its points only' is "$(computed a.db)" 36
sql a.db 'SELECT point, arm, key FROM result ORDER BY 1, 2' >wide
sql b.db 'SELECT point, arm, key FROM result ORDER BY 1, 2' >narrow
t 'and leaves the others' is "$(comm -13 wide narrow | wc -l)" 0
# shellcheck disable=SC2086
sweep $rates $sizes --store b.db --jobs 1
mkdir -p so && cp "$build/.libs/const_step.so" so/mine.so
sed 's|plugin = const_step|plugin = ./so/mine.so|' c.ini >mine.ini
mine() { "$host" sweep mine.ini --quiet --output /dev/null --axis workload.request_rate=5,10 --store mine.db; }
mine; n=$(computed mine.db)
printf 'built again' >>so/mine.so
mine
t 'a plugin that was built anew: its own arm' is "$(computed mine.db)" $((n + 2))
t 'and no other' is "$(sql mine.db "SELECT arm, count(*) FROM log GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" 'a|2 b|4 '
cat >trace.csv <<'X'
TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.680,374,44
2023-11-16 18:15:50.951,396,109
2023-11-16 18:15:51.222,879,55
X
sed -e '/^num_requests/d;/^request_rate/d;/_tokens/d' -e 's|^\[workload\]|&\ntrace = trace.csv|' c.ini >trace.ini
traced() { "$host" sweep trace.ini --quiet --output /dev/null --axis engine.tensor_parallel_size=1,2 --store t.db; }
traced; traced
t 'a trace' is "$(computed t.db)" 4
sed -i 's/,44$/,45/' trace.csv; traced
t 'that changed: everything' is "$(computed t.db)" 8
between() { # the first row waits for the gate; the second one's trace changes meanwhile
	cp trace.csv later.csv
	sed -e '/^\[cost_model:a\]/,$d' trace.ini >late.ini
	printf '[cost_model]\nplugin = gated\n' >>late.ini
	GATE=gate "$host" sweep late.ini --quiet --output /dev/null --jobs 1 \
		--axis workload.trace=trace.csv,later.csv --axis cost_model.waits=1,0 --zip workload.trace,cost_model.waits \
		--store late.db & waiting=$!
	until [ -s late.db ] && [ "$(sql late.db 'SELECT count(*) FROM study' 2>/dev/null)" = 1 ]; do sleep 0.05; done
	head -2 trace.csv >later.csv; : >gate; wait $waiting
	is "$(sql late.db 'SELECT min(completed), max(completed) FROM results')" '3.0|3.0'
}
t 'a trace of an axis that changes meanwhile is one trace to all rows' between

# --- the same rows ----------------------------------------------------------------------
# shellcheck disable=SC2086
sweep $rates $sizes --store one.db --jobs 1
# shellcheck disable=SC2086
sweep $rates $sizes --store two.db --jobs 2
t 'one worker or two' same one.db two.db
# shellcheck disable=SC2086
sweep $rates $sizes --store inside.db --in-process
t 'or none' same one.db inside.db
for i in 0 1 2; do
	# shellcheck disable=SC2086
	sweep $rates $sizes --store "s$i.db" --shard $i/3
done
t 'shards are a third each' is "$(sql s1.db 'SELECT count(*) FROM point')" 4
t 'and say which' is "$(sql s1.db 'SELECT shard, shards FROM study')" '1|3'
t 'three shards merge' "$host" sweep merge merged.db s0.db s1.db s2.db
t 'into the same rows' same one.db merged.db
t 'not into one of them' says 2 's1.db: is one of the stores' "$host" sweep merge ./s1.db s0.db s1.db s2.db
t 'a shard that is missing is named' says 2 'missing: 1' "$host" sweep merge no.db s0.db s2.db
# shellcheck disable=SC2086
sweep $rates --axis engine.tensor_parallel_size=1,2 --store other.db --shard 1/3
t 'a merge of different studies says what differs' says 2 'engine.tensor_parallel_size' "$host" sweep merge no.db s0.db other.db s2.db
t 'and makes nothing' test ! -e no.db
env_shard() { # VARIABLE=1
	# shellcheck disable=SC2086
	rm -f e.db && env "$1" "$host" sweep c.ini --quiet --output /dev/null $rates $sizes --store e.db --shard --shards 3 && same e.db s1.db
}
t 'a shard by its number in a Slurm array' env_shard SLURM_ARRAY_TASK_ID=1
t 'or by that of a Kubernetes job' env_shard JOB_COMPLETION_INDEX=1
# shellcheck disable=SC2086
t 'whatever Slurm counts' env SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_ID=1 "$host" sweep c.ini --quiet --output /dev/null $rates $sizes --store e.db --shard --shards 3
# shellcheck disable=SC2086
t 'a shard beyond the last' says 2 'count from 0' sweep $rates --store e2.db --shard 3/3

# --- killed --------------------------------------------------------------------------------
big='--set workload.num_requests=1500 --axis workload.request_rate=5:24:1 --axis engine.tensor_parallel_size=1,2,4'
began_ns=$(date +%s%N)
# shellcheck disable=SC2086
sweep $big --store whole.db
whole_ns=$(($(date +%s%N) - began_ns))
# wait_for N: sleeps for N times the duration of this sweep on this machine.
wait_for() { sleep "$(awk -v n="$1" -v ns=$whole_ns 'BEGIN { printf "%.3f", n * ns / 1e9 }')"; }
random() { awk -v seed="$1" 'BEGIN { srand(seed); print 0.02 + 0.25 * rand() }'; }
killed=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	# shellcheck disable=SC2086
	"$host" sweep c.ini --quiet --output /dev/null $big --store killed.db &
	pid=$!
	wait_for "$(random $i)"
	kill -9 $pid 2>/dev/null && killed=$((killed + 1))
	wait $pid 2>/dev/null
	# It opens, and its rows are right.
	if [ -e killed.db ] && "$host" sweep show killed.db --format csv >shown 2>&1; then :; else
		grep -q 'no store\|is empty' shown || { [ -e killed.db ] && cat shown; }
	fi
done
echo "# $killed of 12 calls were killed"
t 'some were killed' test $killed -gt 0
# shellcheck disable=SC2086
sweep $big --store killed.db
t 'after twelve kills and one more call: the same rows' same whole.db killed.db
# shellcheck disable=SC2086
"$host" sweep c.ini --quiet --output /dev/null $big --set workload.num_requests=9000 --store int.db &
pid=$!; wait_for 1; kill -TERM $pid; wait $pid; code=$?
t 'a signal ends it with 130' is $code 130
t 'and keeps what is done' test "$(sql int.db 'SELECT count(*) FROM result')" -gt 0
t 'without leaving a lock behind' test ! -e int.db.lock

# --- stores that are none -------------------------------------------------------------------
echo 'this is a text and no data base, whatever it is called' >text.db
t 'a text is no store' says 3 'not a store' "$host" sweep show text.db
# shellcheck disable=SC2086
t 'nor is it overwritten' says 3 'not a store' sweep $rates --store text.db
t 'it stays' grep -q 'this is a text' text.db
python3 -c "import sqlite3; sqlite3.connect('foreign.db').execute('CREATE TABLE mine (x)')"
t 'nor is another data base' says 3 'not the store of a sweep' "$host" sweep show foreign.db
cp one.db schema.db; sql schema.db 'UPDATE study SET schema = 99' >/dev/null
# shellcheck disable=SC2086
t 'another schema is refused by its number' says 3 'schema 99' sweep $rates $sizes --store schema.db
head -c 20000 one.db >cut.db
t 'a file that was cut off' says 3 'cut off' "$host" sweep show cut.db
cp cut.db cut2.db
# shellcheck disable=SC2086
t 'is not written to' says 3 'cut off' sweep $rates $sizes --store cut.db
t 'at all' cmp cut.db cut2.db
# shellcheck disable=SC2086
t 'other axes are another study' says 2 'other axes' sweep $rates --store one.db
t 'a store that there is not' says 2 'No such file' "$host" sweep show nothing.db
# shellcheck disable=SC2086
sweep $big --set workload.num_requests=9000 --store held.db & pid=$!
wait_for 0.5
# shellcheck disable=SC2086
t 'two sweeps into one store' says 2 'held' sweep $rates $sizes --store held.db
kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
no_root=$(cd "$top" && without_power)
mkdir folder && cp one.db folder/ && chmod 555 folder && chmod 444 folder/one.db
if [ -n "$no_root" ] && $no_root test ! -w folder; then
	# shellcheck disable=SC2086
	t 'a folder that is read-only: one line' says 2 'folder/' $no_root "$host" sweep c.ini $rates $sizes --store folder/one.db
	t 'and one only' is "$(wc -l <said)" 1
	# shellcheck disable=SC2086
	t 'its store can be read' $no_root "$host" sweep show folder/one.db
else
	skip 'a folder that is read-only' 'everything may be written here'
fi
# shellcheck disable=SC2086
full() { ( ulimit -f 60; "$host" sweep c.ini --quiet --output /dev/null $big --store full.db ) >said 2>&1; }
full; code=$?
t 'a file that cannot grow: an error' is $code 2
t 'of one line' is "$(grep -c . said)" 1
t 'that names the file' grep -q 'full.db' said
# shellcheck disable=SC2086
sweep $big --store full.db
t 'and with room, the same rows' same whole.db full.db

# ---- the text of many rows is the front; --all and the other forms have all -----
many="--axis workload.request_rate=1:15:1 --axis engine.max_num_seqs=8,64"
shorter() {
	"$host" sweep c.ini $many --store many.db >short 2>err && cat short err && "$host" sweep c.ini $many --store many.db --all --quiet >long &&
		"$host" sweep c.ini $many --store many.db --format csv --quiet >all.csv && "$host" sweep show many.db >show &&
		[ "$(wc -l <short)" -lt "$(wc -l <long)" ] && cmp long show && grep -q 'rows are shown' err && [ "$(wc -l <all.csv)" -gt 30 ]
}
t 'many rows: the Pareto front' shorter
tap_done
