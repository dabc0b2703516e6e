"""Reprices recorded answers of published cost models by the plugins of
plugins/field.

    python3 tools/field_golden.py FOLDER [FILE...]     (sh tools/field-golden.sh builds first)

FOLDER has the files of t/golden/field, or some of them.  It prints a line a
file, then `N of M vectors hold`, and exits with 0 if all do.  STEPCOST is the
program; vectors that are no steps go through the program FIELD_PHASES.
"""
import collections
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

HOST = os.environ.get("STEPCOST", "stepcost")
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "t", "golden", "field")
# Names of GPUs in the files, and in etc/hardware.
GPUS = {"H100": "h100-sxm", "A100-80": "a100-80-sxm", "L40S": "l40s",
        "A100_80GB_GPU": "a100-80-sxm", "H100_GPU": "h100-sxm", "GB200": "gb200", "MI300X": "mi300x"}


# A GPU with peaks of every format, for models that name theirs by a knob.
FREE_GPU = (("config", "h100-sxm"), ("int4_tops", "1"), ("fp4_tflops", "1"))


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def models_of(folder, user):
    path = os.path.join(folder, "models.csv")
    path = path if os.path.exists(path) else os.path.join(HERE, "models.csv")
    return {r["name"]: r for r in rows_of(path) if user in r["files"].split()}


def model_ini(m, bits=None):
    """The keys of [model] for a row of models.csv."""
    keys = collections.OrderedDict(
        num_hidden_layers=m["layers"], hidden_size=m["hidden"], num_attention_heads=m["heads"],
        num_key_value_heads=m["kv_heads"] or m["heads"], vocab_size=m["vocab"] or "32000")
    if m["head_dim"]:
        keys["head_dim"] = m["head_dim"]
    if m["experts"]:
        keys["num_experts"] = m["experts"]
        keys["num_experts_per_tok"] = m["experts_per_token"]
        keys["moe_intermediate_size"] = m["expert_ffn"] or m["ffn"]
        keys["intermediate_size"] = m["dense_ffn"] or m["ffn"] or keys["moe_intermediate_size"]
        if m["shared_ffn"]:
            keys["n_shared_experts"] = "1"
            keys["shared_expert_intermediate_size"] = m["shared_ffn"]
    else:
        keys["intermediate_size"] = m["ffn"]
    bits = bits or ({"1.0": "fp8"}.get(m["weight_bytes"]))
    if bits and bits != "bf16":
        keys["quantization"] = bits
    return keys


Setting = collections.namedtuple("Setting", "model gpu tp dp ep engine plugin knobs")


def ini(path, s):
    with open(path, "w") as f:
        print("[model]", *["%s = %s" % kv for kv in s.model], sep="\n", file=f)
        print("[hardware]", *["%s = %s" % kv for kv in s.gpu], sep="\n", file=f)
        print("[engine]\nmemory_check = off", "tensor_parallel_size = %s" % s.tp, sep="\n", file=f)
        for key, value in (("data_parallel_size", s.dp), ("expert_parallel_size", s.ep)):
            if value and int(value) > 1:
                print("%s = %s" % (key, value), file=f)
        print(*["%s = %s" % kv for kv in s.engine], sep="\n", file=f)
        print("[cost_model]\nplugin = %s" % s.plugin, *["%s = %s" % kv for kv in s.knobs], sep="\n", file=f)


