"""Triton kernels: paged decode attention with split KV, and the small fused ops of a layer.

Integers are listed in do_not_specialize, so each kernel compiles once per head_dim.
The KV pool is [tokens, kv_heads, head_dim], token = block * 16 + slot.
"""
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n_heads", "kv_heads", "group", "bt_stride", "split"])
def decode_split(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, wreq_ptr, wstart_ptr, count_ptr, out_ptr, acc_ptr, lse_ptr,
                 scale_log2, n_heads, kv_heads, group, bt_stride, split,
                 D: tl.constexpr, PAGE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """One program = one work item (request, first token) x one KV head; all query heads of the group at once.

    A request with one split writes its output; otherwise the normalised partial and its log2-sum-exp go to
    acc/lse [work, n_heads, (D)]."""
    h = tl.program_id(0)
    w = tl.program_id(1)
    req = tl.load(wreq_ptr + w)
    start = tl.load(wstart_ptr + w)
    length = tl.load(len_ptr + req)
    nsplit = tl.load(count_ptr + req)
    end = tl.minimum(start + split, length)
    offs_m = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, D)
    row_ok = offs_m < group
    head = h * group + offs_m
    q = tl.load(q_ptr + (req * n_heads + head)[:, None] * D + offs_d[None, :], mask=row_ok[:, None], other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    for n in range(start, end, BLOCK_N):
        offs_n = n + tl.arange(0, BLOCK_N)
        ok = offs_n < end
        page = tl.load(bt_ptr + req * bt_stride + offs_n // PAGE, mask=ok, other=0)
        row = page.to(tl.int64) * PAGE + offs_n % PAGE
        base = (row * kv_heads + h) * D
        k = tl.load(k_ptr + base[None, :] + offs_d[:, None], mask=ok[None, :], other=0.0)
        s = tl.dot(q, k) * scale_log2
        s = tl.where(ok[None, :], s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + base[:, None] + offs_d[None, :], mask=ok[:, None], other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m_i = m_new
    res = acc / l_i[:, None]
    if nsplit == 1:
        tl.store(out_ptr + (req * n_heads + head)[:, None] * D + offs_d[None, :], res.to(tl.bfloat16), mask=row_ok[:, None])
    else:
        dst = w * n_heads + head
        tl.store(acc_ptr + dst[:, None] * D + offs_d[None, :], res, mask=row_ok[:, None])
        tl.store(lse_ptr + dst, m_i + tl.log2(l_i), mask=row_ok)


@triton.jit(do_not_specialize=["n_heads"])
def decode_reduce(acc_ptr, lse_ptr, first_ptr, count_ptr, out_ptr, n_heads,
                  D: tl.constexpr, BLOCK_S: tl.constexpr):
    """Combine the partials of one (request, query head)."""
    b = tl.program_id(0)
    h = tl.program_id(1)
    first = tl.load(first_ptr + b)
    n = tl.load(count_ptr + b)
    offs_d = tl.arange(0, D)
    m_i = tl.full([1], float("-inf"), tl.float32)
    l_i = tl.zeros([1], tl.float32)
    acc = tl.zeros([D], tl.float32)
    if n > 1:
        for s in range(0, n, BLOCK_S):
            offs_s = s + tl.arange(0, BLOCK_S)
            ok = offs_s < n
            src = (first + offs_s) * n_heads + h
            lse = tl.load(lse_ptr + src, mask=ok, other=float("-inf"))
            part = tl.load(acc_ptr + src[:, None] * D + offs_d[None, :], mask=ok[:, None], other=0.0)
            m_new = tl.maximum(m_i, tl.max(lse, 0))
            wgt = tl.exp2(lse - m_new)
            alpha = tl.exp2(m_i - m_new)
            l_i = l_i * alpha + tl.sum(wgt, 0)
            acc = acc * alpha + tl.sum(part * wgt[:, None], 0)
            m_i = m_new
        res = acc / l_i
        tl.store(out_ptr + (b * n_heads + h) * D + offs_d, res.to(tl.bfloat16))


@triton.jit(do_not_specialize=["d"])
def rms_norm(x_ptr, res_ptr, w_ptr, out_ptr, d, eps, ADD: tl.constexpr, BLOCK: tl.constexpr):
    """res += x (if ADD); out = rmsnorm(res) * w. One row per program."""
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    ok = offs < d
    r = tl.load(res_ptr + row * d + offs, mask=ok, other=0.0).to(tl.float32)
    if ADD:
        r += tl.load(x_ptr + row * d + offs, mask=ok, other=0.0).to(tl.float32)
        tl.store(res_ptr + row * d + offs, r.to(tl.bfloat16), mask=ok)
    w = tl.load(w_ptr + offs, mask=ok, other=0.0).to(tl.float32)
    inv = 1.0 / tl.sqrt(tl.sum(r * r, 0) / d + eps)
    tl.store(out_ptr + row * d + offs, (r * inv * w).to(tl.bfloat16), mask=ok)


@triton.jit(do_not_specialize=["n_heads", "kv_heads"])
def rope_cache(qkv_ptr, cos_ptr, sin_ptr, pos_ptr, slot_ptr, q_ptr, k_ptr, v_ptr, n_heads, kv_heads,
               HALF: tl.constexpr, HP: tl.constexpr):
    """One token per program: rotate q and k (neox halves), write q out, k and v into the paged cache."""
    t = tl.program_id(0).to(tl.int64)
    pos = tl.load(pos_ptr + t).to(tl.int64)
    slot = tl.load(slot_ptr + t).to(tl.int64)
    h = tl.arange(0, HP)
    i = tl.arange(0, HALF)
    total = n_heads + 2 * kv_heads
    ok = (h < total)[:, None]
    is_q = h < n_heads
    is_k = (h >= n_heads) & (h < n_heads + kv_heads)
    is_v = (h >= n_heads + kv_heads) & (h < total)
    src = qkv_ptr + (t * total + h)[:, None] * (2 * HALF) + i[None, :]
    a = tl.load(src, mask=ok, other=0.0).to(tl.float32)
    b = tl.load(src + HALF, mask=ok, other=0.0).to(tl.float32)
    c = tl.load(cos_ptr + pos * HALF + i)[None, :]
    s = tl.load(sin_ptr + pos * HALF + i)[None, :]
    c = tl.where(is_v[:, None], 1.0, c)
    s = tl.where(is_v[:, None], 0.0, s)
    lo = (a * c - b * s).to(tl.bfloat16)
    hi = (b * c + a * s).to(tl.bfloat16)
    qd = q_ptr + (t * n_heads + h)[:, None] * (2 * HALF) + i[None, :]
    tl.store(qd, lo, mask=is_q[:, None])
    tl.store(qd + HALF, hi, mask=is_q[:, None])
    kd = k_ptr + (slot * kv_heads + h - n_heads)[:, None] * (2 * HALF) + i[None, :]
    tl.store(kd, lo, mask=is_k[:, None])
    tl.store(kd + HALF, hi, mask=is_k[:, None])
    vd = v_ptr + (slot * kv_heads + h - n_heads - kv_heads)[:, None] * (2 * HALF) + i[None, :]
    tl.store(vd, lo, mask=is_v[:, None])
    tl.store(vd + HALF, hi, mask=is_v[:, None])


@triton.jit(do_not_specialize=["f"])
def silu_mul(gu_ptr, out_ptr, f, BLOCK: tl.constexpr):
    """out = silu(gate) * up, gate_up [tokens, 2 f]."""
    t = tl.program_id(0).to(tl.int64)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = offs < f
    g = tl.load(gu_ptr + t * 2 * f + offs, mask=ok, other=0.0).to(tl.float32)
    u = tl.load(gu_ptr + t * 2 * f + f + offs, mask=ok, other=0.0).to(tl.float32)
    tl.store(out_ptr + t * f + offs, (g / (1.0 + tl.exp(-g)) * u).to(tl.bfloat16), mask=ok)
