"""The points to measure, their text in files, and the shares of time.  No PyTorch here, so
`measure.py --plan` works on a machine without a GPU."""
import math
import random
import time

PAGE = 16                      # tokens per KV block, as in vLLM
ROT_BYTES = 512 << 20          # data touched before anything is touched again (L2 of an H200: 50-60 MB)
DTYPE_BYTES = {"bf16": 2, "fp8_e4m3": 1}

# Rough rates of an H200, used only to choose repetition counts and to estimate run time (--plan).
EST_BW = 4.0e6                 # bytes / us
EST_FLOPS = {"bf16": 650e6, "fp8_e4m3": 1100e6, "attn": 350e6}   # flop / us


# ---------------------------------------------------------------- encoders
def encode_lens(lens):
    """[8192,128,128] -> '8192;128x2': runs of equal neighbours, order kept. [] -> '-'."""
    if not lens:
        return "-"
    runs = []
    for v in lens:
        if runs and runs[-1][0] == v:
            runs[-1][1] += 1
        else:
            runs.append([v, 1])
    return ";".join(str(v) if n == 1 else "%dx%d" % (v, n) for v, n in runs)


def decode_lens(text):
    """Inverse of encode_lens."""
    out = []
    if text in ("", "-"):
        return out
    for part in text.split(";"):
        v, _, n = part.partition("x")
        out += [int(v)] * (int(n) if n else 1)
    return out


def encode_prefill(reqs):
    """[(context,new)] -> '4096:512;0:128x3'. [] -> '-'."""
    if not reqs:
        return "-"
    runs = []
    for r in reqs:
        if runs and runs[-1][0] == tuple(r):
            runs[-1][1] += 1
        else:
            runs.append([tuple(r), 1])
    return ";".join("%d:%d%s" % (c, n, "" if k == 1 else "x%d" % k) for (c, n), k in runs)


def decode_prefill(text):
    out = []
    if text in ("", "-"):
        return out
    for part in text.split(";"):
        body, _, k = part.partition("x")
        c, _, n = body.partition(":")
        out += [(int(c), int(n))] * (int(k) if k else 1)
    return out


# ---------------------------------------------------------------- statistics
def quantile(values, q):
    """Linear-interpolation quantile (numpy's default), no numpy needed."""
    s = sorted(values)
    if not s:
        return float("nan")
    pos = q * (len(s) - 1)
    lo = int(math.floor(pos))
    hi = min(lo + 1, len(s) - 1)
    return s[lo] + (s[hi] - s[lo]) * (pos - lo)


def summary(values):
    """(p10, p50, p90)"""
    return quantile(values, 0.1), quantile(values, 0.5), quantile(values, 0.9)


# ---------------------------------------------------------------- time budget
class Budget:
    """Deadlines of ordered sections. Unused time of a section passes on to the later ones.

    shares: list of (name, seconds); scaled so that they add up to total - reserve."""

    def __init__(self, total, shares, reserve=10.0, clock=time.monotonic):
        self.clock = clock
        self.t0 = clock()
        usable = max(total - reserve, 0.0)
        scale = usable / max(sum(s for _, s in shares), 1e-9)
        self.deadline, acc = {}, 0.0
        for name, s in shares:
            acc += s * scale
            self.deadline[name] = self.t0 + acc

    def left(self, name):
        return self.deadline[name] - self.clock()


def repetitions(est_us, footprint, quick=False):
    """(inner, distinct): calls per CUDA graph, and how many different data sets they rotate through.

    inner aims at ~0.8 ms per replay (so that graph start-up, ~3 us, is below 0.5 %);
    distinct * footprint >= ROT_BYTES where inner allows (the L2 flush before each replay covers the rest)."""
    if quick:
        return 2, 2
    inner = min(max(int(math.ceil(800.0 / max(est_us, 4.0))), 2), 96)
    need = int(math.ceil(ROT_BYTES / max(footprint, 1)))
    distinct = min(max(need, 2), inner)
    inner = int(math.ceil(inner / distinct)) * distinct
    return inner, distinct


