#!/bin/sh
# recommend: configurations with a capacity that can be worked out by hand; refusals;
# the same bytes however many workers there are.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
c=$tap_tmp/c.ini
cat >"$c" <<'X'
[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:slow]
plugin = const_step
base_us = 1000
per_token_us = 0
[cost_model:fast]
plugin = const_step
base_us = 500
per_token_us = 0
[workload]
num_requests = 200
arrival = poisson
request_rate = 10
input_tokens = uniform:50,150
output_tokens = uniform:5,15
X
says() {
	code=$1 want=$2; shift 2; "$@" >"$tap_tmp/log2" 2>&1; got=$?
	cat "$tap_tmp/log2"; [ $got -eq "$code" ] && grep -qF -- "$want" "$tap_tmp/log2"
}
small() { # OPTION...: a few configurations of two GPUs, one draw
	"$host" recommend "$c" --gpus 2 --slo "${slo:-ttft_p99_ms=20}" --one-draw --quiet --serve aggregated \
		--search engine.max_num_seqs=1,8 --fix engine.max_num_batched_tokens "$@"
}
t 'replicas and sequences, whatever a step computes' says 0 'tp 1 x 2, max_num_seqs 8' small
t 'both arms agree' grep -q '^The choice is robust' "$tap_tmp/log2"
t 'the longest request bounds the context' grep -q '^max_model_len = 165, the longest request' "$tap_tmp/log2"
alike() { small --format json --output "$tap_tmp/$1" --jobs "$2" && cmp "$tap_tmp/1" "$tap_tmp/$1"; }
t 'one worker' alike 1 1
t 'eight workers: the same bytes' alike 8 8
t 'no worker: the same bytes' sh -c "'$host' recommend '$c' --gpus 2 --slo ttft_p99_ms=20 --one-draw --quiet --serve aggregated --format json --in-process \
	--search engine.max_num_seqs=1,8 --fix engine.max_num_batched_tokens | cmp - '$tap_tmp/1'"
# The guarantee is looked at: no configuration that is out is much better.
t 'some that are out, searched in full' says 0 'slow: 2 configurations that were out were searched in full; the best has ' small --verify 2
t 'none breaks the guarantee' sh -c "! grep 'which breaks' '$tap_tmp/log2'"
t 'without a race there is nothing to verify' says 2 'nothing to verify' small --verify 2 --exhaustive

# --- a store ---------------------------------------------------------------------------
kept() { small --format json --output "$tap_tmp/kept" --store "$tap_tmp/$1.db" && cmp "$tap_tmp/1" "$tap_tmp/kept"; }
killed() { # once its store has rows
	"$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 --one-draw --quiet --serve aggregated --jobs 1 --output /dev/null \
		--search engine.max_num_seqs=1,8 --fix engine.max_num_batched_tokens --store "$tap_tmp/k.db" &
	p=$!
	while kill -0 $p && ! "$host" sweep check "$tap_tmp/k.db" 2>/dev/null | grep -q '^[^0]'; do :; done
	kill -9 $p; wait $p; kept k
}
rows() { "$host" sweep check "$tap_tmp/$1.db" | sed 's/.*: //'; }
t 'a call that was killed goes on, and ends with the same bytes' killed
again() { before=$(rows k); kept k && [ "$(rows k)" = "$before" ]; }
t 'then nothing is left to simulate' again
part() { small --store "$tap_tmp/part$1.db" --shard "$1" --shards 2 --output "$tap_tmp/none"; }
merged() { part 0 && part 1 && [ ! -e "$tap_tmp/none" ] &&
	"$host" sweep merge "$tap_tmp/m.db" "$tap_tmp/part0.db" "$tap_tmp/part1.db" && kept m; }
t 'each arm raced elsewhere: the same bytes' merged
t 'more shards than arms' says 2 'is of one piece' small --store "$tap_tmp/part.db" --shard 0/3
t 'a shard without a store' says 2 '--shard: needs --store' small --shard 0/2
# A Slurm that runs tasks at once, one after the other; beside job.sh.no task 1 never runs.
mkdir "$tap_tmp/bin"
cat >"$tap_tmp/bin/sbatch" <<'X'
#!/bin/sh
list=$(echo "$2" | sed 's/--array=//; s/,/ /g')
for part in $list; do
	for i in $(seq "${part%-*}" "${part#*-}"); do
		[ -e "$3.no" ] && [ "$i" -eq 1 ] && continue
		SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=1 sh "$3" >"${3%/*}/shard-$i.out" 2>&1
	done