def price(setting, steps):
    """The us of each (decode, prefill); NaN where the plugin refuses."""
    with tempfile.TemporaryDirectory() as d:
        ini(os.path.join(d, "a.ini"), setting)
        with open(os.path.join(d, "s.csv"), "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(["step", "decode", "prefill"])
            w.writerows([i, decode, prefill] for i, (decode, prefill) in enumerate(steps))
        done = subprocess.run([HOST, "eval", os.path.join(d, "a.ini"), "--steps", os.path.join(d, "s.csv"),
                               "--format", "csv", "--quiet"], capture_output=True, text=True)
        got = [None] * len(steps)
        for r in csv.DictReader(done.stdout.splitlines()):
            if r.get("total_us"):
                got[int(r["step"])] = r
        if not done.stdout:
            print(done.stderr.strip(), file=sys.stderr)
        return got


def prices(rows, setting_of, step_of, unit="exact_us"):
    """The us of each row; NaN where the plugin refuses."""
    groups = collections.defaultdict(list)
    us = [math.nan] * len(rows)
    for i, r in enumerate(rows):
        groups[setting_of(r)].append(i)
    for setting, members in groups.items():
        for i, got in zip(members, price(setting, [step_of(rows[i]) for i in members])):
            us[i] = float(got[unit] or got["total_us"]) if got else math.nan
    return us


def holds(rows, setting_of, step_of, want_of, tolerance, unit="exact_us"):
    """Which rows hold; with SHOW set it prints the others."""
    out = []
    for r, is_ in zip(rows, prices(rows, setting_of, step_of, unit)):
        want = want_of(r)
        out.append(close(is_, want, tolerance))
        if not out[-1] and os.environ.get("SHOW"):
            print("  %s: %r instead of %r" % (dict(r), is_, want), file=sys.stderr)
    return out


def check(*args):
    return sum(holds(*args))


def with_prompts(r):
    """A chunk that does not end its prompt names the prompt: cached:new/prompt."""
    chunks = []
    for c in filter(None, r["prefill"].split(";")):
        c, _, n = c.partition("x")
        chunks += [c] * int(n or 1)
    prompts = [int(p) for p in r["prompt_tokens"].split(";") if p]
    out = []
    for c, p in zip(chunks, prompts):
        cached, new = map(int, c.split(":"))
        out.append(c if cached + new == p else "%s/%d" % (c, p))
    return r["decode"], ";".join(out)


def blis(folder, rows):
    models = models_of(folder, "blis")

    def setting(r):
        m = models[r["model"]]
        keys = model_ini(m)
        if m["interleave_step"]:  # every second layer has experts
            keys["mlp_layer_types"] = "dense,sparse"
        knobs = [("ffn_dim", m["ffn"])] if r["cost_model"] == "trained-roofline" and m["experts"] else []
        engine = [("expert_dispatch", r["comm"])] if r["comm"] else []
        gpu = [("config", GPUS[r["gpu"]])]
        if r["gpu"] == "A100-80" and m["weight_bytes"]:  # has no peak of that format
            gpu.append(("peak_tflops", "312"))
        return Setting(tuple(keys.items()), tuple(gpu), r["tp"], r["dp"], r["ep"],
                       tuple(engine), "blis_" + r["cost_model"].replace("-", "_"), tuple(knobs))
    return check(rows, setting, with_prompts, lambda r: float(r["total_us"]), 0, "total_us")


def genz(folder, rows):
    models = models_of(folder, "genz")

    def setting(r):
        m = models[r["model"]]
        keys = model_ini(m, {"fp8": "fp8", "int8": "int8"}.get(r["bits"], r["bits"]))
        ranks = int(r["tp"]) * int(r["ep"])  # theirs: it runs on tp * ep GPUs
        return Setting(tuple(keys.items()), (("config", "h100-sxm"),), str(ranks), "1", r["ep"], (), "genz",
                       (("gpu", r["gpu"]), ("efficiency", r["efficiency"])))
    return check(rows, setting, lambda r: (r["decode"], r["prefill"]), lambda r: float(r["total_us"]), 1e-12)


WORD = {"16": "none", "8": "int8", "4": "int4"}


def llm_viewer(folder, rows):
    models = models_of(folder, "llm_viewer")

    def setting(r):
        keys = model_ini(models[r["model"]])
        keys.update(quantization=WORD[r["w_bit"]], activation_bits=r["a_bit"], kv_cache_quantization=WORD[r["kv_bit"]])
        return Setting(tuple(keys.items()), FREE_GPU, "1", "1", "1", (), "llm_viewer",
                       (("gpu", r["gpu"]), ("flash", "true" if r["flash"] == "1" else "false")))

    def step(r):
        if r["phase"] == "decode":
            return "%sx%s" % (r["seq"], r["batch"]), ""
        return "", "0:%sx%s" % (r["seq"], r["batch"])
    return check(rows, setting, step, lambda r: 1e6 * float(r["time_s"]), 1e-12)


def llm_analysis(folder, rows):
    models = models_of(folder, "llm_analysis")
    # Both values of a row as a row of their own.
    prefill = [dict(r, step=("", "0:%sx%s" % (r["prompt_tokens"], r["batch"])), want=r["prefill_s"]) for r in rows]
    decode = [dict(r, step=("%dx%s" % (int(r["prompt_tokens"]) + int(r["output_tokens"]), r["batch"]), ""),
                   want=r["decode_s"]) for r in rows]

    def setting(r):
        keys = model_ini(models[r["model"]])
        keys.update(quantization=WORD[r["w_bit"]], activation_bits=r["a_bit"])
        return Setting(tuple(keys.items()), FREE_GPU, r["tp"], "1", "1", (), "llm_analysis",
                       (("gpu", r["gpu"]), ("flops_efficiency", r["flops_efficiency"]),
                        ("memory_efficiency", r["memory_efficiency"])))
    return both(prefill, decode, setting)


def both(first, second, setting):
    """How many rows hold with both of their values."""
    values = [holds(rows, setting, lambda r: r["step"], lambda r: 1e6 * float(r["want"]), 1e-12)
              for rows in (first, second)]
    return sum(a and b for a, b in zip(*values))


def llm_optimizer(folder, rows):
    models = models_of(folder, "llm_optimizer")

    def setting(r):
        keys = model_ini(models[r["model"]], {"fp8": "fp8"}.get(r["precision"]))
        return Setting(tuple(keys.items()), FREE_GPU, r["gpus"], "1", "1", (), "llm_optimizer", (("gpu", r["gpu"]),))

    def us(rows, step):
        return prices(rows, setting, step)
    ttft = us(rows, lambda r: ("", "0:%sx%s" % (r["input_tokens"], r["concurrency"])))
    itl = us(rows, lambda r: ("%sx%s" % (r["input_tokens"], r["concurrency"]), ""))
    held = 0
    for r, first, next_ in zip(rows, ttft, itl):
        e2e = first + int(r["output_tokens"]) * next_
        held += all(abs(is_ / 1000 - float(r[name])) <= 1e-12 * float(r[name])
                    for is_, name in ((first, "ttft_ms"), (next_, "itl_ms"), (e2e, "e2e_ms")))
    return held


def distserve(folder, rows):
    def setting(r):
        return Setting((("config", "llama-2-7b"),), (("config", "a100-80-sxm"),), r["tp"], "1", "1",
                       (("pipeline_parallel_size", r["pp"]),), "distserve",
                       (("model", r["model"]), ("engine", r["engine"])))
    return check(rows, setting, lambda r: (r["decode"], r["prefill"]), 
                 # theirs is of one stage, and a step passes all of them
                 lambda r: 1000 * float(r["time_ms"]) * int(r["pp"]), 1e-12)


def splitwise(folder, rows):
    def setting(r):
        return Setting((("config", "llama-2-7b"),), (("config", "h100-sxm"),), r["tp"], "1", "1", (), "splitwise",
                       (("model", r["model"]), ("gpu", r["gpu"])))
    return check(rows, setting, lambda r: (r["decode"], r["prefill"]), lambda r: 1e6 * float(r["time_s"]), 1e-12)


def aic_sol(folder, rows):
    models = models_of(folder, "aic")
    steps = [r for r in rows if r["kind"] != "mixed"]
    mixed = [r for r in rows if r["kind"] == "mixed"]

    def setting(r):
        keys = model_ini(models[r["model"]])
        if r["model"].startswith("qwen3"):
            keys["qk_norm"] = "true"
        return Setting(tuple(keys.items()), FREE_GPU, r["tp"], "1", "1", (), "aic_sol", (("gpu", r["system"]),))

    def step(r):
        n = list(map(int, r["arguments"].split(";")))
        if r["kind"] == "decode":  # batch; length with the new token
            return "%dx%d" % (n[1] - 1, n[0]), ""
        return "", "%d:%dx%d" % (n[2], n[1], n[0])  # batch; new; cached

    held = check(steps, setting, step, lambda r: 1000 * float(r["time_ms"]), 1e-12)
    return held + passes("aic_sol_passes", [aic_line(models, r) for r in mixed],
                         [float(r["time_ms"]) for r in mixed], 1e-12)


def aic_line(models, r):
    m = models[r["model"]]
    return " ".join([r["system"], r["tp"], *(m[k] for k in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn",
                                                            "vocab")),
                     "1" if r["model"].startswith("qwen3") else "0", *r["arguments"].split(";")])


