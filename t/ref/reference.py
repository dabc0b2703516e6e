#!/usr/bin/env python3
"""An independent reference of roofline_v1 and roofline_v2, for the tests.

Written from the formulas (plugins/roofline_v1/roofline_v1.md and
plugins/roofline_v2/roofline_v2.md), plainly and without regard to speed; it
shares nothing with the plugins but the measured latencies.  ONLY_WITH and inert()
say which knobs of roofline_v2 have no effect in which state.  Standard library
only.  Times in seconds until the last line; a decode request is its kv, a
prefill request (cached, new).
"""
import csv
import math
import os

PEAK_ATTENTION, PEAK_GEMM = 989.5e12, 1979e12
EPS = 1e-4


def round_away(x):
    return math.floor(x + 0.5) if x - math.floor(x) != 0.5 else math.ceil(x)


# ---- tables -----------------------------------------------------------------

class Tables:
    """The kernels of one set: latencies, and the MFU they amount to."""

    def __init__(self, folder):
        def rows(name):
            with open(os.path.join(folder, name), newline="") as f:
                return list(csv.DictReader(f))
        self.gemm = []  # (m, k, n, mfu), file order
        for r in rows("gemm.csv"):
            m, k, n = int(r["m"]), int(r["k"]), int(r["n"])
            us = float(r["latency_us"])
            self.gemm.append((m, k, n, 2.0 * m * n * k / (us * 1e-6 * PEAK_GEMM)))
        self.prefill = {}  # (H, K, D) -> [(seq, mfu)]
        for r in rows("attention_prefill.csv"):
            h, k, d = int(r["heads"]), int(r["kv_heads"]), int(r["head_dim"])
            s, us = int(r["seq_len"]), float(r["latency_us"])
            self.prefill.setdefault((h, k, d), []).append(
                (s, 2.0 * h * d * s * s / (us * 1e-6 * PEAK_ATTENTION)))
        self.decode = {}  # (H, K, D) -> {tp: [(batch, kv, mfu)]}
        for r in rows("attention_decode.csv"):
            h, k, d = (int(r["model_heads"]), int(r["model_kv_heads"]), int(r["head_dim"]))
            tp, b, kv = int(r["tp"]), int(r["batch"]), int(r["kv_len"])
            us = float(r["latency_us"])
            self.decode.setdefault((h, k, d), {}).setdefault(tp, []).append(
                (b, kv, 4.0 * (h / tp) * d * kv * b / (us * 1e-6 * PEAK_ATTENTION)))

    def with_digits(self, digits, zero_mfu):
        """As a cost model reads them: published digits, or full precision."""
        def value(mfu):
            if digits == "full":
                return mfu
            printed = float("%.3f" % mfu)
            return mfu if zero_mfu == "latency" and printed < EPS else printed
        t = object.__new__(Tables)
        t.gemm = [(m, k, n, value(v)) for m, k, n, v in self.gemm]
        t.prefill = {s: [(q, value(v)) for q, v in rows] for s, rows in self.prefill.items()}
        t.decode = {s: {tp: [(b, kv, value(v)) for b, kv, v in rows] for tp, rows in by.items()}
                    for s, by in self.decode.items()}
        return t


def closest(candidates, distance):
    best = None
    for c in candidates:
        d = distance(c)
        if best is None or d < best[0]:
            best = (d, c)
    return best[1]


EXACT, INTERPOLATED, CLAMPED, SUBSTITUTED, FALLBACK = range(5)


def where(axis, x):
    if x < min(axis) or x > max(axis):
        return CLAMPED
    return EXACT if x in axis else INTERPOLATED


def clamp_axis(axis, x):
    """(low, high, t): the neighbours of x on a sorted axis."""
    if x <= axis[0]:
        return axis[0], axis[0], 0.0
    if x >= axis[-1]:
        return axis[-1], axis[-1], 0.0
    for a, b in zip(axis, axis[1:]):
        if a <= x < b:
            return a, b, (x - a) / (b - a)