done
echo 7
X
printf '#!/bin/sh\necho "slurm_load_jobs error: Invalid job id specified" >&2; exit 1\n' >"$tap_tmp/bin/squeue"
chmod +x "$tap_tmp/bin/sbatch" "$tap_tmp/bin/squeue"
array() { # NAME OPTION...
	name=$1; shift
	PATH=$tap_tmp/bin:$PATH small --format json --output "$tap_tmp/kept" --store "$tap_tmp/$name.db" --slurm "$tap_tmp/$name" --front "$@"
}
dry() { array dry --slurm-dry-run >"$tap_tmp/log2" && grep -qx '#SBATCH --job-name=stepcost-recommend' "$tap_tmp/log2" &&
	grep -q 'array=0-1' "$tap_tmp/log2" && ! grep -e --front "$tap_tmp/log2" && [ ! -e "$tap_tmp/dry.db" ] && [ ! -e "$tap_tmp/dry" ]; }
t 'a dry run of an array' dry
slurm() { small --format json --front --output "$tap_tmp/front" && array a && cmp "$tap_tmp/front" "$tap_tmp/kept"; }
t 'an array: a task for each arm, and the same bytes' slurm
twice() { cp -p "$tap_tmp/a/job" "$tap_tmp/job" && array a && [ ! "$tap_tmp/a/job" -nt "$tap_tmp/job" ]; }
t 'called again it submits nothing' twice
mkdir "$tap_tmp/b" && touch "$tap_tmp/b/job.sh.no"
t 'a task that never ended' says 1 '1 of 2 shards are unfinished; the first is 1' array b
lost() { rm "$tap_tmp/b/job.sh.no" && array b && cmp "$tap_tmp/front" "$tap_tmp/kept"; }
t 'is submitted again' lost
t 'an array without a store' says 2 '--slurm: needs --store' small --slurm "$tap_tmp/c"
t 'more tasks than arms' says 2 'is of one piece' small --slurm "$tap_tmp/c" --shards 3 --store "$tap_tmp/c.db"
t 'an array and a shard' says 2 "--shard is for its tasks" small --slurm "$tap_tmp/c" --shard 0/2 --store "$tap_tmp/c.db"
t 'a store of a sweep' sh -c "'$host' sweep '$c' --axis workload.request_rate=5 --store '$tap_tmp/s.db' --quiet >/dev/null"
t 'is not one of simulations' says 2 'take another --store' small --store "$tap_tmp/s.db"

field() { # NAME ARM: of the CSV, its winner
	awk -F, -v name="$1" -v arm="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == arm && $2 == "winner" { print $at }' "$tap_tmp/csv"
}
# The race and full searches of all configurations choose alike, within twice
# the precision.
races() {
	small --format csv --output "$tap_tmp/csv" && race=$(field request_rate slow) &&
		small --format csv --exhaustive --output "$tap_tmp/csv" && all=$(field request_rate slow) &&
		awk -v a="$race" -v b="$all" 'BEGIN { print a, b; exit !(a >= 0.96 * b) }'
}
t 'the race loses nothing' races
t 'the fewest GPUs for a rate' says 0 'tp 1 x 1, max_num_seqs 8' small --rate 50
t 'a rate that nothing serves: exit 1, and how near it is' says 1 'slow: nearest: tp ' small --rate 100000
slo=e2el_mean_ms=0.1
t 'a bound that nothing meets' says 1 'when nearly unloaded' small
few() { small --budget 1 --store "$tap_tmp/few.db"; [ "$(rows few)" = '4 rows are good' ] || { rows few; return 1; }; }
t 'only those that the race tried are asked how near they are' few
sed '/^arrival/d; s/^request_rate.*/concurrency = 4/' "$c" >"$tap_tmp/closed.ini"
closed() { "$host" recommend "$tap_tmp/closed.ini" --gpus 2 --slo "$slo" --quiet --serve aggregated --fix engine.max_num_seqs,engine.max_num_batched_tokens "$@"; }
t 'a closed loop is asked at its own load' says 1 'slow: nearest: tp 1 x 2: mean_e2el_ms is ' closed
slo=e2el_mean_ms=1000
t 'where a run is too short, that is said' says 1 'slow: nearest: tp 1 x 2: too short' closed --set workload.num_requests=20
slo=
t 'prefill and decode apart' says 0 'prefill tp 1 x 1, decode tp 1 x 1' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 \
	--one-draw --quiet --serve disaggregated --fix engine.max_num_batched_tokens --search engine.max_num_seqs=8
