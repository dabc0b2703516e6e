#!/usr/bin/env python3
"""Compares measured serving runs with the predictions of each cost model.

scores.py runs ID...   TTFT and TPOT of these runs in ms, measured and predicted
scores.py kinds        mean errors of TTFT and TPOT per kind of run, percent
scores.py errors PLUGIN[:run] [FILE...] [by COLUMN...]
                       errors of one cost model in each figure, percent, for all
                       runs of these files, and for each value of these columns.
                       FILE: bench_data/serving/FILE.csv; COLUMN: a column of it
                       or of bench_data/accuracy, or `file`.  The coefficients
                       were fitted without all runs of the model; with `:run`,
                       without the run
scores.py shares       reads the output of `stepcost validate --format csv` from
                       the standard input; prints which share of prompt tokens was
                       computed, and which share of the time of steps the GEMMs
                       and the attention of prompts took
scores.py percentiles  reads the output of `stepcost validate --format csv` from
                       the standard input; prints the errors of each run in means
                       and percentiles, percent
scores.py requests     reads the output of `stepcost validate --write-requests`
                       for runs with a trace from the standard input; prints the
                       errors of TTFT and E2EL of each request, percent

Reads bench_data/accuracy, which tools/accuracy.sh makes.
Overloaded runs are left out.  A kind counts only the runs that every cost model
of that kind priced, so all of them are scored on the same runs.
"""
import csv
import os
import statistics
import sys

from files import BENCH_DATA, rows_of, scored, served_runs

METRICS = {"mean_ttft_ms": "TTFT", "mean_tpot_ms": "TPOT"}
SHARES = (("most cached", 0.25), ("some cached", 0.75), ("computed", 1e9))


def read():
    """Returns {row: {"is": its line, (plugin, metric): (measured, predicted)}}."""
    found = {}
    for line in scored("*"):
        if line["metric"] in METRICS:
            run = found.setdefault(line["source_row"], {"is": line})
            run[line["plugin"], line["metric"]] = (float(line["measured_ms"]), float(line["predicted_ms"]))
    return found


def plugins(runs):
    """Returns the cost models that priced any of the runs, the best one first."""
    names = {key[0] for run in runs for key in run if key != "is"}
    both = [run for run in runs if all((name, "mean_tpot_ms") in run for name in names)]
    return sorted(names, key=lambda name: error(both, name, "mean_tpot_ms") or 0)


def error(runs, plugin, metric):
    """Returns the mean of |predicted / measured - 1| in percent; None: no run."""
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
    word = {"dense": "dense", "moe": "experts", "mla": "MLA", "sparse": "sparse attention",
            "linear": "linear attention"}[is_["model_class"]]
    return "%s, %s, %s, %s" % (engine, word, is_["weight_format"], prompts(run))


def percent(error_):
    return "%5s" % ("-" if error_ is None else "%.1f" % error_)


def print_kinds(runs):
    names = plugins(list(runs.values()))
    print("%-43s %4s" % ("mean error of TTFT | TPOT, percent", "runs"), *("%15s" % name for name in names))
    kinds = {}
    for run in runs.values():
        kinds.setdefault(kind(run), []).append(run)
    for what in sorted(kinds, key=lambda k: (not k.startswith("vLLM"), k)):
        priced = {name for name in names if error(kinds[what], name, "mean_tpot_ms") is not None}
        same = [run for run in kinds[what] if all((name, "mean_tpot_ms") in run for name in priced)]
        cells = ("-" if name not in priced else
                 " | ".join(percent(error(same, name, metric)) for metric in METRICS) for name in names)
        print("%-43s %4d" % (what, len(same)), *("%15s" % cell for cell in cells))


# --- one cost model ---

FIGURES = {"mean_ttft_ms": "TTFT", "mean_tpot_ms": "TPOT", "mean_e2el_ms": "E2EL",
           "p99_ttft_ms": "p99 TTFT", "output_throughput": "output tok/s"}


def read_errors(plugin, left_out, runs):
    """Returns [(run, figure, predicted / measured - 1 in percent)]."""
    return [(dict(line, **runs[line["source_row"]]), line["metric"],
             100 * (float(line["predicted_ms"]) / float(line["measured_ms"]) - 1))
            for line in scored(plugin, left_out) if line["source_row"] in runs]


