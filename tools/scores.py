"""Measured serving runs beside what each cost model predicts of them.

scores.py runs ID...   of these runs: TTFT and TPOT in ms, measured, predicted
scores.py kinds        of kinds of runs: mean errors of TTFT and TPOT, percent
scores.py classes NAME of a cost model's runs by GPU family, class of model, format
                       and share of prompts that was computed: mean, median and
                       90th percentile of absolute errors of means, and bias; of
                       p99 TTFT mean, median, bias; percent, in Markdown
scores.py shares       of what `stepcost validate --format csv` writes, read from
                       the standard input: what share of prompt tokens was
                       computed, and what share of the time of steps the GEMMs
                       and the attention of prompts took

Reads bench_data/accuracy of $STEPCOST_DATA_PATH, which tools/accuracy.sh makes.
Runs that were overloaded are left out, and of a kind every run that one of the
cost models scored there did not price: each has the same runs.
"""
import csv
import glob
import os
import sys
from statistics import median

ACCURACY = os.path.join(os.environ.get("STEPCOST_DATA_PATH", "."), "bench_data", "accuracy")
METRICS = {"mean_ttft_ms": "TTFT", "mean_tpot_ms": "TPOT"}
SHARES = (("most cached", 0.25), ("some cached", 0.75), ("computed", 1e9))


def read():
    """{row: {"is": its line, (plugin, metric): (measured, predicted)}}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(ACCURACY, "*.csv"))):
        with open(path, newline="", encoding="utf-8") as f:
            for line in csv.DictReader(f):
                if line["saturated"] == "0" and line["metric"] in METRICS:
                    run = found.setdefault(line["source_row"], {"is": line})
                    run[line["plugin"], line["metric"]] = (float(line["measured_ms"]), float(line["predicted_ms"]))
    return found


def plugins(runs):
    """Those that priced one of the runs, the best first."""
    names = {key[0] for run in runs for key in run if key != "is"}
    both = [run for run in runs if all((name, "mean_tpot_ms") in run for name in names)]
    return sorted(names, key=lambda name: error(both, name, "mean_tpot_ms") or 0)


def error(runs, plugin, metric):
    """Mean of |predicted / measured - 1| in percent; None: no run."""
    pairs = [run[plugin, metric] for run in runs if (plugin, metric) in run]
    return sum(abs(p / m - 1) for m, p in pairs) / len(pairs) * 100 if pairs else None


def prompts(run):
    return next(word for word, most in SHARES if float(run["is"]["computed_share"]) < most)


def print_runs(runs, ids):
    names = plugins([runs[i] for i in ids])
    print("%-11s %-46s %8s" % ("prompts", "mean, ms", "measured"), *("%15s" % name for name in names))
    for i in ids:
        is_ = runs[i]["is"]
        what = "%s, tp %s, load %.3g" % (is_["fold"].split("/")[-1][:22], is_["tp"], float(is_["load"]))
        for metric, name in METRICS.items():
            pairs = [runs[i].get((plugin, metric)) for plugin in names]
            print("%-11s %-41s %s %8.2f" % (prompts(runs[i]), what, name, next(p[0] for p in pairs if p)),
                  *("%15s" % ("%.2f" % p[1] if p else "-") for p in pairs))


def kind(run):
    is_ = run["is"]
    engine = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM"}[is_["engine"]]
    word = {"dense": "dense", "moe": "experts", "mla": "MLA"}[is_["model_class"]]
    return "%s, %s, %s, %s" % (engine, word, is_["weight_format"], prompts(run))


def print_kinds(runs):
    names = plugins(list(runs.values()))
    print("%-43s %4s" % ("mean error of TTFT | TPOT, percent", "runs"), *("%15s" % name for name in names))
    kinds = {}
    for run in runs.values():
        kinds.setdefault(kind(run), []).append(run)
    for what in sorted(kinds, key=lambda k: (not k.startswith("vLLM"), k)):
        scored = {name for name in names if error(kinds[what], name, "mean_tpot_ms") is not None}
        same = [run for run in kinds[what] if all((name, "mean_tpot_ms") in run for name in scored)]
        cells = ("-" if name not in scored else "%5.1f | %5.1f" %
                 tuple(error(same, name, metric) for metric in METRICS) for name in names)
        print("%-43s %4d" % (what, len(same)), *("%15s" % cell for cell in cells))


def percentile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def cells(errors, p90=True):
    if not errors:
        return "- | " * (3 + p90)
    off = [abs(e) for e in errors]
    of = [sum(off) / len(off), median(off)] + ([percentile(off, 0.9)] if p90 else [])
    return "%s | %+.1f | " % (" | ".join("%.1f" % v for v in of), sum(errors) / len(errors))


def print_classes(name):
    runs = {}
    with open(os.path.join(ACCURACY, name + ".csv"), newline="", encoding="utf-8") as f:
        for line in csv.DictReader(f):
            if line["saturated"] == "0":
                error_ = 100 * (float(line["predicted_ms"]) / float(line["measured_ms"]) - 1)
                runs.setdefault(line["source_row"], {"is": line})[line["metric"]] = error_
    groups = {"all": list(runs.values())}
    for of in (lambda is_: is_["gpu_family"], lambda is_: is_["model_class"],
               lambda is_: "%s %s" % (is_["model_class"], is_["weight_format"]),
               lambda is_: "prompts: %s" % prompts({"is": is_})):
        for run in sorted(runs.values(), key=lambda run: of(run["is"])):
            groups.setdefault(of(run["is"]), []).append(run)
    print("| of | rows |" + "".join(" %s mean | median | p90 | bias |" % m for m in ("E2EL", "TTFT", "TPOT")) +
          " p99 TTFT mean | median | bias |\n|" + "---|" * 17)
    for what, of in groups.items():
        line = "| %s | %d | " % (what, len(of))
        for metric in ("mean_e2el_ms", "mean_ttft_ms", "mean_tpot_ms", "p99_ttft_ms"):
            line += cells([run[metric] for run in of if metric in run], metric != "p99_ttft_ms")
        print(line.rstrip())


def print_shares(lines):
    print("%-32s %5s %28s %28s" % ("percent: least, median, greatest", "rows", "prompt tokens computed", "of the time of steps"))
    arms = {}
    for line in lines:
        if line["computed_share"] and line["prefill_share"]:
            arms.setdefault(line["arm"], []).append(line)
    for arm, of in arms.items():
        cells = ["%.1f, %.1f, %.1f" % (min(v), median(v), max(v)) for v in
                 ([100 * float(line[name]) for line in of] for name in ("computed_share", "prefill_share"))]
        print("%-32s %5d %28s %28s" % (arm, len(of), *cells))


def main(arguments):
    if arguments[:1] == ["runs"] and arguments[1:]:
        print_runs(read(), arguments[1:])
    elif arguments == ["kinds"]:
        print_kinds(read())
    elif arguments[:1] == ["classes"] and len(arguments) == 2:
        print_classes(arguments[1])
    elif arguments == ["shares"]:
        print_shares(csv.DictReader(sys.stdin))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