# From replicas that do both to pools: the pool that generates has tables, too.
tables() {
	sed -e '/^\[cost_model:/,/^per_token/d' -e 's/= 200/= 20/' "$c" >"$tap_tmp/o.ini"
	printf '[cost_model]\nplugin = operators\n' >>"$tap_tmp/o.ini"
	"$host" recommend "$tap_tmp/o.ini" --gpus 2 --slo ttft_p99_ms=500 --one-draw --in-process >"$tap_tmp/log2" 2>&1 \
		--search engine.tensor_parallel_size=1 --fix engine.max_num_batched_tokens,engine.max_num_seqs &&
		grep -q '^2 configurations' "$tap_tmp/log2" && ! grep 'no tables' "$tap_tmp/log2"
}
t 'pools that come behind a replica that does both have tables' tables
printf 'engine.tensor_parallel_size,engine.replicas\n1,1\n1,2\n1,3\n' >"$tap_tmp/points.csv"
t 'a list of configurations' says 0 '3 configurations; ' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 --one-draw --quiet --points "$tap_tmp/points.csv"
t 'one needs too many GPUs' grep -q 'slow: 1 cannot be: needs 3 GPUs; there are 2' "$tap_tmp/log2"
t 'prices decide' says 0 'tp 1 x ' small --objective usd
t 'a budget' says 0 'configurations untried' small --budget 1
# The answer for a workload without end has an interval.
t 'an interval' sh -c "'$host' recommend '$c' --gpus 1 --slo ttft_p99_ms=20 --quiet --arms slow --serve aggregated \
	--search engine.max_num_seqs=8 --fix engine.max_num_batched_tokens | grep -qE '^slow +[0-9.]+  [0-9.]+ - [0-9.]+ '"

# --- runs that are too short -----------------------------------------------------------
short() { # a few requests fit into any bounds at any rate
	"$host" recommend "$c" --gpus 1 --slo ttft_p99_ms=50 --quiet --arms slow --one-draw --serve aggregated --format json \
		--search engine.max_num_seqs=64 --fix engine.max_num_batched_tokens "$@" >"$tap_tmp/j"
}
longer() { short && grep -q '"requests_per_run": [0-9]\{3,\},' "$tap_tmp/j" && grep -q '"request_rate_high": [0-9]' "$tap_tmp/j"; }
t 'twice the requests until they are enough' longer
fixed() { short --set workload.num_requests=1; [ $? -eq 1 ] && grep -q '"broken_by": "too short"' "$tap_tmp/j"; }
t 'a number of requests that stands is not met' fixed
some() { short --set workload.num_requests=60 && grep -q '"limited_by": "too short"' "$tap_tmp/j"; }
t 'or met only at rates that the run can tell' some

# --- bad input -------------------------------------------------------------------------
t 'no bound' says 2 'slo' "$host" recommend "$c" --gpus 2
slo=ttft_p99_ms=0
t 'a bound that is no time' says 2 'not a time above 0 ms' small
slo=
for n in 0 -1 x 65537; do
	t "GPUs: $n" says 2 '--gpus' "$host" recommend "$c" --slo ttft_p99_ms=20 "--gpus=$n"
done
t 'a key searched twice' says 2 'searched twice' small --search engine.max_num_seqs=2
t 'a key searched and fixed' says 2 'it is searched' small --fix engine.max_num_seqs
t 'a key of the requests' says 2 'the same requests' small --search workload.seed=1,2
t 'an unknown key' says 2 "unknown key 'nonsense'" small --search engine.nonsense=1,2
t 'no value' says 2 '--search engine.block_size' small --search engine.block_size=
t 'a value that the key refuses' says 2 'block_size = 0: not an integer' small --search engine.block_size=0
t 'too many' says 2 '240000 configurations, more than 100000: ' small --search engine.block_size=1:60000:1
t 'a budget allows a million' says 2 '1200000 configurations, more than 1000000: ' small --search engine.block_size=1:60000:1 --search engine.api_overhead_us=1:5:1 --budget 5
t 'too many ways to use GPUs' says 2 'more than 100000 ways to use the GPUs' "$host" recommend "$c" --gpus 65536 --slo ttft_p99_ms=20 \
	--search engine.tensor_parallel_size=1:99:1 --search engine.pipeline_parallel_size=1:99:1 --search engine.replicas=1:999:1
t 'too many values for one' says 2 '5000 values, more than 4096' "$host" recommend "$c" --gpus 65536 --slo ttft_p99_ms=20 --search engine.replicas=1:5000:1
{ echo engine.max_num_seqs; seq 100002; } >"$tap_tmp/many.csv"
t 'too many rows' says 2 'many.csv:100002: more than 100000 points' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 --points "$tap_tmp/many.csv"
t 'another model' says 2 'do not answer the same requests' small --models llama-3.1-8b,qwen3-8b
t 'no engine of that kind has a connector' says 2 'no connector' "$host" recommend "$c" --gpus 2 --slo ttft_p99_ms=20 \
	--serve disaggregated --set engine.preset=sglang
t 'nothing fits' says 1 'no configuration can be' small --set model.config=llama-3.1-405b
t 'the reason is counted' grep -qE '^slow: [0-9]+ cannot be: .*GB' "$tap_tmp/log2"
# An arm that fails: the others go on.
sed 's/^base_us = 500/base_us = 0/' "$c" >"$tap_tmp/bad.ini"
c=$tap_tmp/bad.ini
t 'a plugin that fails' says 4 'tp 1 x 2, max_num_seqs 8' small
tap_done