class ZeroRefused(Exception):
    """zero_mfu = error, and a lookup that reads as zero."""


def repair(value, how, rows, distance, zero_mfu, v1):
    """A value that reads as zero is taken from a row of the table, or is v1's."""
    if value >= EPS:
        return value, how
    if zero_mfu == "error":
        raise ZeroRefused
    if zero_mfu == "v1":
        return v1, FALLBACK
    sound = [r for r in rows if r[-1] >= EPS]
    if zero_mfu == "first":
        return sound[0][-1], FALLBACK
    return closest(sound, distance)[-1], FALLBACK


def along(axis, x, lookup):
    """(low, high, t) on an axis, with t of the logarithms if the rule says so."""
    a, b, t = clamp_axis(axis, x)
    if lookup == "log_linear" and t > 0:
        t = (math.log(x) - math.log(a)) / (math.log(b) - math.log(a))
    return a, b, t


def stands_for(row, asked):
    """Provenance of a nearest lookup: the asked row, or another in its place."""
    return EXACT if row == asked else CLAMPED


def nearest_floor(rows, is_floor, distance):
    best, best_floor = None, False
    for r in rows:
        f, d = is_floor(r), distance(r)
        if best is None or (f and not best_floor) or (f == best_floor and d < best[0]):
            best, best_floor = (d, r), f or best_floor
    return best[1]


