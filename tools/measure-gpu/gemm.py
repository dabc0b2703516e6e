"""The rates of the GPU (env.json), and GEMMs."""
import json
import os
import sys

import grids as G
from timing import REL_TOL, Table, rel_err


def sec_env(ctx):
    """env.json (child part): versions, ceilings."""
    torch, info = ctx.torch, {}
    info["torch"], info["python"] = torch.__version__, sys.version.split()[0]
    if ctx.cuda:
        p = torch.cuda.get_device_properties(0)
        info.update(gpu=p.name, sms=p.multi_processor_count, memory_gb=round(p.total_memory / 1e9, 1),
                    cuda=torch.version.cuda, l2_bytes=getattr(p, "L2_cache_size", None), cudnn=torch.backends.cudnn.version())
        try:
            import triton
            info["triton"] = triton.__version__
        except Exception:
            info["triton"] = None
    n, d = ((1 << 32), 8192) if ctx.cuda else ((1 << 16), 64)
    a, b = ctx.randn(n // 2, torch.bfloat16), torch.empty(n // 2, dtype=torch.bfloat16, device=ctx.dev)
    info["copy_gb_s"] = round(2.0 * n / ctx.bench([lambda: b.copy_(a)], flush=False, reps=10).p50 / 1e3, 1)
    info["read_gb_s"] = round(1.0 * n / ctx.bench([lambda: torch.sum(a)], flush=False, reps=10).p50 / 1e3, 1)
    x, y = ctx.randn(d * d, torch.bfloat16).view(d, d), ctx.randn(d * d, torch.bfloat16).view(d, d)
    z = torch.empty_like(x)
    r = ctx.bench([lambda: torch.mm(x, y.t(), out=z)] * 4, flush=False, reps=10)
    info["bf16_8192_tflops"] = round(2.0 * d ** 3 / r.p50 / 1e6, 1)
    small = torch.zeros(32, device=ctx.dev)
    info["graph_null_kernel_us"] = round(ctx.bench([lambda: small.add_(1)] * 64, flush=False, reps=10).p50, 3)
    with open(os.path.join(ctx.out, "env.json")) as f:
        env = json.load(f)
    env.update(info)
    with open(os.path.join(ctx.out, "env.json"), "w") as f:
        json.dump(env, f, indent=1)
    ctx.log(json.dumps(info))


def sec_gemm(ctx):
    torch, table, checks = ctx.torch, Table(ctx.out, "gemm"), {}
    pts = G.gemm_points(ctx.quick)
    w_elems = 2 * max(k * n for _, _, _, k, n in pts) + (1 << 20)
    a_elems, c_elems = max(m * k for _, _, m, k, _ in pts), max(m * n for _, _, m, _, n in pts)
    w16, a16 = ctx.randn(w_elems, torch.bfloat16, 0.05), ctx.randn(a_elems, torch.bfloat16)
    c16 = torch.empty(c_elems, dtype=torch.bfloat16, device=ctx.dev)
    fp8 = {}

    def pools(dtype):
        if dtype == "bf16":
            return w16, a16
        if not fp8:
            if not (ctx.cuda and hasattr(torch, "float8_e4m3fn") and hasattr(torch, "_scaled_mm")):
                raise RuntimeError("fp8 not available")
            conv = lambda t, s: torch.cat([(t[i:i + (1 << 28)] * s).to(torch.float8_e4m3fn).view(torch.uint8)
                                           for i in range(0, t.numel(), 1 << 28)]).view(torch.float8_e4m3fn)
            fp8["w"], fp8["a"], fp8["one"] = conv(w16, 20.0), conv(a16, 1.0), torch.ones((), dtype=torch.float32, device=ctx.dev)
        return fp8["w"], fp8["a"]

    for tag, dtype, m, k, n in pts:
        est, foot = G.gemm_est_us(dtype, m, k, n), G.DTYPE_BYTES[dtype] * k * n
        if G.point_cost_s(est, foot) * 1.5 > ctx.left():
            ctx.skip("no time left (gemm %s)" % dtype)
            continue
        try:
            wp, ap = pools(dtype)
            inner, distinct = G.repetitions(est, foot, ctx.quick)
            distinct = max(min(distinct, w_elems // (k * n)), 1)
            a = ap[:m * k].view(m, k)
            ws = [wp[i * k * n:(i + 1) * k * n].view(n, k) for i in range(distinct)]
            if dtype == "bf16":
                c = c16[:m * n].view(m, n)
                call = lambda w: torch.mm(a, w.t(), out=c)
            else:
                call = lambda w: torch._scaled_mm(a, w.t(), scale_a=fp8["one"], scale_b=fp8["one"],
                                                  out_dtype=torch.bfloat16, use_fast_accum=True)
            if (dtype, k, n) not in checks:              # once per weight shape, on at most 16 x 64 outputs
                out = call(ws[-1])[:16, :64]
                checks[(dtype, k, n)] = rel_err(out, a[:16].float() @ ws[-1][:64].float().t())
            err = checks[(dtype, k, n)]
            if not err <= (REL_TOL if dtype == "bf16" else 5e-2):
                ctx.skip("gemm %s %d %d: wrong result, rel err %g" % (dtype, k, n, err))
                continue
            r = ctx.bench([lambda w=ws[i % distinct]: call(w) for i in range(inner)])
            table.row(tag=tag, dtype=dtype, m=m, k=k, n=n, latency_us=r.p50, p10_us=r.p10, p90_us=r.p90, reps=r.reps,
                      tflops=2.0 * m * k * n / r.p50 / 1e6, gb_s=(foot + G.DTYPE_BYTES[dtype] * m * k + 2.0 * m * n) / r.p50 / 1e3,
                      rel_err=err, t_s=ctx.t_s())
        except Exception as e:
            ctx.skip("gemm %s m=%d k=%d n=%d: %s" % (dtype, m, k, n, str(e)[:160]))
