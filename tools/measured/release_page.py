#!/usr/bin/env python3
"""Writes doc/accuracy-by-run.md: how far `operators` is from every public run.

release_page.py           prints the page
release_page.py --write   writes it
release_page.py --check   exit code 1 if doc/accuracy-by-run.md is another page,
                          apart from its date and commit

The rows are those of bench_data/accuracy/operators.csv and operators-reported.csv,
which tools/accuracy.sh makes.  Date and commit are those of the last change of that file, by git.
"""
import collections
import datetime
import itertools
import os
import re
import statistics
import subprocess
import sys

from files import BENCH_DATA, rows_of, scored, serving

TOP = os.path.dirname(BENCH_DATA)
PAGE = os.path.join(TOP, "doc", "accuracy-by-run.md")
ERRORS = os.path.join(BENCH_DATA, "accuracy", "operators.csv")
LATENCIES = {"mean_ttft_ms": "TTFT", "mean_tpot_ms": "TPOT", "mean_e2el_ms": "E2EL",
             "output_throughput": "tok/s"}
# Columns of bench_data/serving that tell two runs of one configuration.
CONFIGURATION = ("origin", "model", "gpu", "gpu_count", "tensor_parallel_size", "data_parallel_size",
                 "expert_parallel_size", "dtype", "gemm_dtype", "moe_dtype", "engine", "workload",
                 "input_tokens", "output_tokens", "concurrency")
APART = (("at most 14 days", 14), ("15 to 60 days", 60), ("more than 60 days", 10 ** 6))
HEAD = """# Accuracy, run by run
Release %(release)s, errors of %(date)s, commit %(commit)s. [Accuracy](accuracy.md) explains them;
`python3 tools/measured/release_page.py --write` makes this page from `operators.csv` and
`operators-reported.csv` of `bench_data/accuracy`; the runs of the second give no intervals. Each run is predicted by `operators`, as published and not overloaded. Error: predicted / measured - 1, in
percent. Intervals were not looked at: [how often they hold](accuracy.md#intervals-for-publishers-left-out).

## Noise and error
**Noise** is how far two measurements of one configuration differ, by the same publisher. No model can
be nearer than that on average, because both cannot be right. These are the pairs of InferenceX's runs
here that differ in the day alone, and perhaps in the engine's version; the longer one over the shorter
one - 1:
```
%(noise)s
```
The mean is far above the median: most repeats agree, and a few ran with another version, or met another
traffic of their server. **Error** is the rest: kernels that no table has, hosts that are slower or
faster, launches that are not known. An error below the noise proves nothing, and one row proves little. A
version of an engine moves times as well, and the tables lie up to ten versions from the runs.

## By publisher
Mean, median, and the mean with its sign. Publishers are those of the rows, else the name of the file.
```
%(publishers)s
```

## Every run
Input and output tokens and running requests are means of the simulation. Times in ms, throughput
(tok/s) in output tokens a second, each measured and predicted.
```
%(runs)s
```
"""


def runs():
    """Returns {run: {"is": a line, metric: (measured, predicted)}}."""
    found = {}
    for line in scored("operators") + scored("operators-reported"):
        if line["metric"] in LATENCIES:
            run = found.setdefault(line["source_row"], {"is": line})
            run[line["metric"]] = float(line["measured_ms"]), float(line["predicted_ms"])
    return found


def error(pair):
    return 100 * (pair[1] / pair[0] - 1)