class Lookup:
    """Answers by the rules of k; remembers each distinct lookup of a phase and how it came about."""

    def __init__(self, tables, k, bytes_pp=2.0):
        self.k = k
        self.t = tables.with_digits(k["mfu_digits"], k["zero_mfu"])
        self.phase, self.how = None, {}
        self.gemm_format = EXACT if bytes_pp == 1 else SUBSTITUTED  # the table is fp8
        self.attention_format = EXACT if bytes_pp == 2 else SUBSTITUTED  # bf16

    def note(self, shape, answer, *at_least):
        value, how = answer
        self.how[(self.phase,) + shape] = max((how,) + at_least)
        return value

    def counts(self):
        return [list(self.how.values()).count(c) for c in range(5)]

    def v1(self, op):
        """The value of zero_mfu = v1 for a zero."""
        if op == "gemm":
            return self.k["v1_mfu_" + self.phase]
        dh = self.asked[2]
        return self.k["v1_vector_peak"] * (1 if self.k["softmax_flops"] else dh / (dh + 1))

    def gemm(self, m, k, n):
        linear = self.k["lookup"] != "nearest"
        rows = self.t.gemm
        shapes = [(r[1], r[2]) for r in rows]
        over = [s for s in shapes if s[0] >= k and s[1] >= n]
        if over:
            shape = closest(over, lambda s: math.sqrt((s[0] - k) ** 2 + (s[1] - n) ** 2))
        elif linear:
            shape = closest(shapes, lambda s: -(s[0] ** 2 + s[1] ** 2))
        else:
            shape = shapes[-1]
        rows = [(r[0], r[3]) for r in rows if (r[1], r[2]) == shape]
        if linear:
            at = dict(rows)
            a, b, t = along(sorted(at), m, self.k["lookup"])
            v, how = at[a] + (at[b] - at[a]) * t, where(at, m)
        else:
            floor = [r for r in rows if r[0] <= m]
            row = floor[-1] if floor else min(rows)
            v, how = row[1], stands_for(row[0], m)
        answer = repair(v, how, rows, lambda r: abs(r[0] - m), self.k["zero_mfu"], self.v1("gemm"))
        return self.note(("gemm", m, k, n), answer, self.gemm_format,
                         EXACT if shape == (k, n) else SUBSTITUTED)

    def shape(self, h, kv, d):
        self.asked = (h, kv, d)
        if (h, kv, d) in self.t.prefill:
            return (h, kv, d)
        text = sorted(self.t.prefill, key=lambda s: "%d-%d-%d" % s)
        return closest(text, lambda s: math.sqrt(
            (s[0] - h) ** 2 + (s[1] - kv) ** 2 + (s[2] - d) ** 2))

    def shape_how(self, shape):
        return max(self.attention_format, EXACT if shape == self.asked else SUBSTITUTED)

    def prefill(self, shape, seq):
        rows = self.t.prefill[shape]
        if self.k["lookup"] != "nearest":
            at = dict(rows)
            a, b, t = along(sorted(at), seq, self.k["lookup"])
            v, how = at[a] + (at[b] - at[a]) * t, where(at, seq)
        else:
            row = nearest_floor(rows, lambda r: r[0] <= seq, lambda r: abs(r[0] - seq))
            v, how = row[1], stands_for(row[0], seq)
        answer = repair(v, how, rows, lambda r: abs(r[0] - seq), self.k["zero_mfu"],
                        self.v1("attention"))
        return self.note(("prefill", seq), answer, self.shape_how(shape))

    def decode_rows(self, shape, tp):
        by = self.t.decode[shape]
        if tp in by:
            return by[tp], EXACT
        one = self.k["missing_tp"] == "one" or self.k["lookup"] == "nearest"
        return by[1] if one else by[closest(sorted(by), lambda x: abs(x - tp))], SUBSTITUTED

    def decode(self, shape, tp, batch, kv):
        rows, tp_how = self.decode_rows(shape, tp)
        far = lambda r: math.sqrt((r[0] - batch) ** 2 + (r[1] - kv) ** 2)
        if self.k["lookup"] == "nearest":
            row = nearest_floor(rows, lambda r: r[0] <= batch and r[1] <= kv, far)
            v, how = row[2], stands_for(row[:2], (batch, kv))
        else:
            how = max(where([r[0] for r in rows], batch), where([r[1] for r in rows], kv))
            v, holes = self.bilinear(rows, batch, kv)
            how = FALLBACK if holes else how
        answer = repair(v, how, rows, far, self.k["zero_mfu"], self.v1("attention"))
        return self.note(("decode", batch, kv), answer, tp_how, self.shape_how(shape))

    def bilinear(self, rows, batch, kv):
        cell = {(r[0], r[1]): r[2] for r in rows}
        b0, b1, tb = along(sorted({r[0] for r in rows}), batch, self.k["lookup"])
        k0, k1, tk = along(sorted({r[1] for r in rows}), kv, self.k["lookup"])
        corners = [(b, c, wb * wc) for b, wb in ((b0, 1 - tb), (b1, tb))
                   for c, wc in ((k0, 1 - tk), (k1, tk)) if wb * wc > 0]
        holes = [1 for b, c, _ in corners if (b, c) not in cell]
        if self.k["missing_cell"] == "zero":
            low = cell.get((b0, k0), 0.0)
            low += (cell.get((b1, k0), 0.0) - low) * tb
            high = cell.get((b0, k1), 0.0)
            high += (cell.get((b1, k1), 0.0) - high) * tb
            return low + (high - low) * tk, holes
        there = [(w, cell[b, c]) for b, c, w in corners if (b, c) in cell]
        weight = sum(w for w, _ in there)
        return (sum(w * v for w, v in there) / weight if weight > 0 else 0.0), holes


# ---- what both rooflines share ----------------------------------------------

class Model:
    def __init__(self, layers, hidden, heads, kv_heads=0, inter=0, vocab=32000, bytes_pp=2.0):
        self.L, self.d, self.H = layers, hidden, heads
        self.K, self.F = kv_heads or heads, inter or 4 * hidden
        self.V, self.b = vocab, bytes_pp
        self.dh, self.dh_real = hidden // heads, hidden / heads
        self.dkv = self.K * self.dh

    def weight_bytes(self, lm_head=False):
        dkv = self.K * self.dh_real
        w = (self.d * (self.d + 2 * dkv) + self.d * self.d + 3 * self.d * self.F) * self.L * self.b
        return w + (self.d * self.V * self.b if lm_head else 0)

    def dyn(self, s, t, w, kv1=.80, kvn=.92, act1=.75, actn=.85):
        row = 2 * self.L * self.K * self.dh_real * self.b
        read = row * s * (kv1 if t == 1 else kvn)
        write = row * t
        act = self.L * self.d * self.b * t * (act1 if t == 1 else actn)
        return ((act + read) + write + w) - w


