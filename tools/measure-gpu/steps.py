"""Whole steps of a decoder with the shapes of Llama 3.1 8B and random weights."""
import math
import time

import grids as G
from attention import Checked, PagedDecode, fa2_varlen, ref_attention, sdpa
from timing import Result, Table, rel_err


class StepState:
    """One batch: decode requests (context = tokens already cached), then prefill requests (context, new)."""

    def __init__(self, model, dec, pre, mode):
        ctx, cfg, torch = model.ctx, model.cfg, model.ctx.torch
        self.dec, self.pre, self.mode = dec, pre, mode
        self.n_dec, self.n_tok = len(dec), len(dec) + sum(n for _, n in pre)
        up = lambda t: (t + G.PAGE - 1) // G.PAGE
        # Prefill requests own consecutive pages (their K/V is then one packed range). Decode requests own random
        # pages; in mode 'single' consecutive ones too, before the prefill ones, so that the starts increase.
        need = [up(c + 1) for c in dec]
        width = (max(need + [1]) + 15) // 16 * 16
        bt = torch.zeros(max(len(dec), 1), width, dtype=torch.int32)
        cursor, starts = 0, {}
        if mode == "single":
            for i, p in enumerate(need):
                starts["d", i] = cursor
                bt[i, :p] = torch.arange(cursor, cursor + p, dtype=torch.int32)
                cursor += p
        for j, (c, n) in enumerate(pre):
            starts["p", j] = cursor
            cursor += up(c + n)
        if cursor + (sum(need) if mode != "single" else 0) > model.pages:
            raise RuntimeError("KV pool too small")
        if mode != "single":
            perm = (torch.randperm(model.pages - cursor)[:sum(need)] + cursor).to(torch.int32)
            o = 0
            for i, p in enumerate(need):
                bt[i, :p] = perm[o:o + p]
                o += p
        pos, slot = [], []
        for i, c in enumerate(dec):
            pos.append(c)
            slot.append(int(bt[i, c // G.PAGE]) * G.PAGE + c % G.PAGE)
        for j, (c, n) in enumerate(pre):
            pos += range(c, c + n)
            s = starts["p", j] * G.PAGE
            slot += range(s + c, s + c + n)
        dev = ctx.dev
        self.bt = bt.to(dev)
        self.pos, self.slot = ctx.ints(pos), torch.tensor(slot, dtype=torch.int64, device=dev)
        self.tokens = torch.randint(0, cfg["vocab"], (self.n_tok,), device=dev)
        last, acc = list(range(self.n_dec)), self.n_dec
        for c, n in pre:
            acc += n
            last.append(acc - 1)
        self.last = torch.tensor(last, device=dev)
        self.shape = (cfg["heads"], cfg["kv"], cfg["hd"])
        self.dec_len = [c + 1 for c in dec]
        self.plan = PagedDecode(ctx, self.shape, self.dec_len) if dec and mode != "single" and model.fused else None
        # packed varlen metadata: starts in the token pool, lengths via seqused_k
        items = ([(starts["d", i], 1, c + 1) for i, c in enumerate(dec)] if mode == "single" else []) + \
                [(starts["p", j], n, c + n) for j, (c, n) in enumerate(pre)]
        self.items = items
        if items:
            cu_q = [0]
            for _, n, _ in items:
                cu_q.append(cu_q[-1] + n)
            self.cu_q = ctx.ints(cu_q)
            ends = [s * G.PAGE for s, _, _ in items] + [items[-1][0] * G.PAGE + up(items[-1][2]) * G.PAGE]
            self.cu_k, self.used = ctx.ints(ends), ctx.ints([m for _, _, m in items])
            self.max_q, self.max_k = max(n for _, n, _ in items), max(m for _, _, m in items)
        t, c = self.n_tok, cfg
        mk = lambda *s: torch.zeros(*s, dtype=torch.bfloat16, device=dev)
        self.q, self.h = mk(t, c["heads"], c["hd"]), mk(t, c["d"]) + 1
        self.attn, self.act = mk(t, c["heads"] * c["hd"]) + 1, mk(t, c["ffn"]) + 1
        self.qkv, self.o = mk(t, (c["heads"] + 2 * c["kv"]) * c["hd"]), mk(t, c["d"])
        self.gu = mk(t, 2 * c["ffn"])
        self.res = mk(t, c["d"])


class Model:
    """Llama-shaped decoder with random weights, distinct per layer; weights [out, in] as nn.Linear stores them."""

    def __init__(self, ctx, cfg, kv_bytes):
        self.ctx, self.cfg, torch = ctx, cfg, ctx.torch
        self.fused = ctx.tk is not None
        self.prefill_backend = "sdpa_cudnn" if ctx.cuda else "ref"
        d, h, kv, hd, f, v = (cfg[x] for x in ("d", "heads", "kv", "hd", "ffn", "vocab"))
        w = lambda o, i: ctx.randn(o * i, torch.bfloat16, 1.0 / math.sqrt(i)).view(o, i)
        self.layers = [dict(qkv=w((h + 2 * kv) * hd, d), o=w(d, h * hd), gu=w(2 * f, d), dn=w(d, f)) for _ in range(cfg["layers"])]
        self.emb, self.head = w(v, d), w(v, d)
        self.norm = torch.ones(d, dtype=torch.bfloat16, device=ctx.dev)
        token = 2 * kv * hd
        self.pages = max(int(kv_bytes // (2 * token * cfg["layers"])) // G.PAGE, 8)
        n = self.pages * G.PAGE * kv * hd
        self.kc = [ctx.randn(n, torch.bfloat16).view(-1, kv, hd) for _ in range(cfg["layers"])]
        self.vc = [ctx.randn(n, torch.bfloat16).view(-1, kv, hd) for _ in range(cfg["layers"])]
        pos = torch.arange(1 << (17 if ctx.cuda else 9), device=ctx.dev, dtype=torch.float32)
        inv = 500000.0 ** (-torch.arange(0, hd, 2, device=ctx.dev, dtype=torch.float32) / hd)
        self.cos, self.sin = torch.cos(pos[:, None] * inv), torch.sin(pos[:, None] * inv)

    # ---- small ops: fused Triton on the GPU, plain torch elsewhere
    def rms(self, x, st):
        torch, d = self.ctx.torch, self.cfg["d"]
        if self.fused:
            block = 1 << (d - 1).bit_length()
            self.ctx.tk.rms_norm[(st.n_tok,)](st.res if x is None else x, st.res, self.norm, st.h, d, 1e-5,
                                              ADD=x is not None, BLOCK=block, num_warps=8)
            return st.h
        if x is not None:
            st.res += x
        r = st.res.float()
        st.h.copy_(r * torch.rsqrt((r * r).mean(-1, keepdim=True) + 1e-5) * self.norm.float())
        return st.h

    def rope(self, qkv, st, layer):
        torch, (h, kv, hd) = self.ctx.torch, st.shape
        if self.fused:
            self.ctx.tk.rope_cache[(st.n_tok,)](qkv, self.cos, self.sin, st.pos, st.slot, st.q, self.kc[layer], self.vc[layer],
                                                h, kv, HALF=hd // 2, HP=1 << (h + 2 * kv - 1).bit_length(), num_warps=4)
            return st.q
        x = qkv.view(st.n_tok, h + 2 * kv, hd).float()
        c, s = self.cos[st.pos.long()][:, None, :], self.sin[st.pos.long()][:, None, :]
        a, b = x[..., :hd // 2], x[..., hd // 2:]
        r = torch.cat([a * c - b * s, b * c + a * s], -1)
        st.q.copy_(r[:, :h])
        self.kc[layer][st.slot] = r[:, h:h + kv].to(torch.bfloat16)
        self.vc[layer][st.slot] = x[:, h + kv:].to(torch.bfloat16)
        return st.q

    def silu(self, gu, st):
        f = self.cfg["ffn"]
        if self.fused:
            self.ctx.tk.silu_mul[(st.n_tok, (f + 2047) // 2048)](gu, st.act, f, BLOCK=2048, num_warps=8)
            return st.act
        g, u = gu[:, :f].float(), gu[:, f:].float()
        st.act.copy_(g * self.ctx.torch.sigmoid(g) * u)
        return st.act

    def attention(self, q, st, layer):
        torch, (h, kv, hd) = self.ctx.torch, st.shape
        k, v, out = self.kc[layer], self.vc[layer], st.attn.view(st.n_tok, h, hd)
        nd = st.n_dec
        if nd and st.mode != "single":
            if st.plan is not None:
                st.plan(q[:nd], k, v, st.bt, out[:nd])
            else:
                for r, n in enumerate(st.dec_len):
                    idx = (st.bt[r].long()[:, None] * G.PAGE + torch.arange(G.PAGE, device=q.device)[None, :]).reshape(-1)[:n]
                    out[r] = ref_attention(torch, q[r:r + 1], k[idx], v[idx])[0].to(out.dtype)
        if st.items:
            base = nd if st.mode != "single" else 0
            if not self.ctx.cuda:
                o = base
                for s, n, m in st.items:
                    a = s * G.PAGE
                    out[o:o + n] = ref_attention(torch, q[o:o + n], k[a:a + m], v[a:a + m]).to(out.dtype)
                    o += n
            elif st.mode != "single" and self.prefill_backend == "sdpa_cudnn" and all(n == m and n >= 16 for _, n, m in st.items):
                o = base
                for s, n, m in st.items:
                    a = s * G.PAGE
                    part = sdpa(torch, "sdpa_cudnn", q[None, o:o + n], k[None, a:a + m], v[None, a:a + m], True)[0]
                    if n == st.n_tok:
                        return part.reshape(n, h * hd)            # the only request: no copy
                    out[o:o + n] = part
                    o += n
            else:
                part = fa2_varlen(torch, q[base:], k, v, st.cu_q, st.cu_k, st.max_q, st.max_k, True, seqused_k=st.used)
                if base == 0:
                    return part.reshape(st.n_tok, h * hd)
                out[base:] = part
        return st.attn

    def forward(self, st, attn=True, other=True):
        """other=False keeps only the GEMMs, on buffers of the right shapes (for the breakdown by ablation)."""
        torch, mm = self.ctx.torch, self.ctx.torch.mm
        if other:
            torch.index_select(self.emb, 0, st.tokens, out=st.res)
        x = None
        for i, w in enumerate(self.layers):
            a = self.rms(x, st) if other else st.h
            mm(a, w["qkv"].t(), out=st.qkv)
            q = self.rope(st.qkv, st, i) if other else st.q
            t = self.attention(q, st, i) if attn else st.attn
            mm(t, w["o"].t(), out=st.o)
            a = self.rms(st.o, st) if other else st.h
            mm(a, w["gu"].t(), out=st.gu)
            t = self.silu(st.gu, st) if other else st.act
            x = mm(t, w["dn"].t(), out=st.o)
        a = self.rms(x, st) if other else st.h
        logits = mm(a.index_select(0, st.last), self.head.t())
        return torch.argmax(logits, -1)


def check_step_attention(ctx, model, checks):
    """Model.attention of one mixed batch against float32, for the combinations that will be timed."""
    torch = ctx.torch
    dec, pre = ([30, 700, 5], [(0, 100)]) if ctx.cuda else ([20, 3], [(0, 7)])
    chunk = [(150, 70)] if ctx.cuda else [(9, 5)]

    def one(dec, pre, mode):
        st = StepState(model, dec, pre, mode)
        q = ctx.randn(st.q.numel(), torch.bfloat16).view_as(st.q)
        st.attn.fill_(float("nan"))
        out = model.attention(q, st, 0).view_as(st.q).clone()
        ref, o = [], 0
        for r, n in enumerate(st.dec_len):
            idx = (st.bt[r].long()[:, None] * G.PAGE + torch.arange(G.PAGE, device=q.device)[None, :]).reshape(-1)[:n]
            ref.append(ref_attention(torch, q[r:r + 1], model.kc[0][idx], model.vc[0][idx]))
            o += 1
        for s, n, m in st.items[len(st.items) - len(pre):]:
            a = s * G.PAGE
            ref.append(ref_attention(torch, q[o:o + n], model.kc[0][a:a + m], model.vc[0][a:a + m]))
            o += n
        return rel_err(out, torch.cat(ref))
    if checks.get(("step", "prefill", model.prefill_backend), lambda: one([], pre, "two")) is None and ctx.cuda:
        model.prefill_backend = "fa2_varlen"
        checks.get(("step", "prefill", "fa2_varlen"), lambda: one([], pre, "two"))
    return {"two": checks.get(("step", "two"), lambda: one(dec, chunk, "two")) is not None,
            "decode": checks.get(("step", "decode"), lambda: one(dec, [], "two")) is not None,
            "single": checks.get(("step", "single"), lambda: one(dec, chunk, "single")) is not None}


def check_layer_ops(ctx, model):
    """Fused small ops against plain torch, on one tiny batch: largest relative error (GPU only)."""
    torch = ctx.torch
    st = StepState(model, [5, 40], [(3, 9)], "two")
    x = ctx.randn(st.res.numel(), torch.bfloat16).view_as(st.res)
    res = ctx.randn(st.res.numel(), torch.bfloat16).view_as(st.res)
    qkv = ctx.randn(st.qkv.numel(), torch.bfloat16).view_as(st.qkv)
    gu = ctx.randn(st.gu.numel(), torch.bfloat16).view_as(st.gu)
    outs = []
    for fused in (True, False):
        model.fused = fused
        st.res.copy_(res)
        a = model.rms(x, st).clone()
        q = model.rope(qkv, st, 0).clone()
        outs.append([a, st.res.clone(), q, model.kc[0][st.slot].clone(), model.vc[0][st.slot].clone(), model.silu(gu, st).clone()])
    model.fused = True
    return max(rel_err(a, b) for a, b in zip(*outs))


def sec_step(ctx):
    torch, table, checks = ctx.torch, Table(ctx.out, "step"), Checked(ctx)
    cfg = G.STEP_CFG_QUICK if ctx.quick else G.STEP_CFG
    kv = 1 << 20
    if ctx.cuda:
        kv = min(G.STEP_KV_BYTES + (1 << 28), int((torch.cuda.mem_get_info()[0] - 2.4 * G.step_params(cfg) - 16e9) if not ctx.quick else 1 << 28))
    model = Model(ctx, cfg, kv)
    ctx.log("model ready: %d layers, %d pages" % (cfg["layers"], model.pages))
    if model.fused and checks.get(("step", "fused ops"), lambda: check_layer_ops(ctx, model)) is None:
        model.fused = False                              # plain torch small ops and reference decode would be far too slow:
        ctx.log("fused ops rejected: step section stops")
        return
    usable = check_step_attention(ctx, model, checks)
    for p in G.step_points(ctx.quick):
        dec, pre, mode = p["dec"], p["pre"], p["mode"]
        if not usable["single" if mode == "single" else "two" if pre else "decode"]:
            ctx.skip("step mode %s rejected" % mode)
            continue
        if G.step_cost_s(cfg, p) * 1.3 > ctx.left():
            ctx.skip("no time left (step %s)" % p["kind"])
            continue
        st = None
        try:
            st = StepState(model, dec, pre, mode)
            base = dict(kind=p["kind"], name=p["name"], mode=mode, decode_context=G.encode_lens(dec), prefill=G.encode_prefill(pre),
                        n_dec=len(dec), n_pre_tokens=st.n_tok - len(dec), sum_ctx=sum(dec), max_ctx=max(dec + [0]),
                        prefill_backend=model.prefill_backend if pre else "-")
            reps = G.step_reps(G.step_est_us(cfg, dec, pre) / 1e6)
            step_rows(ctx, model, st, p, base, reps, table)
        except Exception as e:
            ctx.skip("step %s %s %s: %s" % (p["kind"], G.encode_lens(dec)[:50], G.encode_prefill(pre)[:50], str(e)[:200]))
        finally:
            del st


def step_rows(ctx, model, st, p, base, reps, table):
    """Two rows: graph=1 (with the breakdown by ablation where asked) and graph=0 (eager, with host launch time)."""
    torch = ctx.torch
    full = lambda: model.forward(st)
    if ctx.cuda:
        r = ctx.bench([full], flush=False, reps=reps)
        parts = {}
        if p["breakdown"]:
            no_attn = ctx.bench([lambda: model.forward(st, attn=False)], flush=False, reps=reps).p50
            gemm = ctx.bench([lambda: model.forward(st, attn=False, other=False)], flush=False, reps=reps).p50
            parts = dict(gemm_us=gemm, attn_us=r.p50 - no_attn, other_us=no_attn - gemm)
        table.row(graph=1, latency_us=r.p50, p10_us=r.p10, p90_us=r.p90, reps=r.reps, t_s=ctx.t_s(), **parts, **base)
    times, host = [], []
    for i in range(6):
        if ctx.cuda:
            torch.cuda.synchronize()
        t = time.perf_counter()
        full()
        t1 = time.perf_counter()
        if ctx.cuda:
            torch.cuda.synchronize()
        if i:
            times.append((time.perf_counter() - t) * 1e6)
            host.append((t1 - t) * 1e6)
    r = Result(times)
    table.row(graph=0, latency_us=r.p50, p10_us=r.p10, p90_us=r.p90, reps=r.reps, cpu_us=G.quantile(host, 0.5), t_s=ctx.t_s(), **base)
