#!/usr/bin/env python3
"""Measures kernels and whole transformer steps on one GPU, for a set like
bench_data/h200-sxm.own-2026.  Needs PyTorch 2.11 and Triton.

  measure.py --plan                       points and estimated seconds, without a GPU
  measure.py --out DIR [--budget 540] [--sections hetero,decode,...] [--quick]
  moe.py --out DIR [--budget 150]         layers of experts

Each section runs in a child process with a deadline of its own, so a crash, a hang
or a broken CUDA context costs one section.  Rows are written one by one; points that
no longer fit are counted in log.txt.  No setting of the GPU is changed.
"""
import argparse
import gc
import json
import os
import subprocess
import sys
import time
import traceback

import grids as G
from attention import sec_decode, sec_hetero, sec_prefill
from gemm import sec_env, sec_gemm
from steps import sec_step
from timing import FILES, SMI_FIELDS, Ctx, smi

SECTIONS = [("env", 30), ("hetero", 95), ("decode", 85), ("step", 190), ("prefill", 55), ("gemm", 95)]
SECTION_FN = {"env": sec_env, "gemm": sec_gemm, "decode": sec_decode, "hetero": sec_hetero, "prefill": sec_prefill, "step": sec_step}


def child(args):
    """Import torch, wait for 'go DEADLINE' (wall clock) on stdin, run one section."""
    import torch                                                     # noqa: F401  (slow part, before the clock starts)
    line = sys.stdin.readline().split()
    if len(line) != 2 or line[0] != "go":
        return 0
    name, seconds = args.child, float(line[1]) - time.time()
    print("==== section %s, %.0f s" % (name, seconds), flush=True)
    ctx = None
    try:
        ctx = Ctx(args, seconds)
        if name != "env":
            ctx.canary(name, "start")
        SECTION_FN[name](ctx)
    except Exception:
        traceback.print_exc()
    if ctx:
        gc.collect()
        if ctx.cuda:
            try:
                ctx.torch.cuda.empty_cache()
                ctx.canary(name, "end")
            except Exception:
                traceback.print_exc()
        for why, n in sorted(ctx.skipped.items()):
            print("skipped %d: %s" % (n, why), flush=True)
        ctx.log("section %s done" % name)
    sys.stdout.flush()
    os._exit(0)                                                      # skip slow teardown


def plan(args):
    cfg = G.STEP_CFG_QUICK if args.quick else G.STEP_CFG
    est = {
        "env": (4, 4.0),
        "hetero": (3 * len(G.hetero_points(args.quick)), sum(3 * G.point_cost_s(G.decode_est_us(s, sum(x)), G.kv_bytes(s, sum(x)), 0.02)
                                                            for s, _, _, x in G.hetero_points(args.quick))),
        "decode": (sum(len(b) for *_, b in G.decode_points(args.quick)),
                   sum(len(be) * G.point_cost_s(G.decode_est_us(s, b * kv), G.kv_bytes(s, b * kv), 0.02) for s, b, kv, be in G.decode_points(args.quick))),
        "prefill": (sum(len(b) for *_, b in G.prefill_points(args.quick)),
                    sum(len(be) * G.point_cost_s(G.prefill_est_us(s, b, n, c), G.kv_bytes(s, b * (n + c)), 0.05)
                        for s, b, n, c, be in G.prefill_points(args.quick))),
        "gemm": (len(G.gemm_points(args.quick)), sum(G.point_cost_s(G.gemm_est_us(d, m, k, n), G.DTYPE_BYTES[d] * k * n)
                                                    for _, d, m, k, n in G.gemm_points(args.quick))),
        "step": (len(G.step_points(args.quick)), sum(G.step_cost_s(cfg, p) for p in G.step_points(args.quick))),
    }
    b = G.Budget(args.budget, SECTIONS)
    total, prev = 0.0, b.t0
    for name, _ in SECTIONS:
        n, s = est[name]
        print("%-8s %5d points  est %6.1f s  share %6.1f s" % (name, n, s, b.deadline[name] - prev))
        prev = b.deadline[name]
        total += s
    print("total est %.1f s of %.1f s (process start-up overlaps; kernel compilation not counted)" % (total, args.budget))