def mix(how, pt, dt, new, nd):
    if how == "max":
        return max(pt, dt)
    if how == "sum":
        return pt + dt
    if how == "adaptive":
        if new > 4 * nd and new > 100:
            return .75 * pt + .25 * dt
        if nd > 2 * new and nd > 50:
            return .35 * pt + .65 * dt
    return new / (new + nd) * pt + nd / (new + nd) * dt


def host_overheads(k, m, tp, np, nd):
    """(communication, overhead, prefill overhead) in us, as roofline_v1 has them."""
    comm = m.L * 2 * k["allreduce_latency_us"] if tp > 1 else 0.0
    n, base = np + nd, k["t_overhead_us"]
    over = base * (1 + .15 * math.log2(n / 2) * (.3 + 2 * nd / n)) if n > 2 else base
    pre = 0.0
    if np:
        pre = np * (k["mixed_prefill_overhead_us"] if nd else k["prefill_overhead_us"])
    return comm, over, pre


LOOKUPS = ["lookups_" + c for c in "exact interpolated clamped substituted fallback".split()]

H100 = dict(t_overhead_us=500.0, allreduce_latency_us=20.0, prefill_overhead_us=500.0,
            mixed_prefill_overhead_us=150.0)

# ---- roofline_v1 ------------------------------------------------------------

V1 = dict(H100, bw_eff_constant=.72, mfu_prefill=.65, mfu_prefill_multiplier=1.40,
          mfu_decode=.12, mfu_decode_multiplier=1.80, tp_scaling_exponent=.13,
          decode_tp_scaling_exponent=1.78, prefill_bw_factor=.75, decode_bw_factor=.92,
          vector_peak_fraction=.10)


def v1(m, tflops, tbs, tp, knobs, decode, prefill):
    k = dict(V1, **knobs)
    P, B = tflops * 1e12, tbs * 1e12 * k["bw_eff_constant"]
    inv = 1 / tp
    ep = tp ** k["tp_scaling_exponent"]
    ed = tp ** (k["decode_tp_scaling_exponent"] or 1.0)
    vec, w = P * k["vector_peak_fraction"], m.weight_bytes()
    out = {}

    def work(reqs):
        g = a = dyn = 0.0
        for s, t in reqs:
            g += (2 * t * (m.d * m.d + 2 * m.d * m.dkv) + 2 * t * m.d * m.d) * m.L \
                + 2 * t * 3 * m.d * m.F * m.L
            ctx = s + (t - 1) / 2 if t > 1 else s
            a += (2 * m.H * t * ctx * m.dh + 4 * m.H * t * ctx + 2 * m.H * t * ctx * m.dh) * m.L
            dyn += m.dyn(s, t, w)
        return g, a, dyn
    pt = dt = 0.0
    if prefill:
        g, a, dyn = work(prefill)
        gt = (g / ep) / (P * k["mfu_prefill"] * k["mfu_prefill_multiplier"])
        at, mt = (a / ep) / vec, (w * inv + dyn * inv) / (B * k["prefill_bw_factor"])
        pt = max(gt + at, mt)
        out.update(prefill_gemm_us=gt * 1e6, prefill_attention_us=at * 1e6,
                   prefill_compute_us=(gt + at) * 1e6, prefill_memory_us=mt * 1e6)
    if decode:
        g, a, dyn = work([(kv, 1) for kv in decode])
        gt = (g / ed) / (P * k["mfu_decode"] * k["mfu_decode_multiplier"])
        at, mt = (a / ed) / vec, (w / ed + dyn / ed) / (B * k["decode_bw_factor"])
        dt = max(gt + at, mt)
        out.update(decode_gemm_us=gt * 1e6, decode_attention_us=at * 1e6,
                   decode_compute_us=(gt + at) * 1e6, decode_memory_us=mt * 1e6)
    hw = pt + dt
    if prefill and decode:
        hw = mix("adaptive", pt, dt, sum(n for _, n in prefill), len(decode))
    comm, over, pre = host_overheads(k, m, tp, len(prefill), len(decode))
    exact = (hw + comm / 1e6 + over / 1e6 + pre / 1e6) * 1e6
    out.update(comm_us=comm, overhead_us=over + pre, exact_us=exact, total_us=round_away(exact))
    return out


