#!/usr/bin/env python3
"""Measures layers of experts on one GPU: two grouped Triton GEMMs, silu * up between them,
and the sum over the experts of each token.  Routing and sorting come before the timed part.

  python3 moe.py --out DIR [--budget 150] [--name moe.csv] [--plan]
"""
import argparse
import csv
import json
import math
import os
import random
import time
import traceback

import grids as G

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

MODELS = [  # name, experts, chosen per token, hidden size, width of one expert
    ("mixtral-8x7b", 8, 2, 4096, 14336), ("qwen3-30b-a3b", 128, 8, 2048, 768), ("deepseek-v3", 256, 8, 7168, 2048)]
TOKENS = [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096]
ROUTINGS = ["balanced", "random", "zipf", "hot"]
# rows, columns and depth of a tile, warps, stages
TILES = {"bf16": [(16, 64, 128, 4, 4), (16, 128, 64, 4, 4), (32, 128, 64, 4, 4), (64, 128, 64, 4, 4), (128, 128, 64, 8, 3),
                  (128, 256, 64, 8, 3)],
         "fp8_e4m3": [(16, 64, 256, 4, 4), (16, 128, 128, 4, 4), (32, 128, 128, 4, 4), (64, 128, 128, 4, 4), (128, 128, 128, 8, 3),
                      (128, 256, 128, 8, 3)]}
FIELDS = ["model", "experts", "topk", "hidden", "inter", "dtype", "routing", "tokens", "active", "max_rows", "padded_rows",
          "block_m", "block_n", "latency_us", "p10_us", "p90_us", "reps", "rel_err", "t_s"]


# ---------------------------------------------------------------- routing (pure Python)
def route(kind, tokens, experts, topk, seed):
    """For every token the list of its experts (distinct)."""
    rng = random.Random(1000 * seed + tokens)
    if kind == "balanced":
        return [[(seed * tokens * topk + t * topk + j) % experts for j in range(topk)] for t in range(tokens)]
    if kind == "hot":
        return [[(seed * topk + j) % experts for j in range(topk)] for _ in range(tokens)]
    if kind == "random":
        return [rng.sample(range(experts), topk) for _ in range(tokens)]
    order = list(range(experts))
    random.Random(7).shuffle(order)                    # zipf: the same popular experts for every seed
    acc, cum = 0.0, []
    for r in range(experts):
        acc += 1.0 / (r + 1)
        cum.append(acc)
    out = []
    for _ in range(tokens):
        chosen = []
        while len(chosen) < topk:
            for r in rng.choices(range(experts), cum_weights=cum, k=topk):
                if order[r] not in chosen and len(chosen) < topk:
                    chosen.append(order[r])
        out.append(chosen)
    return out


def by_expert(ids, experts):
    """Rows (token * topk + slot) of every expert."""
    topk = len(ids[0])
    rows = [[] for _ in range(experts)]
    for t, chosen in enumerate(ids):
        for j, e in enumerate(chosen):
            rows[e].append(t * topk + j)
    return rows


def align(rows, block, pad):
    """(row ids padded with `pad` to whole blocks per expert, expert of every block)."""
    flat, owner = [], []
    for e, r in enumerate(rows):
        if not r:
            continue
        n = (len(r) + block - 1) // block
        flat += r + [pad] * (n * block - len(r))
        owner += [e] * n
    return flat, owner


def distinct_of(tokens):
    return 8 if tokens <= 64 else 4 if tokens <= 512 else 2


def tiles_for(dtype, rows_per_expert):
    """Tiles worth a try: the smallest block that holds an expert's rows, and its neighbours."""
    want = 16
    while want < rows_per_expert and want < 128:
        want *= 2
    return [t for t in TILES[dtype] if want / 2 <= t[0] <= want * 2]


