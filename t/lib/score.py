"""Recomputes a score from its rows: score.py ROWS.csv SCORE.json [MARGIN].

Shares nothing with the program: figures by their definitions, p-values by
integrating the density of Student's t.
"""
import csv
import json
import math
import statistics
import sys
from itertools import combinations

bad = []


def near(got, want, what, within=1e-9):
    if want is None or got is None:
        if want != got:
            bad.append("%s: %s, not %s" % (what, got, want))
    elif abs(got - want) > within * max(abs(want), 1e-6):
        bad.append("%s: %.12g, not %.12g" % (what, got, want))


def quantile(v, q):
    v = sorted(v)
    at = (len(v) - 1) * q
    low = int(at)
    return v[low] + (at - low) * (v[min(low + 1, len(v) - 1)] - v[low])


def outside(t, n, parts=20000):
    """P(|T| > t) by Simpson's rule over s in (0, 1], x = t / s."""
    if t == 0:
        return 1
    c = math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) \
        / math.sqrt(n * math.pi)

    def f(s):
        return 0 if s == 0 else c * (1 + t * t / s / s / n) ** (-(n + 1) / 2) * t / s / s
    total = f(0) + f(1)
    for i in range(1, parts):
        total += f(i / parts) * (4 if i % 2 else 2)
    return 2 * total / 3 / parts


def figures(rows):
    e = [p / m - 1 for _, p, m in rows]
    a = [abs(x) for x in e]
    by = {}
    for (d, _, _), x in zip(rows, a):
        by.setdefault(d, []).append(x)
    macro = statistics.fmean(map(statistics.fmean, by.values())) \
        if len(by) >= 3 else statistics.fmean(a)
    return {"n": len(e), "mean": statistics.fmean(a),
            "median": quantile(a, .5), "p90": quantile(a, .9),
            "p95": quantile(a, .95), "p99": quantile(a, .99), "max": max(a),
            "bias": statistics.fmean(e), "macro_mean": macro,
            "log_bias": math.exp(statistics.fmean(
                math.log(p / m) for _, p, m in rows)) - 1,
            "wape": sum(abs(p - m) for _, p, m in rows) / sum(m for _, _, m in rows)}


def difference(a, b):
    """Mean, standard error and number of units of rows of two arms."""
    rows = [(d, abs(a[k][1] / m - 1) - abs(b[k][1] / m - 1))
            for k, (d, _, m) in a.items() if k in b]
    by = {}
    for i, (d, x) in enumerate(rows):
        by.setdefault(d, []).append(x)
    u = list(map(statistics.fmean, by.values())) if len(by) >= 3 else [x for _, x in rows]
    if len(u) < 2:
        return (u[0] if u else None), None, len(u)
    return statistics.fmean(u), statistics.stdev(u) / math.sqrt(len(u)), len(u)


def holm(p):
    order = sorted(range(len(p)), key=lambda i: (p[i], i))
    out, most = [0] * len(p), 0
    for j, i in enumerate(order):
        most = max(most, min(1, (len(p) - j) * p[i]))
        out[i] = most
    return out


def main(rows, document):
    arm = {}
    for r in csv.DictReader(open(rows)):
        if r["predicted_us"]:
            key = r["file"], r["row"]
            arm.setdefault(r["arm"], {})[key] = (
                r["deployment"], float(r["predicted_us"]),
                float(r["measured_us"]), r["regime"])
    said = json.load(open(document))

    def part(name, regime):
        return {k: v[:3] for k, v in arm.get(name, {}).items()
                if regime in ("all", v[3])}
    checked = 0
    for a in said["arms"]:
        for regime, shown in [("all", a)] + list(a["regimes"].items()):
            if not shown["n"]:
                continue
            for k, v in figures(list(part(a["name"], regime).values())).items():
                near(shown[k], v, "%s %s %s" % (a["name"], regime, k))
                checked += 1
    base = [a["name"] for a in said["arms"] if a["baseline"]]
    own = [x for x in base if x.startswith("baseline:")]
    names = [a["name"] for a in said["arms"] if a["name"] not in own]
    for regime in ("all", "decode", "prefill", "chunk", "mixed"):
        for family in (list(combinations(names, 2)), [(n, b) for n in names for b in own]):
            pairs = [(x, x["a"], x["b"]) for x in said["pairs"]
                     if x["regime"] == regime and (x["a"], x["b"]) in family]
            p = []
            for x, a, b in pairs:
                d, error, n = difference(part(a, regime), part(b, regime))
                if x["verdict"] == "equal":
                    d, error, p0 = 0, None, 1
                elif error:
                    p0 = outside(abs(d) / error, n - 1)
                else:
                    p0 = None if n < 2 else 1 if d == 0 else 0
                near(x["difference"], d, "%s %s/%s" % (regime, a, b))
                near(x["p"], p0, "p of %s %s/%s" % (regime, a, b), 1e-5)
                p.append(1 if p0 is None else p0)
                checked += 2
            for (x, a, b), q in zip(pairs, holm(p)):
                if x["p"] is not None:
                    near(x["p_adjusted"], q, "Holm of %s %s/%s" % (regime, a, b), 1e-5)
                    if x["verdict"] != "equal" and abs(q - .05) > 1e-4:
                        want = "not told apart" if q >= .05 else \
                            "first nearer" if x["difference"] < 0 else "second nearer"
                        if want != x["verdict"]:
                            bad.append("%s %s/%s: %s" % (regime, a, b, x["verdict"]))
    print("%d figures" % checked)
    print("\n".join(bad))
    return bool(bad) or checked < 50


sys.exit(main(*sys.argv[1:3]))