# ---- roofline_v2 ------------------------------------------------------------

FIXED = dict(
    H100, lookup="linear", missing_tp="auto", zero_mfu="nearest", missing_cell="drop",
    v1_vector_peak=.10, v1_mfu_prefill=.91, v1_mfu_decode=.216,
    mfu_digits="full", prefill_gemm_rows="tokens", prefill_attention_rows="tokens",
    prefill_attention_length="actual", prefill_attention_mfu="bucket",
    bucket_key="total", bucket_min=512, causal_mask=1.0,
    prefill_attention_divisor=1.8, softmax_flops=False, decode_attention_flops="sum",
    decode_attention_mfu="weighted", kv_bucket_edges="", kv_bucket_round="up",
    tp_scaling_exponent=1.0, decode_tp_scaling_exponent=1.0, attention_tp="divide",
    gemm_memory_floor=True, gemm_sum="once", mixed="max",
    bw_efficiency=0.0, decode_bw_efficiency=0.0, prefill_bw_efficiency=0.0, memory="single",
    weight_bw_efficiency=.9, kv_bw_efficiency=.4, kv_bw_gain=.3, kv_bw_batch=64.0,
    overhead="per_layer", cpu_overhead_per_layer_us=0.0, min_step_us=1.0,
    kv_read_discount_decode=.80, kv_read_discount_prefill=.92,
    activation_discount_decode=.75, activation_discount_prefill=.85, lm_head=False)
PUBLISHED = dict(missing_cell="zero", mfu_digits="3", bw_efficiency=0.0,
                 cpu_overhead_per_layer_us=0.0)
REVIEWED = dict(
    PUBLISHED, lookup="nearest", softmax_flops=True, prefill_gemm_rows="requests",
    prefill_attention_rows="requests", prefill_attention_length="bucket",
    decode_attention_flops="max", decode_attention_mfu="max", gemm_memory_floor=False,
    mixed="adaptive", overhead="batch_scaled", min_step_us=0.0, gemm_sum="by_layer")
H29 = dict(
    PUBLISHED, missing_tp="one", prefill_attention_length="bucket",
    decode_attention_flops="max", decode_attention_mfu="max", gemm_memory_floor=False,
    mixed="adaptive", gemm_sum="by_layer")
PRESETS = {
    "": {}, "fixed": PUBLISHED, "reviewed": REVIEWED,
    "review_fixes": dict(REVIEWED, prefill_gemm_rows="tokens", prefill_attention_rows="tokens",
                         softmax_flops=False, causal_mask=.5, prefill_attention_divisor=1.0,
                         bucket_key="new"),
    "h29": H29,
    "h33": dict(H29, prefill_attention_length="actual", decode_attention_flops="sum"),
}


# Knobs, and the states in which they have an effect; any one line of a list suffices.
ONLY_WITH = {
    ("prefill_bw_efficiency", "decode_bw_efficiency"): [dict(memory="single")],
    ("weight_bw_efficiency", "kv_bw_efficiency", "kv_bw_gain"): [dict(memory="hybrid")],
    ("bw_efficiency",): [dict(memory="single"), dict(gemm_memory_floor=True)],
    ("cpu_overhead_per_layer_us",): [dict(overhead="per_layer")],
    ("t_overhead_us", "allreduce_latency_us", "prefill_overhead_us",
     "mixed_prefill_overhead_us"): [dict(overhead="batch_scaled")],
    ("kv_bucket_edges", "kv_bucket_round"): [dict(decode_attention_mfu="kv_bucket")],
    ("missing_cell",): [dict(lookup="linear"), dict(lookup="log_linear")],
    ("v1_vector_peak", "v1_mfu_prefill", "v1_mfu_decode"): [dict(zero_mfu="v1")],
}