def replays(replay_us, budget_us=25000.0, lo=7, hi=25):
    return int(min(max(budget_us / max(replay_us, 1.0), lo), hi))


def point_cost_s(est_us, footprint, overhead=0.012):
    """Wall time one point is expected to take (for --plan and for skip decisions)."""
    inner, _ = repetitions(est_us, footprint)
    t = inner * max(est_us, 4.0)
    return overhead + inner * 40e-6 + (t * (replays(t) + 2) + 3 * est_us) / 1e6


# ---------------------------------------------------------------- GEMM grid
GEMM_M = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]


def model_gemms(d, heads, kv, hd, ffn, vocab, tp=1):
    """Fused (k,n) shapes of one rank: qkv, o, gate_up, down, lm head."""
    kv_l = max(kv // tp, 1)
    return {"qkv": (d, (heads // tp + 2 * kv_l) * hd), "o": (heads * hd // tp, d),
            "gate_up": (d, 2 * ffn // tp), "down": (ffn // tp, d), "lm_head": (d, vocab // tp)}


MODELS = {  # d, heads, kv, head_dim, ffn, vocab
    "llama-3.1-8b": (4096, 32, 8, 128, 14336, 128256),
    "llama-2-7b": (4096, 32, 32, 128, 11008, 32000),
    "llama-3.1-70b": (8192, 64, 8, 128, 28672, 128256),
    "qwen3-14b": (5120, 40, 8, 128, 17408, 151936),
    "qwen2.5-7b": (3584, 28, 4, 128, 18944, 152064),
}


def gemm_points(quick=False):
    """Ordered list of (tag, dtype, m, k, n), most important first, no duplicates."""
    if quick:
        return [("quick", "bf16", m, 64, 96) for m in (1, 4)] + [("quick", "fp8_e4m3", 16, 64, 96)]
    groups = []
    for name, tps in (("llama-3.1-8b", (1,)), ("llama-3.1-70b", (8, 4, 2, 1)), ("qwen3-14b", (1,)),
                      ("llama-2-7b", (1,)), ("qwen2.5-7b", (1,))):
        for tp in tps:
            for op, kn in model_gemms(*MODELS[name], tp=tp).items():
                groups.append(("%s/tp%d/%s" % (name, tp, op), kn, op == "lm_head"))
    square = [("grid", (k, n), False) for k in (1024, 2048, 4096, 8192, 16384)
              for n in (1024, 2048, 4096, 8192, 16384)]
    pts, seen = [], set()

    def add(dtype, items, ms):
        for tag, (k, n), head in items:
            if k % 16 or n % 16:
                continue
            for m in ms:
                if head and m > 1024:
                    continue                      # the head only sees the last token of each request
                if (dtype, m, k, n) not in seen:
                    seen.add((dtype, m, k, n))
                    pts.append((tag, dtype, m, k, n))
    first = groups[:5]
    add("bf16", first, GEMM_M)
    add("fp8_e4m3", first, GEMM_M)
    add("bf16", first, [3, 6, 12, 24, 48, 96, 192, 257, 384, 768, 1536, 3072])   # off-grid, for held-out tests
    fine = [16, 40, 56, 64, 65, 72, 80, 100, 112, 120, 127, 128, 129, 144, 160, 176, 192, 193, 224, 250, 256, 300, 320, 321, 400, 448,
            512, 513, 576, 600, 640, 700, 800, 896, 1000]
    add("bf16", first[:4], fine)
    add("fp8_e4m3", first[:4], [3, 6, 12, 24, 48, 96, 257, 384, 768] + fine)
    add("bf16", groups, GEMM_M)
    add("bf16", square, GEMM_M)
    add("fp8_e4m3", groups, GEMM_M)
    add("fp8_e4m3", square, GEMM_M[::2])
    return pts


def gemm_est_us(dtype, m, k, n):
    es = DTYPE_BYTES[dtype]
    return 3.0 + max(2.0 * m * k * n / EST_FLOPS[dtype], (es * (k * n + m * k) + 2.0 * m * n) / EST_BW)


# ---------------------------------------------------------------- attention grids
ATT_SHAPES = [  # heads, kv_heads, head_dim: local shapes of the models above under TP
    (32, 8, 128), (8, 1, 128), (32, 32, 128), (16, 2, 128), (16, 4, 128), (28, 4, 128), (64, 8, 128), (40, 8, 128)]
DECODE_B = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
DECODE_KV = [16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
KV_POOL_BYTES = 16 << 30       # of K; the same again of V


def kv_bytes(shape, tokens):
    return 2 * 2 * shape[1] * shape[2] * tokens


def decode_est_us(shape, total_kv):
    return 7.0 + kv_bytes(shape, total_kv) / EST_BW


def decode_points(quick=False):
    """(shape, batch, kv_len, backends)"""
    if quick:
        return [((4, 2, 16), b, kv, ("triton_paged", "fa2_varlen", "sdpa_flash", "sdpa_cudnn", "ref")) for b in (1, 3) for kv in (16, 40)]
    pts, seen = [], set()

    def add(shape, bs, kvs, backends):
        for kv in kvs:
            for b in bs:
                if b * kv * shape[1] * shape[2] * 2 > KV_POOL_BYTES or (shape, b, kv, backends) in seen:
                    continue
                seen.add((shape, b, kv, backends))
                pts.append((shape, b, kv, backends))
    main = ATT_SHAPES[0]
    add(main, DECODE_B, DECODE_KV, ("triton_paged", "fa2_varlen"))
    for s in ATT_SHAPES[1:]:
        add(s, [1, 2, 4, 8, 32, 128, 512], [16, 128, 1024, 8192, 65536], ("triton_paged", "fa2_varlen"))
    add(main, [1, 8, 64, 256], [512, 2048, 8192, 32768], ("sdpa_flash", "sdpa_cudnn"))
    for s in ATT_SHAPES[1:]:
        add(s, [1, 4, 16, 64, 256], [64, 256, 512, 2048, 4096, 16384, 32768, 131072], ("triton_paged",))
    add(main, [3, 6, 12, 24, 48, 96, 192], [200, 1500, 6000, 24000], ("triton_paged", "fa2_varlen"))   # held out
    return pts


PREFILL_NEW = [16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]


def prefill_flops(shape, batch, new, ctx):
    return 4.0 * shape[0] * shape[2] * batch * new * (ctx + new / 2.0)


def prefill_est_us(shape, batch, new, ctx):
    return 8.0 + prefill_flops(shape, batch, new, ctx) / EST_FLOPS["attn"] + kv_bytes(shape, batch * (ctx + new)) / EST_BW


def prefill_points(quick=False):
    """(shape, batch, new_tokens, context, backends)"""
    both = ("sdpa_cudnn", "fa2_varlen")
    if quick:
        return [((4, 2, 16), b, n, c, ("ref", "fa2_varlen", "sdpa_cudnn")) for b, n, c in ((1, 8, 0), (2, 5, 11))]
    pts, seen = [], set()

    def add(shape, batch, news, ctxs, backends):
        for n in news:
            for c in ctxs:
                key = (shape, batch, n, c)
                if key in seen or batch * (n + c) * shape[1] * shape[2] * 2 > KV_POOL_BYTES // 2:
                    continue
                if prefill_est_us(shape, batch, n, c) > 120e3:
                    continue
                seen.add(key)
                pts.append(key + (backends,))
    main = ATT_SHAPES[0]
    add(main, 1, PREFILL_NEW, [0], both)
    add(main, 1, [1, 2, 4, 8, 10, 20, 32, 48, 96, 100, 160, 192, 200, 320, 384, 500, 640, 768, 1000], [0, 2048], both)
    add(main, 1, [16, 64, 128, 256, 512, 1024, 2048, 4096, 8192], [512, 2048, 8192, 32768, 131072], both)
    add(main, 4, PREFILL_NEW[:-1], [0], both)
    for s in ATT_SHAPES[1:]:
        add(s, 1, [128, 512, 1024, 2048, 4096, 8192], [0], both)
        add(s, 1, [128, 512, 2048], [2048, 8192, 32768], both)
    add(main, 1, [300, 700, 1500, 3000, 6000, 12000], [0, 3000], both)            # held out
    add(main, 16, [16, 64, 256, 1024, 2048], [0], both)
    return pts


# ---------------------------------------------------------------- heterogeneous decode batches
def h28_batches():
    """Seed 000: one request at KV 4096 plus n-1 at KV 64, and the homogeneous KV 64 batches."""
    out = []
    for n in (1, 2, 4, 8, 16):
        out.append(("h28_hetero_%d" % n, [4096] + [64] * (n - 1)))
    for n in (1, 2, 4, 8, 16):
        out.append(("h28_homo_%d" % n, [64] * n))
    return out


def h33_batches():
    """Seed 001: the 15 batches (compositions from the oracle report 1.1) and the range sweep."""
    out = [
        ("h33_homo_4x128", [128] * 4), ("h33_homo_4x1024", [1024] * 4), ("h33_homo_4x4096", [4096] * 4),
        ("h33_mild_2x_range", [512, 512, 1024, 1024]), ("h33_mild_4x_range", [256, 512, 512, 1024]),
        ("h33_mod_8x_range", [128, 256, 512, 1024]), ("h33_mod_10x_short_heavy", [128] * 3 + [1024]),
        ("h33_mod_10x_long_heavy", [128] + [1024] * 3), ("h33_high_32x_4req", [128] * 3 + [4096]),
        ("h33_high_32x_5req", [256, 512, 1024, 4096, 8192]), ("h33_extreme_64x_4req", [128] * 3 + [8192]),
        ("h33_extreme_64x_8req", [128, 128, 256, 256, 512, 1024, 4096, 8192]),
        ("h33_extreme_64x_16req", [128] * 4 + [256] * 3 + [512] * 2 + [1024] * 2 + [2048] * 2 + [4096] * 2 + [8192]),
        ("h33_pathological_1long_7short", [8192] + [128] * 7),
        ("h33_pathological_1long_15short", [8192] + [128] * 15),
    ]
    out += [("h33_range_%d" % s, [s] * 3 + [8192]) for s in (8192, 4096, 2048, 1024, 512, 256)]
    return out


def lognormal_lens(n, median, sigma, seed, lo=16, hi=131072):
    rng = random.Random(seed)
    return [min(max(int(round(rng.lognormvariate(math.log(median), sigma))), lo), hi) for _ in range(n)]


def hetero_batches(quick=False):
    """Ordered list of (name, lens)."""
    if quick:
        return [("q_a", [40, 8, 8]), ("q_b", [16, 33])]
    out = h28_batches() + h33_batches()
    for n in (8, 32, 128, 256):
        for big, small in ((2048, 256), (8192, 512), (32768, 256), (16384, 1024)):
            for nb in sorted({1, n // 8, n // 2}):
                if nb * big + (n - nb) * small <= 2_000_000:
                    out.append(("bimodal_%d_%dx%d_%d" % (n, nb, big, small), [big] * nb + [small] * (n - nb)))
    for n in (8, 32, 64, 128, 256):
        for median, sigma in ((1024, 0.5), (1024, 1.0), (1024, 1.5), (4096, 1.0)):
            out.append(("lognormal_%d_%d_%.1f" % (n, median, sigma), lognormal_lens(n, median, sigma, 1000 + n)))
    return out


def hetero_points(quick=False):
    """(shape, name, role, lens): each batch, then its twins (B, mean KV) and (B, max KV). No shape measures a list twice."""
    shapes = [(4, 2, 16)] if quick else [ATT_SHAPES[0], ATT_SHAPES[1], ATT_SHAPES[2]]
    pts = []
    for si, shape in enumerate(shapes):
        seen = set()
        batches = hetero_batches(quick)
        if si > 0:
            batches = [b for i, b in enumerate(batches) if not b[0].startswith("h28_homo") and (i % 3 == 0 or b[0].startswith("h33_"))]
        for name, lens in batches:
            n = len(lens)
            mean = max(int(round(sum(lens) / n)), 1)
            for role, ls in (("self", lens), ("mean", [mean] * n), ("max", [max(lens)] * n)):
                if role != "self" and tuple(ls) in seen:
                    continue
                if sum(ls) * shape[1] * shape[2] * 2 > KV_POOL_BYTES:
                    continue
                seen.add(tuple(ls))
                pts.append((shape, name, role, ls))
    return pts


# ---------------------------------------------------------------- whole steps
STEP_CFG = dict(layers=32, d=4096, heads=32, kv=8, hd=128, ffn=14336, vocab=128256)
STEP_CFG_QUICK = dict(layers=2, d=64, heads=4, kv=2, hd=16, ffn=96, vocab=128)
STEP_KV_BYTES = 80 << 30


def step_params(cfg):
    per = cfg["d"] * (cfg["heads"] + 2 * cfg["kv"]) * cfg["hd"] + cfg["heads"] * cfg["hd"] * cfg["d"] + 3 * cfg["d"] * cfg["ffn"]
    return cfg["layers"] * per


def step_kv_token_bytes(cfg):
    return 2 * 2 * cfg["layers"] * cfg["kv"] * cfg["hd"]


def step_tokens_needed(dec, pre):
    up = lambda t: (t + PAGE - 1) // PAGE * PAGE
    return sum(up(c + 1) for c in dec) + sum(up(c + n) for c, n in pre)


def step_est_us(cfg, dec, pre):
    """Roofline sum (GEMM + attention), only for time planning."""
    t = len(dec) + sum(n for _, n in pre)
    p = step_params(cfg)
    head = cfg["d"] * cfg["vocab"]
    gemm = max(2.0 * t * p / EST_FLOPS["bf16"], 2.0 * p / EST_BW) + 2.0 * head / EST_BW
    shape = (cfg["heads"], cfg["kv"], cfg["hd"])
    attn = cfg["layers"] * (kv_bytes(shape, sum(dec)) / EST_BW + 6.0)
    attn += cfg["layers"] * sum(prefill_flops(shape, 1, n, c) / EST_FLOPS["attn"] for c, n in pre)
    return gemm + attn + cfg["layers"] * 10.0


def step_points(quick=False):
    """Ordered dicts: kind decode|prefill|chunk|mixed, name, dec (contexts), pre [(context,new)], mode, breakdown."""
    pts, seen = [], set()

    def add(kind, name, dec, pre, mode="two", breakdown=True):
        key = (tuple(dec), tuple(pre), mode)
        if key not in seen:
            seen.add(key)
            pts.append(dict(kind=kind, name=name, dec=list(dec), pre=list(pre), mode=mode, breakdown=breakdown))
    if quick:
        add("decode", "homo", [20] * 2, [])
        add("decode", "h28", [40, 8, 8], [])
        add("prefill", "prefill", [], [(0, 12)])
        add("chunk", "chunk", [], [(17, 6)])
        add("mixed", "mixed", [20] * 2, [(17, 6)])
        add("mixed", "mixed", [20] * 2, [(17, 6)], mode="single")
        return pts
    # 1. core: H28 / H33 and a coarse homogeneous grid
    for b in (1, 8, 32, 128):
        for c in (128, 1024, 4096):
            add("decode", "homo", [c] * b, [])
    for name, lens in h28_batches() + [x for x in h33_batches() if "range_" not in x[0] or x[0].endswith("_range")]:
        add("decode", name, lens, [])
    # 2. prefill, one request
    for n in (1, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192):
        add("prefill", "prefill", [], [(0, n)], breakdown=n <= 2048)
    # 3. mixed: every combination after its two halves
    for b, c in ((8, 1024), (32, 1024), (64, 2048), (128, 1024), (16, 8192)):
        add("decode", "mixed_half", [c] * b, [])
        for ctx in (0, 4096):
            for n in (128, 256, 512, 1024, 2048):
                add("chunk" if ctx else "prefill", "mixed_half", [], [(ctx, n)], breakdown=False)
                add("mixed", "mixed", [c] * b, [(ctx, n)])
    # 4. the same with all requests in one FlashAttention-2 launch (vLLM style)
    for b, c in ((32, 1024), (16, 8192)):
        add("decode", "mixed_half", [c] * b, [], mode="single")
        for ctx, n in ((0, 512), (4096, 512), (4096, 2048)):
            add("mixed", "mixed", [c] * b, [(ctx, n)], mode="single")
    # 5. chunks on a prefix
    for n in (128, 256, 512, 1024, 2048):
        for ctx in (512, 2048, 8192, 32768):
            add("chunk", "chunk", [], [(ctx, n)], breakdown=n == 512)
    # 6. rest of the homogeneous grid, lognormal batches, several prefills, several chunks
    for b in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        for c in (16, 128, 512, 1024, 2048, 4096, 8192, 16384, 32768):
            add("decode", "homo", [c] * b, [], breakdown=False)
    for n in (16, 64, 128, 256):
        for sigma in (0.5, 1.0, 1.5):
            lens = lognormal_lens(n, 1024, sigma, 1000 + n, hi=32768)
            add("decode", "lognormal", lens, [])
            add("decode", "lognormal_mean", [int(round(sum(lens) / n))] * n, [])
    for k, n in ((2, 512), (4, 512), (8, 256), (4, 2048), (16, 128)):
        add("prefill", "prefill_batch", [], [(0, n)] * k, breakdown=False)
    add("mixed", "mixed_many", [1024] * 64, [(0, 256)] * 4, breakdown=False)
    add("mixed", "mixed_many", lognormal_lens(64, 1024, 1.0, 1064, hi=32768), [(2048, 512)], breakdown=False)
    cap = STEP_KV_BYTES // step_kv_token_bytes(STEP_CFG)
    return [p for p in pts if step_tokens_needed(p["dec"], p["pre"]) <= cap]


def step_cost_s(cfg, p):
    t = step_est_us(cfg, p["dec"], p["pre"]) / 1e6
    graphs = 3 if p["breakdown"] else 1
    reps = step_reps(t)
    return graphs * (0.05 + t * (reps + 3)) + 8 * max(t, 0.02) + 0.05


def step_reps(t_s):
    return int(min(max(0.08 / max(t_s, 1e-6), 5), 15))


# ---------------------------------------------------------------- decode split planner
def plan_splits(lens, kv_heads, sms, policy="balanced", block=64, min_split=128):
    """Work list of the split-KV decode kernel: (split_size, [(request, start)], first[], count[]).

    balanced: one split size for the batch chosen from the TOTAL KV, as FlashInfer-like planners do.
    maxsplit: number of splits chosen from the MAX KV and the batch size, as FlashAttention-2 does
              (simplified): short requests of a mixed batch use one split, nothing is balanced."""
    up = lambda x: (x + block - 1) // block * block
    if policy == "balanced":
        items = max(4 * sms // kv_heads, 1)
        split = max(up(-(-sum(lens) // items)), min_split)
    elif policy == "maxsplit":
        ctas = len(lens) * kv_heads
        n = 1 if ctas >= 0.8 * 2 * sms else max(2 * sms // ctas, 1)
        split = max(up(-(-max(lens) // n)), min_split)
    else:
        raise ValueError(policy)
    work, first, count = [], [], []
    for r, n in enumerate(lens):
        first.append(len(work))
        starts = range(0, n, split)
        count.append(len(starts))
        work += [(r, s) for s in starts]
    return split, work, first, count
