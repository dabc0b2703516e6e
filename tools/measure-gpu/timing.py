"""The tables that are written, nvidia-smi, and the time of one call in a CUDA graph."""
import csv
import gc
import math
import os
import subprocess
import time

import grids as G


FIELDS = {
    "gemm": ["tag", "dtype", "m", "k", "n", "latency_us", "p10_us", "p90_us", "reps", "tflops", "gb_s", "rel_err", "t_s"],
    "decode": ["heads", "kv_heads", "head_dim", "batch", "kv_len", "backend", "latency_us", "p10_us", "p90_us", "reps",
               "gb_s", "splits", "rel_err", "t_s"],
    "hetero": ["heads", "kv_heads", "head_dim", "name", "role", "batch", "kv_lens", "sum_kv", "max_kv", "backend",
               "latency_us", "p10_us", "p90_us", "reps", "gb_s", "splits", "rel_err", "t_s"],
    "prefill": ["heads", "kv_heads", "head_dim", "batch", "new_tokens", "context", "backend", "latency_us", "p10_us",
                "p90_us", "reps", "tflops", "rel_err", "t_s"],
    "step": ["kind", "name", "mode", "decode_context", "prefill", "n_dec", "n_pre_tokens", "sum_ctx", "max_ctx", "graph",
             "latency_us", "p10_us", "p90_us", "reps", "gemm_us", "attn_us", "other_us", "cpu_us", "prefill_backend", "t_s"],
    "drift": ["section", "when", "copy_gb_s", "gemm4096_tflops", "sm_mhz", "mem_mhz", "temp_c", "power_w", "throttle", "t_s"],
}
FILES = {"gemm": "gemm.csv", "decode": "attention_decode.csv", "hetero": "attention_decode_hetero.csv",
         "prefill": "attention_prefill.csv", "step": "step.csv", "drift": "drift.csv"}
REL_TOL = 2e-2                 # ||out-ref||/||ref|| accepted for bf16
SMI_FIELDS = ["clocks.sm", "clocks.mem", "temperature.gpu", "power.draw", "clocks_throttle_reasons.active"]


class Table:
    """CSV that is appended to and flushed row by row."""

    def __init__(self, out, kind):
        path = os.path.join(out, FILES[kind])
        new = not os.path.exists(path) or os.path.getsize(path) == 0
        self.f = open(path, "a", newline="")
        self.w = csv.DictWriter(self.f, FIELDS[kind])
        if new:
            self.w.writeheader()
            self.f.flush()

    def row(self, **kw):
        self.w.writerow({k: ("%.4g" % v if isinstance(v, float) and k != "t_s" and abs(v) < 1000 else
                             "%.1f" % v if isinstance(v, float) else v) for k, v in kw.items()})
        self.f.flush()


def smi(fields):
    """Read-only nvidia-smi query; list of strings, or None."""
    try:
        r = subprocess.run(["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits"],
                           capture_output=True, text=True, timeout=10)
        if r.returncode == 0:
            return [x.strip() for x in r.stdout.strip().splitlines()[0].split(",")]
    except Exception:
        pass
    return None


class Result:
    def __init__(self, times):
        self.p10, self.p50, self.p90 = G.summary(times)
        self.reps = len(times)