def inert(preset, knobs):
    """The knobs among those given that cannot have an effect."""
    k = dict(FIXED, **PRESETS[preset])
    k.update(knobs)
    out = {name for names, states in ONLY_WITH.items() for name in names if name in knobs
           and not any(all(k[n] == v for n, v in state.items()) for state in states)}
    if "kv_bw_batch" in knobs and not (k["memory"] == "hybrid" and k["kv_bw_gain"] > 0):
        out.add("kv_bw_batch")
    return out


def bucket_tops(k, decode):
    """The top of the bucket of each context."""
    edges = [float(e) for e in k["kv_bucket_edges"].replace(",", " ").split()]
    edges = edges or [1024.0 * 2 ** i for i in range(30)]
    beyond = [kv for kv in decode if kv > edges[-1]]
    tops = []
    for kv in decode:
        if kv > edges[-1]:
            tops.append(float(max(beyond)))
        elif k["kv_bucket_round"] == "nearest":
            tops.append(min(edges, key=lambda e: (abs(e - kv), e)))
        else:
            tops.append(min(e for e in edges if e >= kv))
    return tops


def decode_mfu(k, mfu, decode):
    """(MFU in effect, least, greatest looked up) of decode attention; mfu(batch, kv)."""
    n, total, how = len(decode), sum(decode), k["decode_attention_mfu"]
    if how == "max":
        one = mfu(n, max(decode))
        return one, one, one
    if how == "kv_bucket":
        tops = bucket_tops(k, decode)
        at = {top: mfu(tops.count(top), top) for top in sorted(set(tops))}
        time = sum(sum(kv for kv, t in zip(decode, tops) if t == top) / at[top] for top in at)
        return total / time, min(at.values()), max(at.values())
    batch = 1 if how in ("weighted_single", "per_request") else n
    each = [mfu(batch, kv) for kv in decode]
    if how in ("weighted", "weighted_single"):
        mean = sum(kv * v for kv, v in zip(decode, each)) / total
    else:
        mean = total / sum(kv / v for kv, v in zip(decode, each))
    return mean, min(each), max(each)