def aic_engine(folder, rows):
    return passes("aic_tables_passes", ["query %s %s" % (r["op"], r["arguments"].replace(";", " ")) for r in rows],
                  [float(r["latency_us"]) for r in rows], 1e-9)


def aic_silicon(folder, rows):
    """The origin's full tables; ours are thinned."""
    models = models_of(folder, "aic")
    got = answers("aic_tables_passes", ["%s %s" % (r["kind"], aic_line(models, r)) for r in rows])
    return sum(spread(got, [float(r["time_ms"]) for r in rows], 0.2, 0.03))


def llmservingsim2(folder, rows):
    def setting(r):
        return Setting((("config", "llama-3.1-8b"),), (("config", r["gpu"].lower()),), r["tp"], "1", "1", (),
                       "llmservingsim2", (("model", r["model"]),))
    return check(rows, setting, lambda r: (r["decode"], r["prefill"]),
                 lambda r: int(r["compute_ns"]) / 1000, 0)


def vidur(folder, rows):
    """Half of the vectors are the polynomials' answers, half the mean of three forests."""
    def setting(predictor):
        return Setting((("config", "llama-2-7b"),), (("config", "a100-80-sxm"),), "1", "1", "1", (), "vidur",
                       (("gpu", "a800"), ("predictor", predictor)))

    def step(r):
        return r["decode"], r["prefill"]
    linear = holds(rows, lambda r: setting("linear"), step, lambda r: float(r["linear_us"]), 1e-9)
    forest = prices(rows, lambda r: setting("forest"), step)
    means = [sum(float(r["forest_seed%d_us" % i]) for i in (1, 2, 3)) / 3 for r in rows]
    near = spread(forest, means, 0.04, 0.005)
    return sum(a and b for a, b in zip(linear, near))


