#!/usr/bin/env python3
"""Refits the coefficients of smooth_roofline, and reports how well they fit.

refit.py fit [COLUMN=FILE ...]
                        prints the coefficients.  For each COLUMN (model, gpu, run)
                        also fits them without the served runs and logged steps of
                        each value of COLUMN (a fold; more than MOST_FOLDS values
                        are dealt into MOST_FOLDS folds) and writes FILE: an alias
                        file for `stepcost validate --aliases` that prices each run
                        with coefficients that never saw it
refit.py prefill        compares the prefill steps with the sums of their kernels

The fit begins at the round numbers of START, which come from no measurement, with
the prefill steps alone; then served runs and logged steps are added.  Each fold
continues from the result without the measurements that it leaves out, until its
own gains are small.  A coefficient that only these measurements determined moves
back to its value from prefill steps, because of the pull described below.

Prefill steps: `operators` on the measured kernels, 64 to 16,384 tokens, cached
and not, tp 1 to 8, bf16 and FP8.
Served runs: bench_data/serving, as `validate` simulates them, with SEEDS seeds.
Derivatives use one seed and wide differences, because a simulated queue is not a
smooth function of the coefficients.
Logged steps: bench_data/serving/steps-*.csv, without a scheduler.  Steps of one
run with a similar number of decodes, with or without prompts, make one residual,
their median.

Residuals are logarithms of predicted over measured: mean TPOT (weight 1), mean
TTFT (0.7), each log WEIGHT_LOG in total, each prefill step WEIGHT_STEP or less;
soft L1 loss of scale 0.05.  Levenberg-Marquardt runs on logarithms of the
coefficients (for p: of p - 1), with a pull to the values from prefill steps alone.
The time that the client of the protocols prompts and prompts_nominal adds to a
first token (CLIENT) is fitted together with them.  Folds compute residuals at
their own coefficients; they share derivatives, computed at the mean of their
coefficients.

targets.py has the measurements, least_squares.py the method.

Run it at the top of the source tree with stepcost on PATH or in $STEPCOST.
"""
import collections
import math
import sys
import tempfile

from least_squares import Fit
from targets import CLIENT, GPUS, Steps, client_us, kind, rule

MOST_FOLDS = 12


def percent(r):
    return 100 * (math.exp(r) - 1)


def table(title, groups):
    print("; %-34s %5s %6s %6s" % (title, "rows", "mean", "bias"))
    for name in sorted(groups, key=str):
        e = [percent(r) for r in groups[name]]
        words = name if isinstance(name, str) else ", ".join(map(str, name))
        print("; %-34s %5d %6.2f %+6.2f" % (words, len(e),
              sum(map(abs, e)) / len(e), sum(e) / len(e)))


def cached(prompt):
    return "uncached" if prompt.startswith("0:") else "cached"


def tell_steps(steps, residuals):
    for title, key in (("cached or not", lambda k: cached(k[3])),
                       ("GPU", lambda k: (k[1], cached(k[3]))),
                       ("GPU and kind",
                        lambda k: (k[1], kind(k[0]), cached(k[3]))),
                       ("tp", lambda k: "tp %d" % k[2]),
                       ("model", lambda k: k[0]), ("prompt", lambda k: k[3])):
        groups = collections.defaultdict(list)
        for k, (r, _) in zip(steps.keys, residuals):
            groups[key(k)].append(r)
        table("prefill steps by " + title, groups)


def tell_order(steps, residuals):
    """Counts the pairs of GPUs that differ by a twentieth or more in the sums of
    kernels, and the pairs that smooth_roofline orders the other way round."""
    us = {k: (steps.us[k], steps.us[k] * math.exp(r))
          for k, (r, _) in zip(steps.keys, residuals)}
    print("; which of two GPUs is faster        pairs reversed")
    for i, one in enumerate(GPUS):
        for other in GPUS[i + 1:]:
            both = [(v, us[k[0], other, k[2], k[3]]) for k, v in us.items()
                    if k[1] == one and (k[0], other, k[2], k[3]) in us]
            told = [(a, b) for a, b in both
                    if abs(math.log(a[0] / b[0])) > math.log(1.05)]
            print("; %-34s %5d %5d" % (one + ", " + other, len(told),
                  sum((a[0] < b[0]) != (a[1] < b[1]) for a, b in told)))


def tell_served(served, residuals):
    groups = collections.defaultdict(list)
    for (row, metric), (r, w) in zip(served.keys, residuals):
        if w:
            groups[metric].append(r)
            groups["%s %s" % (metric, served.row[row]["model"])].append(r)
    table("served runs", groups)


def client_rules(name, rows, point):
    text = rule(name, rows, client_us(point, ""))
    for gpu in (n[len("host_"):] for n in CLIENT if n.startswith("host_")):
        text += rule(name + "-" + gpu, rows, client_us(point, gpu), gpu)
    return text


HEAD_OF_FOLDS = """\
; Coefficients of smooth_roofline fitted without some of the runs each, by %s:
; for errors that are not those of a fit (tools/accuracy.sh).  Made by
; tools/measured/refit.py fit.
"""


def folds_of(fit, column):
    """Returns lists of values.  Neighbours in the sorted values are similar, so they
    go to different folds: no fold of runs leaves out a whole model with several."""
    names = sorted({row[column] for row in fit.measured()})
    return [names[k::MOST_FOLDS] for k in range(min(MOST_FOLDS, len(names)))]


def write_folds(fit, prior, begin, file_of):
    folds = [(column, fold) for column in file_of
             for fold in folds_of(fit, column)]
    left_out = [{i for i, row in enumerate(fit.measured())
                 if row[column] in fold} for column, fold in folds]
    xs, _ = fit.improved([begin] * len(folds), prior, False, left_out)
    for column, name in file_of.items():
        mine = [(fold, x) for (c, fold), x in zip(folds, xs) if c == column]
        with open(name, "w") as f:
            f.write(HEAD_OF_FOLDS % column)
            for k, (fold, x) in enumerate(mine, 1):
                rows = "%s = %s\n" % (column, ", ".join(fold))
                point = fit.point(x)
                f.write("\n[when:fold%d]\n%s" % (k, rows))
                f.writelines("arm.%s = %.6g\n" % nv for nv in point.items()
                             if nv[0] not in CLIENT)
                f.write(client_rules("fold%d-client" % k, rows, point))


def do_fit(folder, file_of):
    fit = Fit(folder)
    prior = fit.by_kernels()
    (x,), (r,) = fit.improved([prior], prior, False, [()])
    point = fit.point(x)
    for n, v in point.items():
        if n not in CLIENT:
            print("%s = %.6g" % (n, v))
    print(client_rules("client", "", point))
    tell_served(fit.served, r)
    tell_steps(fit.steps, r[-len(fit.steps.keys):])
    if file_of:
        write_folds(fit, prior, x, file_of)


def do_prefill(folder):
    steps = Steps(folder)
    residuals = steps.residuals([{}])[0]
    tell_steps(steps, residuals)
    tell_order(steps, residuals)


if __name__ == "__main__":
    what = sys.argv[1:]
    with tempfile.TemporaryDirectory() as tmp:
        if what[:1] == ["fit"] and all("=" in w for w in what[1:]):
            do_fit(tmp, dict(w.split("=", 1) for w in what[1:]))
        elif what == ["prefill"]:
            do_prefill(tmp)
        else:
            sys.exit(__doc__)
