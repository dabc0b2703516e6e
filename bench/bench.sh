#!/bin/sh
# What simulating costs: whole processes, user CPU of all of them, beside a bare
# loop that does the same schedule (bench/bare.c).  Wall time is for people; for
# comparing two versions take the instruction counts, which repeat.
# usage: bench.sh [REQUESTS]   (run by `make bench`)
set -eu
: "${top_srcdir:=.}" "${top_builddir:=.}"
requests=${1:-100000}
here=$top_srcdir/bench host=$top_builddir/stepcost
bare=$top_builddir/bench/bare measure=$top_builddir/bench/measure
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# measured COMMAND...: user, system and wall seconds and megabytes in $user $sys $wall $mb
measured() {
	"$measure" "$@" 3>"$tmp/cost" >"$tmp/out" 2>"$tmp/err" ||
		{ cat "$tmp/err" >&2; exit 1; }
	read -r user sys wall mb <"$tmp/cost"
}
json() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\{0,1\}$/\1/p" "$tmp/out" | head -n 1; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }

echo "simulating $requests requests, Llama-3.1-8B on an H100, 256 sequences, 2,048 tokens"
printf '%-8s %-16s %9s %10s %6s %8s %8s %8s %7s %6s\n' load model steps \
	sequences batch 'user s' ns/step ns/seq 'RSS MB' 'x bare'
for load in light heavy; do
	measured "$bare" $load "$requests"
	read -r steps sequences _ <"$tmp/out"
	bare_ns=$(calc %.4f "1e9 * $user / $sequences")
	printf '%-8s %-16s %9s %10s %6s %8s %8s %8s %7s %6s\n' $load '(bare loop)' \
		"$steps" "$sequences" "$(calc %.1f "$sequences / $steps")" "$user" \
		"$(calc %.0f "1e9 * $user / $steps")" \
		"$(calc %.2f "$bare_ns")" "$mb" 1.00
	for model in const_step roofline_v1 smooth_roofline mfu_interp; do
		measured "$host" run "$here/$load.ini" --arms $model --quiet \
			--format json --set workload.num_requests="$requests"
		steps=$(json num_steps) sequences=$(json scheduled_sequences)
		printf '%-8s %-16s %9s %10s %6s %8s %8s %8s %7s %6s\n' $load \
			$model "$steps" "$sequences" \
			"$(calc %.1f "$sequences / $steps")" "$user" \
			"$(calc %.0f "1e9 * $user / $steps")" \
			"$(calc %.2f "1e9 * $user / $sequences")" "$mb" \
			"$(calc %.2f "1e9 * $user / $sequences / $bare_ns")"
	done
done

echo
echo 'lognormal lengths, 20 requests a second: the last column is user time over'
echo "that of const_step, whose prices cost nothing"
for model in const_step roofline_v1 mfu_interp operators; do
	measured "$host" run "$here/lognormal.ini" --arms $model --quiet \
		--format json --set workload.num_requests="$requests"
	steps=$(json num_steps) sequences=$(json scheduled_sequences)
	if [ $model = const_step ]; then plain=$user; fi
	printf '%-16s %9s steps of %6s sequences %8s s %8s ns/step %8s MB %6s\n' \
		$model "$steps" "$(calc %.1f "$sequences / $steps")" "$user" \
		"$(calc %.0f "1e9 * $user / $steps")" "$mb" \
		"$(calc %.2f "$user / $plain")"
done

echo
echo 'pricing a step: eval() alone, ns of user time by decodes in a step; the last column is'
echo 'the most of what is there over roofline_v1 (Llama-3.1-8B at tp 1, DeepSeek-V3 at tp 8)'
printf '%-12s %-16s %7s %7s %7s %7s %6s\n' model 'cost model' 1 16 64 256 'x v1'
"$top_builddir/bench/steps" "$here/dense.ini" "$here/latent.ini" | awk '$2 == "roofline_v1" { for (i = 3; i < 7; i++) v1[i] = $i }
	{ most = 0; for (i = 3; i < 7; i++) if ($i / v1[i] > most) most = $i / v1[i]
	printf "%-12s %-16s %7d %7d %7d %7d %6.2f\n", $1, $2, $3, $4, $5, $6, most }'

echo
echo 'the engine alone (light load, const_step), by what is switched on'
printf '%-44s %8s %8s %7s\n' switch 'user s' ns/seq 'RSS MB'
switch() {
	name=$1; shift
	measured "$host" run "$here/light.ini" --arms const_step --quiet \
		--format json --set workload.num_requests="$requests" "$@"
	printf '%-44s %8s %8s %7s\n' "$name" "$user" \
		"$(calc %.2f "1e9 * $user / $(json scheduled_sequences)")" "$mb"
}
switch 'synchronous'
switch 'async_scheduling' --set engine.async_scheduling=true
switch 'enable_prefix_caching, no common prefix' --set engine.enable_prefix_caching=true
switch 'enable_prefix_caching, 100 prompts' --set engine.enable_prefix_caching=true \
	--set workload.prompts=100