def v2(tables, m, tflops, tbs, tp, preset, knobs, decode, prefill):
    k = dict(FIXED, **PRESETS[preset])
    k.update(knobs)
    look = Lookup(tables, k, m.b)
    P, B, inv = tflops * 1e12, tbs * 1e12, 1 / tp
    b_eff = B * (k["bw_efficiency"] or 1.0)
    shape = look.shape(m.H, m.K, m.dh)
    nd, new = len(decode), sum(n for _, n in prefill)
    divisor = {"prefill": tp ** (k["tp_scaling_exponent"] or 1.0),
               "decode": tp ** (k["decode_tp_scaling_exponent"] or 1.0)}
    keep = k["attention_tp"] == "keep"

    def one_gemm(rows, kk, n):
        t = 2.0 * rows * kk * n / (P * look.gemm(rows, kk, n))
        return max(t, kk * n * m.b / b_eff) if k["gemm_memory_floor"] else t

    def gemm(rows, phase):
        seven = [one_gemm(rows, kk, n) for kk, n in (
            (m.d, m.d), (m.d, m.dkv), (m.d, m.dkv), (m.d, m.d),
            (m.d, m.F), (m.d, m.F), (m.F, m.d))]
        share = 1 / divisor[phase]
        if k["gemm_sum"] == "by_layer":
            total = 0.0
            for _ in range(m.L):
                for t in seven:
                    total += t * share
        else:
            total = 0.0
            for t in seven:
                total += t
            total = total * share * m.L
        if k["lm_head"]:
            total += one_gemm(rows, m.d, m.V) * share
        return total

    def att(rows, length):
        f = 4.0 * m.H * rows * length * m.dh
        return f + 4.0 * m.H * rows * length if k["softmax_flops"] else f

    def attention_time(flops_by_mfu, phase):
        return flops_by_mfu / P / (1 if keep else divisor[phase])

    w = m.weight_bytes(k["lm_head"])

    def memory(reqs, own_efficiency):
        dyn = 0.0
        for s, t in reqs:
            dyn += m.dyn(s, t, w, k["kv_read_discount_decode"], k["kv_read_discount_prefill"],
                         k["activation_discount_decode"], k["activation_discount_prefill"]) * inv
        if k["memory"] == "hybrid":
            kv_eff = k["kv_bw_efficiency"] + k["kv_bw_gain"] * min(nd / k["kv_bw_batch"], 1)
            return w * inv / (B * k["weight_bw_efficiency"]) + dyn / (B * kv_eff)
        return (w * inv + dyn) / (B * own_efficiency if own_efficiency else b_eff)

    out, pt, dt = {}, 0.0, 0.0
    if decode:
        look.phase = "decode"
        at = flops = 0.0
        low = high = mfu = 0.0
        if sum(decode):
            of = {"sum": sum(decode), "max": nd * max(decode), "bucket": sum(bucket_tops(k, decode))}
            flops = att(1, of[k["decode_attention_flops"]]) * m.L
            mfu, low, high = decode_mfu(k, lambda b, kv: look.decode(shape, tp, b, kv), decode)
            at = attention_time(flops / mfu, "decode")
        g = gemm(nd, "decode")
        mt = memory([(kv, 1) for kv in decode], k["decode_bw_efficiency"])
        dt = max(g + at, mt)
        out.update(decode_gemm_us=g * 1e6, decode_attention_us=at * 1e6,
                   decode_compute_us=(g + at) * 1e6, decode_memory_us=mt * 1e6,
                   decode_attention_flops=flops, decode_attention_mfu=mfu,
                   decode_attention_mfu_low=low, decode_attention_mfu_high=high)
    if prefill:
        look.phase = "prefill"
        buckets = {}
        key = {"total": lambda s, t: s + t, "new": lambda s, t: t}[k["bucket_key"]]
        for s, t in prefill:
            b = k["bucket_min"]
            while b < 65536 and b < key(s, t):
                b *= 2
            buckets.setdefault(min(b, 65536), []).append((s, t))
        g = at = 0.0
        for b, reqs in sorted(buckets.items()):
            for s, t in reqs:
                priced = {"bucket": b, "actual": s + t, "hybrid": min(b, max(s + t, 64))}
                rows = 1 if k["prefill_attention_rows"] == "requests" else t
                f = att(rows, priced[k["prefill_attention_length"]]) * m.L
                f = f * k["causal_mask"] / k["prefill_attention_divisor"]
                mfu = look.prefill(shape, key(s, t) if k["prefill_attention_mfu"] == "length" else b)
                at += attention_time(f / mfu, "prefill")
            rows = {"tokens": sum(t for _, t in reqs), "requests": len(reqs)}
            g += gemm(rows[k["prefill_gemm_rows"]], "prefill")
        mt = memory(prefill, k["prefill_bw_efficiency"])
        pt = max(g + at, mt)
        out.update(prefill_gemm_us=g * 1e6, prefill_attention_us=at * 1e6,
                   prefill_compute_us=(g + at) * 1e6, prefill_memory_us=mt * 1e6)
    hw = mix(k["mixed"], pt, dt, new, nd) if prefill and decode else pt + dt
    comm = over = pre = 0.0
    if k["overhead"] == "per_layer":
        over = k["cpu_overhead_per_layer_us"] * m.L * inv
    elif k["overhead"] == "batch_scaled":
        comm, over, pre = host_overheads(k, m, tp, len(prefill), nd)
    exact = (hw + comm / 1e6 + over / 1e6 + pre / 1e6) * 1e6
    out.update(comm_us=comm, overhead_us=over + pre, exact_us=exact,
               total_us=max(round_away(exact), k["min_step_us"]))
    out.update(zip(LOOKUPS, look.counts()))
    return out