class Ctx:
    """All that a section needs: torch, device, deadline, log, timing."""

    def __init__(self, args, seconds):
        import torch
        self.torch, self.args, self.quick, self.out = torch, args, args.quick, args.out
        self.t0 = time.monotonic()
        self.deadline = self.t0 + seconds
        self.cuda = torch.cuda.is_available()
        self.dev = "cuda" if self.cuda else "cpu"
        self.skipped, self.cuda_errors = {}, 0
        self.points = 0
        self.tk = None
        self.sms = 132
        gc.disable()                                   # no collection inside a graph capture
        torch.set_grad_enabled(False)
        if self.cuda:
            self.stream = torch.cuda.Stream()
            torch.cuda.set_stream(self.stream)         # everything on one side stream: capture needs it
            self.sms = torch.cuda.get_device_properties(0).multi_processor_count
            self.flush_buf = torch.empty(64 << 20, dtype=torch.float32, device=self.dev).normal_()    # 256 MB
            try:
                import tkernels
                self.tk = tkernels
            except Exception as e:
                self.log("no triton: %r" % e)

    def log(self, text):
        print("[%7.1f] %s" % (time.monotonic() - self.t0, text), flush=True)

    def left(self):
        return self.deadline - time.monotonic()

    def skip(self, why):
        self.skipped[why] = self.skipped.get(why, 0) + 1
        if "CUDA error" in why or "illegal" in why:      # sticky: every later call would fail too (out of memory is not)
            self.cuda_errors += 1
            if self.cuda_errors >= 5:
                raise RuntimeError("CUDA context unusable, section given up: " + why)
        if self.skipped[why] <= 3:
            self.log("skip: " + why)

    def t_s(self):
        return time.time() - self.args.epoch

    def housekeeping(self):
        self.points += 1
        if self.points % 40 == 0:
            gc.collect()
            if self.cuda:
                self.torch.cuda.empty_cache()

    def randn(self, n, dtype, scale=1.0):
        """Flat random tensor, filled in pieces below 2^28 elements."""
        t = self.torch.empty(n, dtype=dtype, device=self.dev)
        step = 1 << 28
        for i in range(0, n, step):
            t[i:i + step].normal_(0.0, scale)
        return t

    def ints(self, values):
        return self.torch.tensor(values, dtype=self.torch.int32, device=self.dev)

    # ---- timing
    def bench(self, fns, flush=True, reps=None):
        """Latency of one call in us. CUDA: all fns captured in one graph (in order), replayed with events around
        each replay, an L2 flush (a 256 MB read: leaves clean lines) before each. CPU: wall clock."""
        torch = self.torch
        self.housekeeping()
        if not self.cuda:
            times = []
            for _ in range(reps or 3):
                t = time.perf_counter()
                for f in fns:
                    f()
                times.append((time.perf_counter() - t) * 1e6 / len(fns))
            return Result(times)
        fns[0]()
        fns[-1]()
        torch.cuda.synchronize()
        g = self.capture(fns)
        e = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        e[0].record()
        g.replay()
        e[1].record()
        e[1].synchronize()
        n = reps or G.replays(e[0].elapsed_time(e[1]) * 1e3)
        ev = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(n)]
        for a, b in ev:
            if flush:
                self.flush_buf.sum()
            a.record()
            g.replay()
            b.record()
        torch.cuda.synchronize()
        return Result([a.elapsed_time(b) * 1e3 / len(fns) for a, b in ev])

    def capture(self, fns):
        """Low-level capture: torch.cuda.graph() would run gc and empty_cache each time."""
        g = self.torch.cuda.CUDAGraph()
        g.capture_begin(capture_error_mode="thread_local")
        try:
            for f in fns:
                f()
        except Exception:
            try:
                g.capture_end()
            except Exception:
                pass
            raise
        g.capture_end()
        return g

    def canary(self, section, when):
        """One row of drift.csv: the same copy and the same GEMM at the start and the end of every section."""
        torch = self.torch
        row = dict(section=section, when=when, t_s=self.t_s())
        try:
            n = (1 << 29) if self.cuda else (1 << 16)
            a, b = self.torch.ones(n, dtype=torch.bfloat16, device=self.dev), self.torch.empty(n, dtype=torch.bfloat16, device=self.dev)
            d = 4096 if self.cuda else 64
            x = self.randn(d * d, torch.bfloat16).view(d, d)
            y = torch.empty_like(x)
            row["copy_gb_s"] = 4.0 * n / self.bench([lambda: b.copy_(a)] * 2, flush=False, reps=5).p50 / 1e3
            row["gemm4096_tflops"] = 2.0 * d ** 3 / self.bench([lambda: torch.mm(x, x.t(), out=y)] * 8, flush=False, reps=7).p50 / 1e6
            s = smi(SMI_FIELDS) if self.cuda else None
            if s:
                row.update(zip(["sm_mhz", "mem_mhz", "temp_c", "power_w", "throttle"], s))
        except Exception as e:
            self.log("canary: %r" % e)
        Table(self.out, "drift").row(**row)


def rel_err(out, ref):
    d = (out.float() - ref.float()).norm() / ref.float().norm().clamp_min(1e-20)
    v = float(d)
    return v if math.isfinite(v) else float("inf")
