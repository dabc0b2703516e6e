#!/bin/sh
# The field: published cost models on measured runs.  A model's error on a set is
# the same on all pages, and each finding of doc/field.md holds.
. "${top_srcdir:-.}/t/lib/tap.sh"
command -v python3 >/dev/null 2>&1 || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
host=$(cd "$top_builddir" && pwd)/stepcost here=$(cd "$top_srcdir" && pwd)
STEPCOST_DATA_PATH=$here; export STEPCOST_DATA_PATH
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
cd "$tap_tmp" || exit 1
t 'few measurements through the whole field' sh -c "'$host' arena '$here/etc/field-ci.ini' --quiet --store s.csv --format csv >ci.csv"
figures() { # of a model on a set: n, mean error in percent
	awk -F, -v set="$1" -v arm="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == set && $2 == arm { print $at["n"], 100 * $at["mean"], 100 * $at["bias"] }' ci.csv
}
of() { # SET ARM CONDITION over n, e (mean), b (bias)
	got=$(figures "$1" "$2"); echo "$1 $2: $got"
	[ -n "$got" ] && echo "$got" | awk "{ n = \$1; e = \$2; b = \$3; exit !($3) }"
}
nearer() { # SET ARM OTHER
	a=$(figures "$1" "$2" | cut -d' ' -f2) b=$(figures "$1" "$3" | cut -d' ' -f2)
	echo "$1: $2 $a, $3 $b"; [ -n "$a" ] && [ -n "$b" ] && awk "BEGIN { exit !($a < $b) }"
}
t 'the runs are 9 and 23' of 'vllm-single-stream TPOT' operators 'n == 9'
t 'and 20 that were not overloaded' of 'vllm-0.11-replay TPOT' operators 'n == 20'
t 'and 28 of three engines' of 'field-ci TPOT' operators 'n == 28'
verbatim() { python3 -c 'import csv, sys
def of(name): return list(csv.DictReader(open("%s/%s.csv" % (sys.argv[1], name))))
all_runs = {name: of(name) for name in ("vllm-closed-loop", "inferencex-sglang", "inferencex-trtllm")}
rows = {r["id"]: r for runs in all_runs.values() for r in runs}
ours = of("field-ci")
assert len(ours) == 28 and len({r["engine"] for r in ours}) == 3
for r in ours:
    assert all(r[c] == rows[r["id"]].get(c, "") for c in r), r["id"]
for name, source, models in (("field-sglang", "inferencex-sglang", ("Qwen/Qwen3-32B",)),
        ("field-trtllm", "inferencex-trtllm", ("Qwen/Qwen3-32B", "meta-llama/Llama-3.1-8B-Instruct"))):
    want = [r for r in all_runs[source] if r["gpu"] == "H100-SXM-80GB" and r["model"] in models]
    assert want and of(name) == want, name' "$here/bench_data/serving"; }
t 'which are rows of the files of all runs' verbatim
for arm in blis_roofline genz aic_sol llm_optimizer; do
	t "$arm, of peaks alone, is short" of 'vllm-0.11-replay TPOT' $arm 'b < -15'
done
for set in 'vllm-single-stream TPOT' 'vllm-0.11-replay TPOT'; do
	t "$set: tables are nearer than peaks" nearer "$set" aic_tables aic_sol
	t "$set: and operators" nearer "$set" operators blis_roofline
done
t 'another GPU than the origin has is refused' of 'steps-h200-own' genz 'n == 0'

# What a model says of requests outside of steps counts alone, in validate too.
sed '/^\[arena\]/,/^$/d' "$here/etc/field-ci.ini" >plain.ini
same_error() { # ARM
	"$host" validate plain.ini --measured "$here/bench_data/serving/vllm-single-stream.csv" --arms "$1" --quiet --format csv >one.csv || return 1
	python3 -c 'import csv, sys
rows = [r for r in csv.DictReader(open("one.csv")) if r["measured_mean_ttft_ms"]]
is_ = sum(abs(float(r["mean_ttft_ms"]) / float(r["measured_mean_ttft_ms"]) - 1) for r in rows) / len(rows) * 100
print(len(rows), is_, sys.argv[1:])
assert len(rows) == int(sys.argv[1]) and abs(is_ / float(sys.argv[2]) - 1) < 1e-5' $(figures 'vllm-single-stream TTFT' "$1")
}
t 'validate has the error of the arena for a model that prices requests' same_error blis_trained_physics
t 'and for one that does not' same_error roofline_v1

step() { # ARM LINE OF STEPS: the remark on it
	printf 'decode,prefill\n%s\n' "$2" >s.txt
	"$host" eval "$here/etc/field.ini" --arms "$1" --steps s.txt >out 2>&1; cat out
}
above() { step blis_trained_physics ,0:2048 | grep -q 'faster than the hardware.*peak rate takes'; }
t 'a prompt above the peak of the GPU is named' above
two_of_three() { # more than two thirds of the FLOPs of a prompt, all of them in three matrices
	printf '[model]\nconfig = llama-3.1-8b\n[hardware]\nconfig = h100-sxm\n[cost_model]\nplugin = blis_roofline\n' >two.ini
	printf 'decode,prefill\n,0:4096\n' >two.csv
	"$host" eval two.ini --steps two.csv --quiet --format csv >out && "$host" eval two.ini --steps two.csv --quiet --format csv \
		--set model.intermediate_size=21504 >wide || return 1
	python3 -c 'import csv
a, b = (float(next(csv.DictReader(open(f)))["exact_us"]) for f in ("out", "wide"))
flops = 32 * 2 * 4096 * (4096 * 4096 * 2 + 2 * 4096 * 1024 + 2 * 4096 * 14336)
more = 32 * 2 * 4096 * 2 * 4096 * 7168 / (989.5e12 * .45) * 1e6
print(a, b, b - a, more)
assert abs((b - a) / more - 1) < 1e-9'
}
t 'two matrices of an FFN, not three' two_of_three

pages() { python3 "$here/tools/field_pages.py" "$here"/doc/*.md; }
t 'an error is the same on all pages' pages
lied() {
	mkdir doc && cp "$here"/doc/field.md "$here"/doc/which-cost-model.md doc/ &&
		sed 's/^| `aic_sol` | \([0-9]*\)/| `aic_sol` | 9\1/' doc/which-cost-model.md >doc/lie.md && ! cmp -s doc/lie.md doc/which-cost-model.md &&
		! python3 "$here/tools/field_pages.py" doc/field.md doc/lie.md
}
t 'another one is found' lied
tap_done