def summary(errors):
    """Returns the number of runs; mean, median and 90th percentile of the absolute
    errors; bias."""
    sizes = sorted(map(abs, errors))
    at = 0.9 * (len(sizes) - 1)
    low, high = sizes[int(at)], sizes[min(int(at) + 1, len(sizes) - 1)]
    return "%5d %6.1f %6.1f %6.1f %+6.1f" % (
        len(sizes), statistics.mean(sizes), statistics.median(sizes), low + (at % 1) * (high - low),
        statistics.mean(errors))


def print_table(title, of_what, figures, groups):
    """Prints a table.  figures: {name: title}; groups: [(name, [(run, figure, error)])]"""
    print("%-25s" % title, *("%34s" % name for name in figures.values()))
    print(" " * 25, *("  %s   mean median    p90   bias" % of_what for _ in figures))
    for value, of in groups:
        cells = (summary([e[2] for e in of if e[1] == name]) if any(e[1] == name for e in of) else "-"
                 for name in figures)
        print("%-25s" % value[:25], *("%34s" % cell for cell in cells))


def print_errors(plugin, left_out, files, columns):
    errors = read_errors(plugin, left_out, served_runs(files))
    figures = {name: title for name, title in FIGURES.items() if any(e[1] == name for e in errors)}
    groups = {("", "all"): errors}
    for column in columns:
        for value in sorted({e[0].get(column) or "-" for e in errors}):
            groups[column, value] = [e for e in errors if (e[0].get(column) or "-") == value]
    print_table(plugin + ", percent", "runs", figures, [(key[1], of) for key, of in groups.items()])


# --- shares of tokens and time ---

def print_shares(lines):
    print("%-32s %5s %28s %28s" % ("percent: least, median, greatest", "rows", "prompt tokens computed", "of the time of steps"))
    arms = {}
    for line in lines:
        if line["computed_share"] and line["prefill_share"]:
            arms.setdefault(line["arm"], []).append(line)
    for arm, of in arms.items():
        cells = ["%.1f, %.1f, %.1f" % (min(v), statistics.median(v), max(v)) for v in
                 ([100 * float(line[name]) for line in of] for name in ("computed_share", "prefill_share"))]
        print("%-32s %5d %28s %28s" % (arm, len(of), *cells))


# --- request by request ---

def print_percentiles(lines):
    columns = ["%s_%s" % (of, time) for time in ("ttft", "tpot")
               for of in ("mean", "p50", "p90", "p99")]
    print("%-30s" % "error, percent" + "".join("%10s" % c for c in columns))
    for r in csv.DictReader(lines):
        errors = [r[c + "_error_pct"] for c in columns]
        print("%-30.30s" % r["id"] + "".join("%+10.1f" % float(e) if e else "%10s" % "-" for e in errors))


def measured_requests(run):
    """Returns the lines of the run's trace, in order."""
    path = os.path.join(BENCH_DATA, "serving", run["trace"])
    return [line for line in rows_of(path) if line["stage"] == run["stage"]]


def print_requests(lines):
    runs, known, simulated, errors = served_runs(), read(), {}, {}
    for line in lines:
        if line["id"] in known and runs[line["id"]].get("trace"):
            simulated.setdefault((line["arm"], line["id"]), []).append(line)
    for (arm, run), of in simulated.items():
        of.sort(key=lambda line: int(line["request"]))
        for line, measured in zip(of, measured_requests(runs[run])):
            if any(measured[n] != line[n] for n in ("input_tokens", "output_tokens")):
                sys.exit("%s: request %s is not that of the trace" % (run, line["request"]))
            for figure in ("ttft_ms", "e2el_ms") if line["status"] == "completed" else ():
                errors.setdefault(arm, []).append(
                    (run, figure, 100 * (float(line[figure]) / float(measured[figure]) - 1)))
    print_table("requests, percent", "reqs", {"ttft_ms": "TTFT", "e2el_ms": "E2EL"}, errors.items())


def main(arguments):
    if arguments[:1] == ["errors"] and arguments[1:]:
        end = arguments.index("by") if "by" in arguments else len(arguments)
        plugin, _, left_out = arguments[1].partition(":")
        print_errors(plugin, left_out or "model", arguments[2:end], arguments[end + 1:])
        return
    if arguments[:1] == ["runs"] and arguments[1:]:
        print_runs(read(), arguments[1:])
    elif arguments == ["kinds"]:
        print_kinds(read())
    elif arguments == ["shares"]:
        print_shares(csv.DictReader(sys.stdin))
    elif arguments == ["percentiles"]:
        print_percentiles(sys.stdin)
    elif arguments == ["requests"]:
        print_requests(csv.DictReader(sys.stdin))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