# ---------------------------------------------------------------- kernels
if triton:
    @triton.jit(do_not_specialize=["n_rows", "n_blocks", "div"])
    def grouped_gemm(a_ptr, w_ptr, c_ptr, rows_ptr, owner_ptr, weight_ptr, n_rows, n_blocks, div, N, K, scale,
                     BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
        """c[row] = scale * weight[row] * a[row // div] w[expert of the block]^T; w is [experts, N, K]."""
        pid = tl.program_id(0)
        n_n = N // BN
        width = GROUP * n_n
        first = (pid // width) * GROUP
        size = tl.minimum(n_blocks - first, GROUP)
        pid_m = first + (pid % width) % size
        pid_n = (pid % width) // size
        row = tl.load(rows_ptr + pid_m * BM + tl.arange(0, BM))
        ok = row < n_rows
        expert = tl.load(owner_ptr + pid_m).to(tl.int64)
        offs_n = pid_n * BN + tl.arange(0, BN)
        offs_k = tl.arange(0, BK)
        a_at = a_ptr + (row // div)[:, None] * K + offs_k[None, :]
        w_at = w_ptr + expert * N * K + offs_n[None, :] * K + offs_k[:, None]
        acc = tl.zeros([BM, BN], tl.float32)
        for k in range(0, K, BK):
            a = tl.load(a_at, mask=ok[:, None], other=0.0)
            w = tl.load(w_at)
            acc = tl.dot(a, w, acc)
            a_at += BK
            w_at += BK
        wgt = tl.load(weight_ptr + row, mask=ok, other=0.0)
        acc = acc * (wgt * scale)[:, None]
        tl.store(c_ptr + row[:, None] * N + offs_n[None, :], acc.to(tl.bfloat16), mask=ok[:, None])

    @triton.jit
    def act(gu_ptr, out_ptr, f, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        ok = offs < f
        g = tl.load(gu_ptr + row * 2 * f + offs, mask=ok, other=0.0).to(tl.float32)
        u = tl.load(gu_ptr + row * 2 * f + f + offs, mask=ok, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * f + offs, (g / (1.0 + tl.exp(-g)) * u).to(out_ptr.dtype.element_ty), mask=ok)

    @triton.jit
    def combine(c_ptr, out_ptr, d, TOPK: tl.constexpr, BLOCK: tl.constexpr):
        t = tl.program_id(0)
        offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        ok = offs < d
        acc = tl.zeros([BLOCK], tl.float32)
        for j in tl.static_range(TOPK):
            acc += tl.load(c_ptr + (t * TOPK + j) * d + offs, mask=ok, other=0.0).to(tl.float32)
        tl.store(out_ptr + t * d + offs, acc.to(tl.bfloat16), mask=ok)


class Layer:
    """Weights and buffers of one expert layer in one number format."""

    def __init__(self, ctx, model, dtype):
        _, self.experts, self.topk, self.d, self.f = model
        self.ctx, torch = ctx, ctx.torch
        self.store = torch.float8_e4m3fn if dtype == "fp8_e4m3" else torch.bfloat16
        self.w1 = self.fill(self.experts * 2 * self.f * self.d)
        self.w2 = self.fill(self.experts * self.d * self.f)
        rows = max(TOKENS) * self.topk
        self.x = self.fill(max(TOKENS) * self.d)
        mk = lambda n, t: torch.zeros(n, dtype=t, device=ctx.dev)
        self.c1, self.h = mk(rows * 2 * self.f, torch.bfloat16), self.fill(rows * self.f)
        self.c2, self.out = mk(rows * self.d, torch.bfloat16), mk(max(TOKENS) * self.d, torch.bfloat16)
        self.ones = torch.ones(rows, dtype=torch.float32, device=ctx.dev)
        self.gate = torch.rand(rows, dtype=torch.float32, device=ctx.dev) * (2.0 / self.topk)

    def fill(self, n):
        """Normal random numbers in the storage format, made in pieces."""
        torch = self.ctx.torch
        raw = torch.empty(n * (1 if self.store == torch.float8_e4m3fn else 2), dtype=torch.uint8, device=self.ctx.dev)
        t, step = raw.view(self.store), 1 << 28
        for i in range(0, n, step):
            piece = torch.empty(min(step, n - i), dtype=torch.bfloat16, device=self.ctx.dev).normal_()
            if self.store == torch.bfloat16:
                t[i:i + step] = piece
            else:
                raw[i:i + step] = piece.to(self.store).view(torch.uint8)
        return t

    def call(self, rows, tokens, tile):
        """A callable for one routed batch."""
        bm, bn, bk, warps, stages = tile
        n = tokens * self.topk
        flat, owner = align(rows, bm, n)
        flat, owner, blocks = self.ctx.ints(flat), self.ctx.ints(owner), len(owner)
        d, f = self.d, self.f
        kw = dict(BM=bm, BN=bn, BK=bk, GROUP=8, num_warps=warps, num_stages=stages)

        def fn():
            grouped_gemm[(blocks * (2 * f // bn),)](self.x, self.w1, self.c1, flat, owner, self.ones, n, blocks, self.topk, 2 * f, d,
                                                    1.0 / math.sqrt(d), **kw)
            act[(n, (f + 1023) // 1024)](self.c1, self.h, f, BLOCK=1024, num_warps=4)
            grouped_gemm[(blocks * (d // bn),)](self.h, self.w2, self.c2, flat, owner, self.gate, n, blocks, 1, d, f,
                                                1.0 / math.sqrt(f), **kw)
            combine[(tokens, (d + 1023) // 1024)](self.c2, self.out, d, TOPK=self.topk, BLOCK=1024, num_warps=4)
        return fn

    def check(self, tile, tokens=33):
        """Relative error against float32, with the roundings of the storage formats."""
        torch, d, f = self.ctx.torch, self.d, self.f
        ids = route("random", tokens, self.experts, self.topk, 99)
        rows = by_expert(ids, self.experts)
        self.out.fill_(float("nan"))
        self.call(rows, tokens, tile)()
        torch.cuda.synchronize()
        got = self.out[:tokens * d].view(tokens, d).float()
        ref = torch.zeros(tokens, d, device=self.ctx.dev)
        for e, r in enumerate(rows):
            if not r:
                continue
            idx = torch.tensor(r, device=self.ctx.dev)
            x = self.x.view(-1, d)[:tokens].float()[idx // self.topk]
            w1 = self.w1[e * 2 * f * d:(e + 1) * 2 * f * d].view(2 * f, d).float()
            gu = (x @ w1.t() / math.sqrt(d)).to(torch.bfloat16).float()
            h = (gu[:, :f] * torch.sigmoid(gu[:, :f]) * gu[:, f:]).to(self.store).float()
            w2 = self.w2[e * d * f:(e + 1) * d * f].view(d, f).float()
            y = (h @ w2.t() / math.sqrt(f)) * self.gate[idx][:, None]
            ref.index_add_(0, idx // self.topk, y)
        err = float((got - ref).norm() / ref.norm())
        return err if math.isfinite(err) else float("inf")


def est_us(model, dtype, tokens, active):
    _, experts, topk, d, f = model
    size = G.DTYPE_BYTES[dtype]
    return 15.0 + max(active * 3.0 * d * f * size / 3.8e6, tokens * topk * 6.0 * d * f / (450e6 if dtype == "bf16" else 800e6))


def points():
    return [(dtype, m, r, t) for dtype in ("bf16", "fp8_e4m3") for m in MODELS for r in ROUTINGS for t in TOKENS]


class Writer:
    def __init__(self, path):
        self.f = open(path, "w", newline="")
        self.w = csv.DictWriter(self.f, FIELDS)
        self.w.writeheader()

    def row(self, **kw):
        self.w.writerow({k: "%.5g" % v if isinstance(v, float) and k != "t_s" else "%.1f" % v if isinstance(v, float) else v
                         for k, v in kw.items()})
        self.f.flush()


def measure_point(ctx, layer, good, model, dtype, kind, tokens, table):
    distinct = distinct_of(tokens)
    routed = [by_expert(route(kind, tokens, layer.experts, layer.topk, s), layer.experts) for s in range(distinct)]
    active = [sum(1 for r in rows if r) for rows in routed]
    est = est_us(model, dtype, tokens, sum(active) / distinct)
    calls = max(int(math.ceil(800.0 / est / distinct)), 1) * distinct
    best = None
    usable = [t for t in TILES[dtype] if good.get(t) is not None]
    near = tiles_for(dtype, tokens * layer.topk * distinct / sum(active))
    for tile in [t for t in near if t in usable] or usable:
        fns = [layer.call(rows, tokens, tile) for rows in routed]
        t = ctx.bench(fns, reps=3).p50
        if best is None or t < best[0]:
            best = (t, tile, fns)
    if best is None:
        raise RuntimeError("no usable tile")
    _, tile, fns = best
    r = ctx.bench([fns[i % distinct] for i in range(calls)])
    padded = [sum((len(x) + tile[0] - 1) // tile[0] * tile[0] for x in rows) for rows in routed]
    table.row(model=model[0], experts=model[1], topk=model[2], hidden=model[3], inter=model[4], dtype=dtype, routing=kind,
              tokens=tokens, active=sum(active) / distinct, max_rows=sum(max(map(len, rows)) for rows in routed) / distinct,
              padded_rows=sum(padded) / distinct, block_m=tile[0], block_n=tile[1], latency_us=r.p50, p10_us=r.p10, p90_us=r.p90,
              reps=r.reps, rel_err=good[tile], t_s=ctx.t_s())


def run(args):
    import timing as M
    args.quick = False
    ctx = M.Ctx(args, args.budget)
    table = Writer(os.path.join(args.out, args.name))
    ctx.log("start %s" % M.smi(M.SMI_FIELDS))
    layer, key, good, failed = None, None, {}, 0
    for dtype, model, kind, tokens in points():
        if ctx.left() < 2.0:
            ctx.skip("no time left")
            continue
        try:
            if key != (dtype, model):
                layer = None
                ctx.torch.cuda.empty_cache()
                layer, key, good = Layer(ctx, model, dtype), (dtype, model), {}
                for tile in TILES[dtype]:
                    try:
                        err = layer.check(tile)
                        good[tile] = err if err < 3e-2 else None
                        ctx.log("check %s %s %s: %.2e" % (dtype, model[0], tile, err))
                    except Exception as e:
                        ctx.log("check %s %s %s: %s" % (dtype, model[0], tile, str(e)[:300]))
            measure_point(ctx, layer, good, model, dtype, kind, tokens, table)
        except Exception as e:
            failed += 1
            if failed <= 3:
                traceback.print_exc()
            ctx.skip("%s %s %s %d: %s" % (dtype, model[0], kind, tokens, str(e)[:200]))
            if failed > 30:
                break
    ctx.log("end %s, skipped %s" % (M.smi(M.SMI_FIELDS), json.dumps(ctx.skipped)[:500]))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default="gpu_out")
    ap.add_argument("--budget", type=float, default=150.0)
    ap.add_argument("--name", default="moe.csv")
    ap.add_argument("--plan", action="store_true")
    ap.add_argument("--epoch", type=float, default=time.time())
    args = ap.parse_args()
    if args.plan:
        total = 0.0
        for dtype, m, r, t in points():
            rows = by_expert(route(r, t, m[1], m[2], 0), m[1])
            act_n = sum(1 for x in rows if x)
            e = est_us(m, dtype, t, act_n)
            tiles = len(tiles_for(dtype, t * m[2] / act_n))
            d = distinct_of(t)
            total += 0.01 + e * 1e-6 * (tiles * d * 6 + max(d, 800 / e) * 14)
        print("%d points, about %.0f s and compilation" % (len(points()), total))
        return
    os.makedirs(args.out, exist_ok=True)
    run(args)


if __name__ == "__main__":
    main()
