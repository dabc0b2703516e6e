"""Attention of decodes and prompts by several kernels, each checked against float32 before it is timed."""
import math

import grids as G
from timing import REL_TOL, Table, rel_err


def ref_attention(torch, q, k, v):
    """float32 reference. q [n,H,D], k and v [m,KVH,D], causal with bottom-right alignment (m >= n)."""
    n, h, d = q.shape
    m, kvh = k.shape[0], k.shape[1]
    kf = k.float().repeat_interleave(h // kvh, dim=1)
    vf = v.float().repeat_interleave(h // kvh, dim=1)
    s = torch.einsum("nhd,mhd->hnm", q.float(), kf) / math.sqrt(d)
    i = torch.arange(n, device=q.device)[:, None] + (m - n)
    s = s.masked_fill(torch.arange(m, device=q.device)[None, :] > i, float("-inf"))
    return torch.einsum("hnm,mhd->nhd", torch.softmax(s, dim=-1), vf)


def fa2_varlen(torch, q, k, v, cu_q, cu_k, max_q, max_k, causal, seqused_k=None):
    """FlashAttention-2 bundled with torch, packed sequences; causal is bottom-right aligned; GQA and KV splitting
    are used by the kernel itself when max_q == 1. Same aten op as torch.nn.attention.varlen.varlen_attn."""
    return torch.ops.aten._flash_attention_forward(q, k, v, cu_q, cu_k, max_q, max_k, 0.0, causal, False,
                                                   seqused_k=seqused_k)[0]


def sdpa(torch, backend, q, k, v, causal):
    """q [b,n,H,D], k/v [b,m,KVH,D] through one forced SDPA backend; returns [b,n,H,D]."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    which = {"sdpa_flash": SDPBackend.FLASH_ATTENTION, "sdpa_cudnn": SDPBackend.CUDNN_ATTENTION}[backend]
    with sdpa_kernel(which):
        o = torch.nn.functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=causal,
            enable_gqa=q.shape[2] != k.shape[2])
    return o.transpose(1, 2)


def cudnn_lse(torch, q, k, v, causal):
    """cuDNN forward with log-sum-exp: ([b,n,H,D], [b,H,n,1])."""
    r = torch.ops.aten._scaled_dot_product_cudnn_attention(
        q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), None, True, 0.0, causal, False)
    return r[0].transpose(1, 2), r[1]


class PagedDecode:
    """Plan and buffers of the Triton split-KV paged decode kernel for one batch composition."""

    def __init__(self, ctx, shape, lens, policy="balanced"):
        torch, (self.h, self.kvh, self.d) = ctx.torch, shape
        self.tk = ctx.tk
        self.split, work, first, count = G.plan_splits(lens, self.kvh, ctx.sms, policy)
        self.n_work, self.batch, self.multi = len(work), len(lens), max(count) > 1
        self.lens, self.first, self.count = ctx.ints(lens), ctx.ints(first), ctx.ints(count)
        self.wreq, self.wstart = ctx.ints([w[0] for w in work]), ctx.ints([w[1] for w in work])
        n = self.n_work if self.multi else 1
        self.acc = torch.empty(n, self.h, self.d, dtype=torch.float32, device=ctx.dev)
        self.lse = torch.empty(n, self.h, dtype=torch.float32, device=ctx.dev)
        self.scale_log2 = 1.4426950408889634 / math.sqrt(self.d)

    def __call__(self, q, k, v, bt, out):
        group = self.h // self.kvh
        self.tk.decode_split[(self.kvh, self.n_work)](
            q, k, v, bt, self.lens, self.wreq, self.wstart, self.count, out, self.acc, self.lse,
            self.scale_log2, self.h, self.kvh, group, bt.stride(0), self.split,
            D=self.d, PAGE=G.PAGE, BLOCK_M=max(16, 1 << (group - 1).bit_length()), BLOCK_N=64, num_warps=4, num_stages=3)
        if self.multi:
            self.tk.decode_reduce[(self.batch, self.h)](self.acc, self.lse, self.first, self.count, out, self.h,
                                                        D=self.d, BLOCK_S=32, num_warps=4)
        return out


class DecodePool:
    """Flat K and V memory, reused by every shape; batches get disjoint random pages (or a packed range)."""

    def __init__(self, ctx):
        self.ctx, torch = ctx, ctx.torch
        n = (G.KV_POOL_BYTES if ctx.cuda else 1 << 16) // 2
        if ctx.cuda:
            n = min(n, int(torch.cuda.mem_get_info()[0] * 0.4) // 2)
        self.k, self.v = ctx.randn(n, torch.bfloat16), ctx.randn(n, torch.bfloat16)
        self.shape = None

    def use(self, shape):
        if self.shape == shape:
            return
        torch, (h, kvh, d) = self.ctx.torch, shape
        self.shape = shape
        self.tokens = self.k.numel() // (kvh * d) // G.PAGE * G.PAGE
        self.kv_k = self.k[:self.tokens * kvh * d].view(self.tokens, kvh, d)
        self.kv_v = self.v[:self.tokens * kvh * d].view(self.tokens, kvh, d)
        self.perm = torch.randperm(self.tokens // G.PAGE, device=self.ctx.dev).to(torch.int32)

    def tables(self, lens, count):
        """count block tables over disjoint pages: [batch, width] each."""
        torch, pages = self.ctx.torch, [(n + G.PAGE - 1) // G.PAGE for n in lens]
        need, width = sum(pages), (max(pages) + 15) // 16 * 16
        count = max(min(count, len(self.perm) // max(need, 1)), 1)
        first, acc = [], 0
        for p in pages:
            first.append(acc)
            acc += p
        first = torch.tensor(first, device=self.ctx.dev)[:, None]
        col = torch.arange(width, device=self.ctx.dev)[None, :]
        return [self.perm[(first + col + i * need) % len(self.perm)].contiguous() for i in range(count)]

    def gather(self, bt, r, n):
        """K and V of request r as [n,KVH,D] (for checks)."""
        idx = (bt[r].long()[:, None] * G.PAGE + self.ctx.torch.arange(G.PAGE, device=self.ctx.dev)[None, :]).reshape(-1)[:n]
        return self.kv_k[idx], self.kv_v[idx]

    def calls(self, shape, lens, backend, distinct):
        """(list of callables over disjoint data, number of work items) for a decode batch."""
        ctx, torch = self.ctx, self.ctx.torch
        self.use(shape)
        h, kvh, d = shape
        b, total = len(lens), sum(lens)
        q = ctx.randn(b * h * d, torch.bfloat16).view(b, h, d)
        distinct = max(min(distinct, self.tokens // max(total, 1)), 1)
        if backend.startswith("triton"):
            if ctx.tk is None:
                raise RuntimeError("triton not available")
            plan = PagedDecode(ctx, shape, lens, "maxsplit" if backend.endswith("maxsplit") else "balanced")
            out = torch.full_like(q, float("nan"))
            return [lambda t=t: plan(q, self.kv_k, self.kv_v, t, out) for t in self.tables(lens, distinct)], plan.n_work
        if backend == "fa2_varlen":
            if not ctx.cuda:
                raise RuntimeError("flash attention needs CUDA")
            cu_q = ctx.ints(list(range(b + 1)))
            cu_k, acc = [0], 0
            for n in lens:
                acc += n
                cu_k.append(acc)
            cu_k, mx = ctx.ints(cu_k), max(lens)
            return [lambda i=i: fa2_varlen(torch, q, self.kv_k[i * total:(i + 1) * total], self.kv_v[i * total:(i + 1) * total],
                                           cu_q, cu_k, 1, mx, False) for i in range(distinct)], 0
        if backend in ("sdpa_flash", "sdpa_cudnn"):
            if not ctx.cuda:
                raise RuntimeError("needs CUDA")
            n = lens[0]
            if any(x != n for x in lens):
                raise RuntimeError("homogeneous only")
            view = lambda t, i: t[i * total:(i + 1) * total].view(b, n, kvh, d)
            return [lambda i=i: sdpa(torch, backend, q.view(b, 1, h, d), view(self.kv_k, i), view(self.kv_v, i), False).reshape(b, h, d)
                    for i in range(distinct)], 0
        if backend == "ref":
            t = self.tables(lens, 1)[0]
            return [lambda: torch.stack([ref_attention(torch, q[r:r + 1], *self.gather(t, r, n))[0] for r, n in enumerate(lens)])], 0
        raise RuntimeError("unknown backend " + backend)

    def check(self, shape, backend):
        """Relative error against float32 on a small heterogeneous (SDPA: homogeneous) batch. Raises when unusable."""
        ctx, torch = self.ctx, self.ctx.torch
        self.use(shape)
        h, kvh, d = shape
        lens = [333] * 3 if backend.startswith("sdpa") else [1, 15, 16, 17, 64, 100, 1000, 5000]
        if ctx.quick:
            lens = [33] * 2 if backend.startswith("sdpa") else [1, 16, 40]
        state = torch.random.get_rng_state() if not ctx.cuda else torch.cuda.get_rng_state()
        fns, _ = self.calls(shape, lens, backend, 1)
        out = fns[0]().clone()
        torch.random.set_rng_state(state) if not ctx.cuda else torch.cuda.set_rng_state(state)
        q = ctx.randn(len(lens) * h * d, torch.bfloat16).view(len(lens), h, d)        # the same q again
        if backend.startswith("triton") or backend == "ref":
            t = self.tables(lens, 1)[0]
            kv = [self.gather(t, r, n) for r, n in enumerate(lens)]
        else:
            off = [sum(lens[:r]) for r in range(len(lens))]
            kv = [(self.kv_k[o:o + n], self.kv_v[o:o + n]) for o, n in zip(off, lens)]
        ref = torch.stack([ref_attention(torch, q[r:r + 1], *kv[r])[0] for r in range(len(lens))])
        return rel_err(out, ref)


class Checked:
    """Runs a check once per key; remembers the error or the reason why the backend is not used."""

    def __init__(self, ctx):
        self.ctx, self.seen = ctx, {}

    def get(self, key, fn):
        if key not in self.seen:
            try:
                e = fn()
                self.seen[key] = e if e <= REL_TOL else None
                self.ctx.log("check %s: rel err %.2e%s" % (key, e, "" if e <= REL_TOL else "  REJECTED"))
            except Exception as e:
                self.seen[key] = None
                self.ctx.log("check %s: unusable: %s" % (key, str(e).splitlines()[0][:300] if str(e) else repr(e)))
        return self.seen[key]


def measure_decode(ctx, pool, checks, shape, lens, backend):
    """(Result, work items, rel err) or None."""
    err = checks.get((shape, backend), lambda: pool.check(shape, backend))
    if err is None:
        ctx.skip("backend %s rejected for %s" % (backend, shape))
        return None
    est, foot = G.decode_est_us(shape, sum(lens)), G.kv_bytes(shape, sum(lens))
    if G.point_cost_s(est, foot) * 1.5 > ctx.left():
        ctx.skip("no time left (%s)" % backend)
        return None
    try:
        inner, distinct = G.repetitions(est, foot, ctx.quick)
        fns, n_work = pool.calls(shape, lens, backend, distinct)
        r = ctx.bench([fns[i % len(fns)] for i in range(inner)])
        return r, n_work, err
    except Exception as e:
        ctx.skip("%s %s %s: %s" % (shape, G.encode_lens(lens)[:60], backend, str(e)[:160]))
        return None


def sec_decode(ctx):
    table, pool, checks = Table(ctx.out, "decode"), DecodePool(ctx), Checked(ctx)
    for shape, b, kv, backends in G.decode_points(ctx.quick):
        for backend in backends:
            x = measure_decode(ctx, pool, checks, shape, [kv] * b, backend)
            if x:
                r, n_work, err = x
                table.row(heads=shape[0], kv_heads=shape[1], head_dim=shape[2], batch=b, kv_len=kv, backend=backend,
                          latency_us=r.p50, p10_us=r.p10, p90_us=r.p90, reps=r.reps,
                          gb_s=G.kv_bytes(shape, b * kv) / r.p50 / 1e3, splits=n_work, rel_err=err, t_s=ctx.t_s())


def sec_hetero(ctx):
    table, pool, checks = Table(ctx.out, "hetero"), DecodePool(ctx), Checked(ctx)
    backends = ("ref",) if not ctx.cuda else ("triton_paged", "fa2_varlen", "triton_maxsplit")
    for shape, name, role, lens in G.hetero_points(ctx.quick):
        for backend in backends:
            x = measure_decode(ctx, pool, checks, shape, lens, backend)
            if x:
                r, n_work, err = x
                table.row(heads=shape[0], kv_heads=shape[1], head_dim=shape[2], name=name, role=role, batch=len(lens),
                          kv_lens=G.encode_lens(lens), sum_kv=sum(lens), max_kv=max(lens), backend=backend,
                          latency_us=r.p50, p10_us=r.p10, p90_us=r.p90, reps=r.reps,
                          gb_s=G.kv_bytes(shape, sum(lens)) / r.p50 / 1e3, splits=n_work, rel_err=err, t_s=ctx.t_s())


def prefill_calls(ctx, pool, shape, b, n, c, backend, distinct):
    """(callables, q) for b requests of n new tokens on c cached ones, K/V packed per request. Each call returns [b*n,H,D]."""
    torch, (h, kvh, d) = ctx.torch, shape
    pool.use(shape)
    m = n + c
    tot = b * m
    distinct = max(min(distinct, pool.tokens // tot), 1)
    q = ctx.randn(b * n * h * d, torch.bfloat16).view(b * n, h, d)
    kv = [(pool.kv_k[i * tot:(i + 1) * tot], pool.kv_v[i * tot:(i + 1) * tot]) for i in range(distinct)]
    if backend == "ref":
        return [lambda: torch.cat([ref_attention(torch, q[r * n:(r + 1) * n], kv[0][0][r * m:(r + 1) * m], kv[0][1][r * m:(r + 1) * m])
                                   for r in range(b)])], q
    if not ctx.cuda:
        raise RuntimeError("needs CUDA")
    if backend == "fa2_varlen":
        cu_q, cu_k = ctx.ints([i * n for i in range(b + 1)]), ctx.ints([i * m for i in range(b + 1)])
        return [lambda k=k, v=v: fa2_varlen(torch, q, k, v, cu_q, cu_k, n, m, True) for k, v in kv], q
    q4 = q.view(b, n, h, d)
    if backend == "sdpa_cudnn":
        return [lambda k=k, v=v: sdpa(torch, backend, q4, k.view(b, m, kvh, d), v.view(b, m, kvh, d), True).reshape(b * n, h, d)
                for k, v in kv], q
    if backend == "cudnn_parts":
        # context rectangle (no mask) + causal square, both with log-sum-exp; merge=True also combines them (for the check)
        def call(k, v, merge=False):
            k4, v4 = k.view(b, m, kvh, d), v.view(b, m, kvh, d)
            o1, l1 = cudnn_lse(torch, q4, k4[:, :c], v4[:, :c], False)
            o2, l2 = cudnn_lse(torch, q4, k4[:, c:], v4[:, c:], True)
            if not merge:
                return o2
            l1, l2 = (x.reshape(b, h, n, 1).transpose(1, 2).float() for x in (l1, l2))
            w = torch.sigmoid(l1 - l2)
            return (o1.float() * w + o2.float() * (1 - w)).reshape(b * n, h, d)
        fns = [lambda merge=False, k=k, v=v: call(k, v, merge) for k, v in kv]
        return fns, q
    raise RuntimeError("unknown backend " + backend)


def sec_prefill(ctx):
    torch, table, pool, checks = ctx.torch, Table(ctx.out, "prefill"), DecodePool(ctx), Checked(ctx)

    def check(shape, backend, with_ctx):
        b, n, c = (2, 130, 300) if ctx.cuda else (2, 5, 7)
        c = c if with_ctx else 0
        fns, q = prefill_calls(ctx, pool, shape, b, n, c, backend, 1)
        out = (fns[0](merge=True) if backend == "cudnn_parts" else fns[0]()).clone()
        m = n + c
        ref = torch.cat([ref_attention(torch, q[r * n:(r + 1) * n], pool.kv_k[r * m:(r + 1) * m], pool.kv_v[r * m:(r + 1) * m])
                         for r in range(b)])
        return rel_err(out, ref)

    for shape, b, n, c, backends in G.prefill_points(ctx.quick):
        for backend in backends:
            if backend == "sdpa_cudnn" and c > 0:
                backend = "cudnn_parts"               # SDPA's causal mask is top-left aligned: no chunk on a prefix
            err = checks.get((shape, backend, c > 0), lambda: check(shape, backend, c > 0))
            if err is None:
                ctx.skip("prefill backend %s rejected for %s" % (backend, shape))
                continue
            est, foot = G.prefill_est_us(shape, b, n, c), G.kv_bytes(shape, b * (n + c))
            if (G.point_cost_s(est, foot) * 1.5 + 0.1) > ctx.left():
                ctx.skip("no time left (prefill)")
                continue
            try:
                inner, distinct = G.repetitions(est, foot, ctx.quick)
                inner = min(inner, 48)
                fns, _ = prefill_calls(ctx, pool, shape, b, n, c, backend, distinct)
                r = ctx.bench([fns[i % len(fns)] for i in range(inner)])
                table.row(heads=shape[0], kv_heads=shape[1], head_dim=shape[2], batch=b, new_tokens=n, context=c,
                          backend=backend, latency_us=r.p50, p10_us=r.p10, p90_us=r.p90, reps=r.reps,
                          tflops=G.prefill_flops(shape, b, n, c) / r.p50 / 1e6, rel_err=err, t_s=ctx.t_s())
            except Exception as e:
                ctx.skip("prefill %s b=%d n=%d c=%d %s: %s" % (shape, b, n, c, backend, str(e)[:160]))