def noise():
    groups = collections.defaultdict(list)
    without_drafts = {row["id"] for row in rows_of(serving("drafts")) if row["draft_tokens"] == "0"}
    for name in ("inferencex-sglang", "inferencex-trtllm", "inferencex-vllm", "vllm-closed-loop"):
        for row in rows_of(serving(name)):
            if row["measured"] and ("SPEC_DECODING" not in row["flags"] or row["id"] in without_drafts):
                groups[tuple(row.get(k) for k in CONFIGURATION)].append(row)
    found = collections.defaultdict(list)
    for a, b in (pair for rows in groups.values() for pair in itertools.combinations(rows, 2)):
        days = abs((datetime.date.fromisoformat(a["measured"]) - datetime.date.fromisoformat(b["measured"])).days)
        apart = next(name for name, most in APART if days <= most)
        for metric in ("mean_ttft_ms", "mean_tpot_ms"):
            times = sorted((float(a[metric]), float(b[metric])))
            if times[0] == times[1]:  # one run that two sources have
                continue
            found[apart, metric].append(100 * (times[1] / times[0] - 1))
    yield "%-18s %6s %16s %16s" % ("apart", "pairs", "TTFT mean median", "TPOT mean median")
    for name, _ in APART:
        both = [found[name, m] for m in ("mean_ttft_ms", "mean_tpot_ms")]
        if both[0]:
            yield "%-18s %6d" % (name, len(both[1])) + "".join(
                " %9.1f %6.1f" % (statistics.mean(v), statistics.median(v)) for v in both)


def publishers(all_runs):
    yield "%-20s" % "" + "".join("%7s %5s %6s %6s" % ("runs", name, "median", "bias") for name in LATENCIES.values())
    names = sorted({run["is"]["publisher"] for run in all_runs})
    for name in ["all"] + names:
        line = "%-20s" % name
        for metric in LATENCIES:
            errors = [error(run[metric]) for run in all_runs
                      if metric in run and name in ("all", run["is"]["publisher"])]
            line += "%7d %5.1f %6.1f %+6.1f" % (
                len(errors), statistics.mean(map(abs, errors)), statistics.median(map(abs, errors)),
                statistics.mean(errors)) if errors else "%27s" % "-"
        yield line.rstrip()


def every(all_runs):
    yield "%-32s %-5s %-6s %-9s %5s %6s %6s %6s" % ("model", "GPU", "engine", "weights", "tp ep", "input", "output",
                                                    "load") + "".join("%26s" % name for name in LATENCIES.values())
    by = lambda run: [run["is"][k] for k in ("publisher", "fold", "gpu_family", "engine", "weight_format")] + [
        float(run["is"][k]) for k in ("tp", "ep", "input_tokens", "output_tokens", "load")] + [run["is"]["source_row"]]
    for name, some in itertools.groupby(sorted(all_runs, key=by), lambda run: run["is"]["publisher"]):
        yield "; " + name
        for run in some:
            is_ = run["is"]
            line = "%-32s %-5s %-6s %-9s %2s %2s %6.0f %6.0f %6.4g" % (
                is_["fold"].split("/")[-1][:32], is_["gpu_family"], is_["engine"], is_["weight_format"], is_["tp"],
                is_["ep"], float(is_["input_tokens"]), float(is_["output_tokens"]), float(is_["load"]))
            for metric in LATENCIES:
                pair = run.get(metric)
                line += "%9.5g %9.5g %+6.1f" % (*pair, error(pair)) if pair else "%26s" % ""
            yield line.rstrip()


def git(*words):
    return subprocess.run(["git", "-C", TOP or ".", *words], capture_output=True, text=True, check=False).stdout.strip()


def page():
    with open(os.path.join(TOP, "configure.ac"), encoding="utf-8") as f:
        release = re.search(r"AC_INIT\(\[stepcost\], \[(.*?)\]", f.read()).group(1)
    commit, _, date = git("log", "-1", "--format=%h %cs", "--", ERRORS).partition(" ")
    all_runs = list(runs().values())
    return HEAD % {"release": release, "date": date or "unknown", "commit": commit or "unknown",
                   "noise": "\n".join(noise()), "publishers": "\n".join(publishers(all_runs)),
                   "runs": "\n".join(every(all_runs))}


def undated(text):
    return re.sub(r"errors of \S+, commit \S+", "", text)


def main(words):
    if words not in ([], ["--write"], ["--check"]):
        sys.exit(__doc__)
    text = page()
    if words == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
    elif words:
        with open(PAGE, encoding="utf-8") as f:
            sys.exit(undated(f.read()) != undated(text) and "%s is of other errors: --write" % PAGE)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