def spread(got, want, worst, mean):
    """Which rows are within `worst` of what the origin spreads around; none if their mean error is not within `mean`."""
    errors = [0 if math.isnan(w) and math.isnan(g) else abs(g / w - 1) for g, w in zip(got, want)]
    if os.environ.get("SHOW"):
        print("  mean error %.3g, greatest %.3g" % (sum(errors) / len(errors), max(errors)), file=sys.stderr)
    return [e <= worst and sum(errors) / len(errors) < mean for e in errors]


# What models.csv has no column for: MLA (query rank, KV rank, nope, rope, value), linear attention (conv, key
# heads and size, value heads and size), which three of four layers have.
MLA = {"deepseek_v3": "1536 512 128 64 128"}
LINEAR = {"qwen3-next-80B-A3B": "4 16 128 32 128", "qwen3.5-122B-A10B": "4 16 128 64 128"}


def infersim(folder, rows):
    models = models_of(folder, "infersim")

    def line(r):
        m = models[r["model"]]
        mla, linear = MLA.get(m["name"]), LINEAR.get(m["name"])
        layers = int(m["layers"])
        shared = int(m["shared_ffn"] or 0) // int(m["expert_ffn"]) if mla else 0
        return " ".join([r["gpu"], "1" if r["phase"] == "prefill" else "0",
                         *(r[k] for k in ("world", "tp", "nodes", "fp8", "fp8kv", "deepep", "tbo", "bs", "isl", "osl",
                                          "tokens")),
                         *(m[k] or "0" for k in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "experts",
                                                 "experts_per_token", "expert_ffn")),
                         str(shared), mla or "0 0 0 0 0", str(layers // 4 if linear else layers),
                         linear or "0 0 0 0 0"])
    return passes("infersim_phases", [line(r) for r in rows], [float(r["time_ms"]) for r in rows], 1e-12)


def answers(program, lines):
    path = os.path.join(os.path.dirname(os.path.abspath(HOST)), "t", "plugins", program)
    done = subprocess.run([path, "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return list(map(float, done.stdout.split()))


def passes(program, lines, want, tolerance):
    """How many answers of a unit test's program hold: of passes that are no step."""
    got = answers(program, lines)
    for said, g, w in zip(lines, got, want):
        if os.environ.get("SHOW") and not close(g, w, tolerance):
            print("  %s: %r instead of %r" % (said, g, w), file=sys.stderr)
    return sum(close(g, w, tolerance) for g, w in zip(got, want))


def close(is_, want, tolerance):
    return (math.isnan(want) and math.isnan(is_)) or abs(is_ - want) <= tolerance * abs(want)


FILES = {"blis.csv": blis, "genz.csv": genz, "llm_viewer.csv": llm_viewer, "llm_analysis.csv": llm_analysis,
         "llm_optimizer.csv": llm_optimizer, "distserve.csv": distserve, "splitwise.csv": splitwise, "aic_sol.csv": aic_sol,
         "aic_engine.csv": aic_engine, "aic_silicon.csv": aic_silicon,
         "infersim.csv": infersim, "llmservingsim2.csv": llmservingsim2,
         "vidur/llama-2-7b.a800.steps.csv": vidur}


def main(folder, *only):
    held = total = 0
    for name, reprice in FILES.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path) or (only and name not in only):
            continue
        rows = rows_of(path)
        n = reprice(folder, rows)
        print("%s: %d of %d" % (name, n, len(rows)))
        held, total = held + n, total + len(rows)
    print("%d of %d vectors hold" % (held, total))
    return 0 if held == total else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