def parent(args):
    os.makedirs(args.out, exist_ok=True)
    wanted = [s for s in SECTIONS if not args.sections or s[0] in args.sections.split(",")]
    budget = G.Budget(args.budget, wanted)
    env = {"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "epoch": args.epoch, "quick": args.quick, "budget_s": args.budget,
           "sections": [s[0] for s in wanted]}
    for when in ("start",):
        v = smi(["name", "driver_version", "clocks.max.sm", "clocks.max.mem", "power.limit"] + SMI_FIELDS)
        env["smi_" + when] = v
    path = os.path.join(args.out, "env.json")
    with open(path, "w") as f:
        json.dump(env, f, indent=1)
    log = open(os.path.join(args.out, "log.txt"), "a")

    def spawn(name):
        cmd = [sys.executable, "-u", os.path.abspath(__file__), "--child", name, "--out", args.out, "--epoch", repr(args.epoch)]
        return subprocess.Popen(cmd + (["--quick"] if args.quick else []), stdin=subprocess.PIPE, stdout=log, stderr=log, text=True)
    nxt = spawn(wanted[0][0]) if wanted else None
    for i, (name, _) in enumerate(wanted):
        proc, left = nxt, budget.left(name)
        nxt = None
        if left < 1:
            print("section %s: no time left" % name, flush=True)
            proc.kill()
        else:
            try:
                proc.stdin.write("go %.3f\n" % (time.time() + left))
                proc.stdin.flush()
            except OSError:
                print("section %s: child died before it started" % name, flush=True)
        if i + 1 < len(wanted):
            nxt = spawn(wanted[i + 1][0])               # imports torch while this section measures
        t = time.monotonic()
        try:
            proc.wait(timeout=max(left, 0) + 8)
            how = "rc %d" % proc.returncode
        except subprocess.TimeoutExpired:
            proc.kill()
            try:
                proc.wait(timeout=10)
                how = "killed at its deadline"
            except subprocess.TimeoutExpired:
                how = "did not die after kill"
        print("section %-8s %6.1f s of %6.1f s, %s" % (name, time.monotonic() - t, left, how), flush=True)
    with open(path) as f:
        env = json.load(f)
    env["smi_end"] = smi(["name", "driver_version", "clocks.max.sm", "clocks.max.mem", "power.limit"] + SMI_FIELDS)
    env["wall_s"] = round(time.time() - args.epoch, 1)
    with open(path, "w") as f:
        json.dump(env, f, indent=1)
    for kind, fn in FILES.items():
        p = os.path.join(args.out, fn)
        if os.path.exists(p):
            with open(p) as f:
                print("%-30s %d rows" % (fn, sum(1 for _ in f) - 1))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default="gpu_out")
    ap.add_argument("--budget", type=float, default=540.0)
    ap.add_argument("--sections", default="", help="comma list of " + ",".join(s for s, _ in SECTIONS))
    ap.add_argument("--quick", action="store_true", help="tiny sizes; also runs on a CPU")
    ap.add_argument("--plan", action="store_true", help="print points and estimated time, measure nothing")
    ap.add_argument("--child", help=argparse.SUPPRESS)
    ap.add_argument("--epoch", type=float, default=time.time(), help=argparse.SUPPRESS)
    args = ap.parse_args()
    unknown = set(filter(None, args.sections.split(","))) - {s for s, _ in SECTIONS}
    if unknown:
        ap.error("unknown sections: " + ",".join(sorted(unknown)))
    if args.child:
        return child(args)
    return plan(args) if args.plan else parent(args)


if __name__ == "__main__":
    sys.exit(main())
