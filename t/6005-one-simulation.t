#!/bin/sh
# One simulation: what `validate` predicts for a published run is what `run` predicts
# with the settings of --explain as its configuration and the same requests.
. "${top_srcdir:-.}/t/lib/tap.sh"
host=$top_builddir/stepcost
serving=$top_srcdir/bench_data/serving
published=$top_srcdir/etc/published.ini
cd "$tap_tmp" || exit 1
value() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$2" | head -n 1; }
near() { # A B: `run` rounds the TPOT of a request to 1 ns
	[ -n "$1" ] && [ -n "$2" ] && awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= (1e-6) ^ 2) }'
}
cell() { # COLUMN: of the first row of predicted.csv
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' predicted.csv
}
same() { # a figure of the row is that of the run
	for m in mean_ttft_ms mean_tpot_ms mean_e2el_ms; do
		echo "$m: $(cell $m) $(value $m run.json)"
		near "$(value $m run.json)" "$(cell $m)" || return 1
	done
}
settings() { # ROW: arguments of run
	"$host" validate "$published" --measured row.csv --explain "$1" >explained || return 1
	sed -n 's/^  --set /--set\n/p; s/^  of arms that have it: /--set\ncost_model./p' explained
}
published_row() { # FILE ID
	{ head -n 1 "$serving/$1"; grep "^$2," "$serving/$1"; } >row.csv
	"$host" validate "$published" --measured row.csv --quiet --format csv --write-requests requests.csv >predicted.csv || return 1
	clients=$(python3 -c 'import csv; print(next(csv.DictReader(open("row.csv")))["concurrency"])')
	{ echo 'arrived_at,num_prefill_tokens,num_decode_tokens'
		tail -n +2 requests.csv | sort -t, -k3n | awk -F, '{ print "0," $11 "," $12 }'; } >trace.csv
	settings "$2" >set || return 1
	# shellcheck disable=SC2046 # a word each
	"$host" run "$published" $(cat set) --set workload.trace=trace.csv --set workload.format=vidur \
		--set "workload.concurrency=$clients" --quiet --format json >run.json || return 1
	same
}
t 'vLLM, by the times of its preset' published_row inferencex-vllm.csv S-2026_04_06_llama_3_1_70b_b200_sxm_vllm_fp4_agg_1024x1024_c8_tp1_ep1_822
in_force() { grep '"front_end": "measured"' run.json | grep -q "\"$1\": $2, .*\"source\": \"InferenceX"; }
t 'which are in force' in_force api_overhead_us 15000
t 'without being set for the row' sh -c '! grep -q "api_" set'
for id in $(python3 - "$serving" <<'P'
# A row of each engine, publisher and way to launch, the smallest of each.
import csv, sys
seen = {}
for engine in "vllm", "sglang", "trtllm":
    for r in csv.DictReader(open("%s/inferencex-%s.csv" % (sys.argv[1], engine))):
        flags = r["flags"]
        if any(f in flags for f in ("SPEC_", "REPEATS", "SET_ASIDE", "CONFIG_", "TP_", "WORKERS_", "INCONSISTENT")) or not r["concurrency"] or r["data_parallel_size"] not in ("", "1"):
            continue
        work = float(r["concurrency"]) * float(r["output_tokens"])
        key = engine, r["origin"], r["gpu"][:4], r["model"][:12]
        if key not in seen or work < seen[key][0]:
            seen[key] = work, "inferencex-%s.csv:%s" % (engine, r["id"])
print(*(w[1] for w in sorted(seen.values())[:12]))
P
); do
	t "${id#*:}" published_row "${id%%:*}" "${id#*:}"
done

# ---- a run of the user's own, request by request -------------------------------
cat >mine.ini <<'X'
[model]
config = llama-2-7b
[hardware]
config = h100-sxm
[engine]
preset = vllm-0.24
[cost_model]
plugin = roofline_v1
X
own() { # OPTION...
	"$host" validate mine.ini --measured "$serving/bench-serve.json" --quiet --format csv "$@" >predicted.csv &&
		"$host" run mine.ini --set "workload.trace=$serving/bench-serve.json" --quiet --format json "$@" >run.json && same
}
t 'a result of vllm bench serve' own
with=$(cell mean_ttft_ms)
t 'the same without times' own --set engine.front_end=none
t 'which the configuration decides' awk -v a="$with" -v b="$(cell mean_ttft_ms)" 'BEGIN { exit !(a > b + 17) }'
t 'a time by hand counts without the others' own --set engine.front_end=none --set engine.api_overhead_us=5000
t 'and beside them' own --set engine.api_overhead_us=5000
t 'without a preset there are none' own --set engine.preset=none
tap_done