switch '8 replicas, least_outstanding' --set engine.replicas=8 \
	--set engine.routing=least_outstanding

echo
echo 'under preset = vllm-0.24, beside the same INI without it but with its prefix caching'
echo 'and async scheduling: user seconds; the least of three runs each'
printf '%-8s %-16s %8s %8s %7s\n' load model without preset ratio
least() { # LOAD MODEL --set...: user seconds in $best
	load=$1 model=$2 best=
	shift 2
	for _ in 1 2 3; do
		measured "$host" run "$here/$load.ini" --arms "$model" --quiet \
			--set workload.num_requests="$requests" "$@"
		[ -n "$best" ] && [ "$(calc %d "$best <= $user")" = 1 ] || best=$user
	done
}
for load in light heavy; do
	for model in const_step roofline_v1; do
		least $load $model --set engine.enable_prefix_caching=true \
			--set engine.async_scheduling=true
		without=$best
		least $load $model --set engine.preset=vllm-0.24
		printf '%-8s %-16s %8s %8s %7s\n' $load $model "$without" "$best" \
			"$(calc %.2f "$best / $without")"
	done
done

echo
echo 'a sweep of 1,000 points of 1,000 requests: CPU time, and over that of its runs'
measured "$host" sweep "$here/lognormal.ini" --arms roofline_v1 --quiet \
	--axis workload.seed=1:1000:1 --set workload.num_requests=1000 \
	--store "$tmp/sweep.db" --output /dev/null
runs=$(python3 -c 'import sqlite3, sys
print(*sqlite3.connect(sys.argv[1]).execute("SELECT sum(cpu_seconds) FROM log").fetchone())' "$tmp/sweep.db")
printf '%-44s %8s s %8s\n' roofline_v1 "$(calc %.2f "$user + $sys")" "$(calc %.2f "($user + $sys) / $runs")"

echo
echo 'reading traces'
awk -v n="$requests" 'BEGIN { print "arrival_us,input_tokens,output_tokens"
	for (i = 0; i < 10 * n; i++) print i * 49999 "," 1 + i % 997 "," 1 + i % 499 }' >"$tmp/t.csv"
awk -v n="$requests" 'BEGIN { for (i = 0; i < n; i++) {
	line = "{\"timestamp\": " i * 50 ", \"input_length\": 4096, \"output_length\": 128, \"hash_ids\": ["
	for (k = 0; k < 8; k++) line = line (k ? ", " : "") (i % 500) * 8 + k
	print line "]}" } }' >"$tmp/t.jsonl"
for f in t.csv t.jsonl; do
	bytes=$(wc -c <"$tmp/$f")
	measured "$host" trace info "$tmp/$f"
	printf '%-44s %8s s %8s MB/s %7s MB\n' "$f, $((bytes / 1000000)) MB" "$user" \
		"$(calc %.0f "$bytes / 1e6 / ($user + 1e-9)")" "$mb"
done

echo
echo 'starting, and arms side by side'
measured "$host" run "$here/light.ini" --arms roofline_v1 --quiet --set workload.num_requests=1
printf '%-44s %8s ms user %8s ms wall\n' 'one request' "$(calc %.1f "1e3 * $user")" "$(calc %.1f "1e3 * $wall")"
arms() { # N arms of one plugin
	sed '/^\[cost_model/,/^\[workload/{/^\[workload/!d}' "$here/light.ini" |
		sed "s|\.\./bench_data|$(cd "$top_srcdir" && pwd)/bench_data|" >"$tmp/arms.ini"
	for k in $(seq "$1"); do
		printf '[cost_model:arm%d]\nplugin = roofline_v1\n' "$k" >>"$tmp/arms.ini"
	done
	measured "$host" compare "$tmp/arms.ini" --quiet \
		--set workload.num_requests="$requests"
}
arms 1; one=$wall
arms 5
printf '%-44s %8s s wall %8s times one arm\n' "5 arms of one plugin on $(getconf _NPROCESSORS_ONLN) cores" \
	"$wall" "$(calc %.2f "$wall / $one")"

command -v valgrind >/dev/null || exit 0
echo
echo 'instructions per sequence-step (callgrind)'
. "$here/instructions.sh"
for load in light heavy; do
	for model in const_step roofline_v1 mfu_interp; do
		printf '%-8s %-16s %8s\n' $load $model "$(instructions $load $model)"
	done
done
