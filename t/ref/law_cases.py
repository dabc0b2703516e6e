"""Random configurations over all sections and keys for laws.py.  The keys come from
`stepcost help ini json` and the knobs from `stepcost plugins describe`; here is only
what a table cannot tell: which values keep a run small, and which keys go together."""
import json
import subprocess

# Cost models that price any model on any GPU without tables of kernels.
PLUGINS = ("const_step", "roofline_v1", "linear", "dynamo_mocker", "operators")
PRESETS = ("none", "none", "vllm-0.15", "vllm-0.24", "vllm-2026-07", "vllm-2026-07", "sglang-0.5.6", "sglang",
           "tensorrt_llm-1.2", "tensorrt_llm")
LENGTHS = ("constant:20", "uniform:1,60", "normal:30,9", "lognormal:mean=30,p50=20", "exponential:25",
           "histogram:10=1,40=2")
# Values of keys of texts, and of numbers that would make a run long or refuse it.
VALUES = {
    "engine.num_gpu_blocks": ("auto", "unlimited", "12", "40", "300"),
    "engine.graph_max_tokens": ("auto", "0", "8"),
    "engine.tensor_parallel_size": ("1", "1", "2", "4"),
    "engine.pipeline_parallel_size": ("1", "1", "2"),
    "engine.data_parallel_size": ("1", "1", "2"),
    "engine.expert_parallel_size": ("0", "1", "2"),
    "engine.decode_context_parallel_size": ("1", "2"),
    "engine.replicas": ("1", "2", "3"),
    "engine.prefill_replicas": ("0", "1"),
    "engine.max_num_seqs": ("1", "2", "5", "64"),
    "engine.max_batch_size": ("1", "2", "5", "64"),
    "engine.max_running_requests": ("1", "2", "5", "64"),
    "engine.max_num_batched_tokens": ("16", "64", "512", "8192"),
    "engine.max_num_tokens": ("64", "512", "8192"),
    "engine.chunked_prefill_size": ("-1", "0", "16", "64"),
    "engine.max_model_len": ("0", "90", "400"),
    "engine.long_prefill_token_threshold": ("0", "5", "40"),
    "engine.num_speculative_tokens": ("0", "1", "3"),
    "engine.synthetic_acceptance_rates": ("0.8,0.5,0.2",),
    "engine.synthetic_acceptance_length": ("1", "1.5", "2"),
    "engine.expert_dispatch": ("", "deepep_low_latency"),
    "engine.decode_cost_model": ("", "other"),
    "engine.draft_cost_model": ("", "other"),
    "engine.draft_model_config": ("", "small"),
    "engine.cpu_bytes_to_use": ("0", "2000000", "100000000"),
    "engine.kv_offloading_size": ("0", "0.01"),
    "engine.lora_load_us": ("0", "800"),
    "router.scorers": ("queue-scorer:1", "prefix-cache-scorer:3,queue-scorer:2"),
    "router.block_size_tokens": ("4", "16", "auto"),
    "router.lru_capacity_per_server": ("1", "31250", "auto"),
    "autoscaler.metric": ("num_requests_waiting", "num_requests_running", "kv_cache_usage_perc"),
    "autoscaler.target": ("0.2", "2"),
    "autoscaler.max_replicas": ("3", "5"),
    "autoscaler.min_replicas": ("1", "2"),
    "autoscaler.sync_period_s": ("0.02", "0.2"),
    "autoscaler.policy_period_s": ("0.02", "0.2"),
    "autoscaler.weights_load_s": ("auto", "0", "0.05"),
    "autoscaler.drain_s": ("0", "0.05", "30"),
    "failures.at": ("0:0.03", "0:0.02,0:0.2"),
    "failures.mtbf_hours": ("0", "0.0001"),
    "model.num_hidden_layers": ("1", "2", "4"),
    "model.hidden_size": ("64", "128"),
    "model.num_attention_heads": ("4", "8"),
    "model.num_key_value_heads": ("0", "2", "4"),
    "model.head_dim": ("0", "16"),
    "model.vocab_size": ("1000",),
    "model.intermediate_size": ("0", "96"),
    "model.max_position_embeddings": ("0", "512"),
    "model.num_experts": ("0", "4", "8"),
    "model.num_experts_per_tok": ("1", "2"),
    "model.moe_intermediate_size": ("32",),
    "model.layer_types": ("full_attention", "full_attention,sliding_attention"),
    "model.mlp_layer_types": ("", "sparse,dense"),
    "model.sliding_window": ("0", "24"),
    "hardware.memory_gib": ("1", "80"),
    "hardware.gpu": ("", "tiny"),
    "hardware.architecture": ("", "Hopper"),
    "hardware.usd_per_hour": ("0", "2", "3.5"),
    "hardware.usd_per_kwh": ("0", "0.1"),
    "hardware.power_limit_w": ("0", "700"),
    "hardware.pue": ("1", "1.3"),
    "hardware.idle_w": ("0", "60"),
    "workload.num_requests": ("1", "6", "12", "20"),
    "workload.request_rate": ("5", "60", "400", "inf"),
    "workload.interarrival_us": ("500", "20000"),
    "workload.concurrency": ("1", "3", "8"),
    "workload.stages": ("40:0.2,90:0.1", "100:0.1,0:0.1,50:0.1"),
    "workload.rate_scale": ("1", "0.5", "3"),
    "workload.input_tokens": LENGTHS,
    "workload.output_tokens": ("1", "5", "uniform:1,12"),
    "workload.burst_size": ("1", "4"),
    "workload.cv": ("0", "0.5", "2"),
    "workload.peak_to_trough": ("1", "4"),
    "workload.period_s": ("0.1", "2"),
    "workload.on_s": ("0", "0.05"),
    "workload.off_s": ("0", "0.1"),
    "workload.prompts": ("0", "1", "4"),
    "workload.prompt_groups": ("0", "2"),
    "workload.shared_prefix_tokens": ("0", "1", "16"),
    "workload.turns": ("1", "2", "4"),
    "workload.think_time_s": ("0", "0.02", "exponential:0.05"),
    "workload.mm_item_tokens": ("", "5", "uniform:1,20"),
    "workload.mm_items_per_prompt": ("1", "uniform:1,3"),
    "workload.mm_distinct_items": ("0", "3"),
    "workload.adapters": ("0", "1", "4"),
    "workload.seed": ("0", "1", "42", "7777"),
    "slo.ttft_ms": ("0", "5", "40"),
    "slo.tpot_ms": ("0", "1"),
    "slo.e2el_ms": ("0", "30", "500"),
}
BY_UNIT = {"us": ("0", "40", "900"), "s": ("0", "0.02", "0.3"), "GB/s": ("0.05", "2", "60"), "B": ("0", "1e5"),
           "TFLOP/s": ("0", "50", "300"), "TOP/s": ("0", "300"), "TB/s": ("1", "3"), "W": ("0", "400")}
# Keys that name files, or choose what the other keys are for.
LEFT_OUT = {"workload.trace", "workload.columns", "workload.format", "tables.path", "hardware.config", "model.config",
            "hardware.prices", "model.layers", "cost_model.plugin", "cost_model.preset", "engine.preset",
            "engine.scheduler", "engine.pools"}
# Keys that only make sense together; a configuration may have some of these groups.
TOGETHER = {
    "experts": {"model.num_experts": "4", "model.num_experts_per_tok": "2", "model.moe_intermediate_size": "32"},
    "latent": {"model.kv_lora_rank": "16", "model.qk_nope_head_dim": "16", "model.qk_rope_head_dim": "8",
               "model.v_head_dim": "16"},
    "windows": {"model.layer_types": "full_attention,sliding_attention", "model.sliding_window": "24"},
    "adapters": {"engine.enable_lora": "true", "workload.adapters": "3", "engine.max_loras": "2"},
    "items": {"workload.mm_item_tokens": "uniform:1,20", "workload.mm_item_share": "0.5"},
    "offload": {"engine.cpu_bytes_to_use": "1000000", "engine.kv_offload_bandwidth_gbs": "5",
                "engine.num_gpu_blocks": "30", "engine.enable_prefix_caching": "true",
                "workload.shared_prefix_tokens": "40"},
    "drafts": {"engine.num_speculative_tokens": "3", "engine.synthetic_acceptance_length": "2",
               "engine.draft_us": "20"},
    "power": {"hardware.power_limit_w": "700", "hardware.power_a": "0.3", "hardware.power_b": "0.4",
              "hardware.power_p": "1", "hardware.power_c": "0.3", "hardware.power_q": "1", "hardware.idle_w": "60",
              "hardware.usd_per_kwh": "0.1"},
    "sessions": {"workload.turns": "3", "workload.think_time_s": "0.02"},
    "common text": {"workload.prompt_groups": "2", "workload.shared_prefix_tokens": "16"},
    "fleet": {"engine.replicas": "2", "autoscaler.metric": "num_requests_running", "autoscaler.target": "2",
              "autoscaler.max_replicas": "4", "autoscaler.sync_period_s": "0.02"},
    "deaths": {"engine.replicas": "2", "failures.at": "0:0.05"},
    "stages": {"engine.pipeline_parallel_size": "2"},
    "apart": {"engine.replicas": "3", "engine.prefill_replicas": "1", "engine.kv_transfer_bandwidth_gbs": "1"},
    "pools": {"engine:prefill.replicas": "1", "engine:decode.replicas": "2", "engine.kv_transfer_bandwidth_gbs": "1"},
    "full": {"engine.num_gpu_blocks": "14", "workload.output_tokens": "uniform:20,60",
             "workload.request_rate": "400"},
    "full decodes": {"engine.replicas": "2", "engine.prefill_replicas": "1", "engine.kv_transfer_bandwidth_gbs": "5",
                     "engine.num_gpu_blocks": "12", "workload.output_tokens": "uniform:30,90",
                     "workload.request_rate": "400"},
    "goodput": {"slo.ttft_ms": "40"},
    "ranks": {"model.num_experts": "4", "model.num_experts_per_tok": "2", "model.moe_intermediate_size": "32",
              "engine.data_parallel_size": "2", "engine.enable_expert_parallel": "true"},
}
LOADS = ("request_rate", "request_rate", "request_rate", "interarrival_us", "concurrency", "stages")
ONE_LOAD = set(LOADS)


class Tables:
    """The keys of every section and the knobs of PLUGINS, as the program tells them."""

    def __init__(self, program):
        def tell(*words):
            return json.loads(subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout)
        self.keys = {s["name"]: {k["name"]: k for k in s["keys"]} for s in tell("help", "ini", "json")["sections"]}
        self.knobs = {p: {k["name"]: k for k in tell("plugins", "describe", p, "--format", "json")["knobs"]}
                      for p in PLUGINS}

    def of(self, section):
        """Rows of the keys that a section may have; an arm's with its plugin's knobs aside."""
        return self.keys["cost_model" if section.startswith("cost_model") else section]


class Configuration:
    """Sections in order, each with its keys in order.  Values are texts."""

    def __init__(self, sections=None):
        self.sections = {s: dict(k) for s, k in (sections or {}).items()}

    def copy(self):
        return Configuration(self.sections)

    def get(self, section, key, default=None):
        return self.sections.get(section, {}).get(key, default)

    def set(self, section, key, value):
        self.sections.setdefault(section, {})[key] = str(value)

    def drop(self, section, key):
        self.sections.get(section, {}).pop(key, None)

    def has(self, section):
        return bool(self.sections.get(section))

    def arms(self):
        return [s for s in self.sections if s.startswith("cost_model")]

    def items(self):
        return [(s, k) for s, keys in self.sections.items() for k in keys]

    def text(self):
        return "".join("[%s]\n%s" % (s, "".join("%s = %s\n" % item for item in keys.items()))
                       for s, keys in self.sections.items())

    def at_line(self, line):
        """The section and the key on that line of text()."""
        n = 0
        for section, keys in self.sections.items():
            n += 1
            for key in keys:
                n += 1
                if n == line:
                    return section, key
        return None


def read(text):
    c, section = Configuration(), None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line[1:line.index("]")]
            c.sections.setdefault(section, {})
        elif line and line[0] not in ";#":
            key, _, value = line.partition("=")
            c.set(section, key.strip(), value.strip())
    return c


def number_near(rng, row):
    default, low, high = float(row["default"] or 0), row["min"], row["max"]
    near = default * rng.choice((0.5, 1, 2)) if default else rng.choice((0, 1, 2, 10))
    value = rng.choice((default, near, near, low if low is not None else near))
    value = max(value, low if low is not None else value)
    value = min(value, high if high is not None else value)
    return "%d" % round(value) if row["type"] == "int" else "%.6g" % value


def random_value(rng, section, row):
    """A text for a key; None: the table has none that works."""
    name = "%s.%s" % (section.partition(":")[0], row["name"])
    if name in VALUES:
        return rng.choice(VALUES[name])
    if row["type"] == "bool":
        return rng.choice(("true", "false"))
    if row["type"] == "choice":
        return rng.choice(row["choices"])
    if row["type"] in ("text", "numbers"):
        return row["default"]
    if row["unit"] in BY_UNIT:
        return rng.choice([v for v in BY_UNIT[row["unit"]] if row["min"] <= float(v) <= row["max"]] or [row["default"]])
    return number_near(rng, row)


def is_obeyed(row, c):
    """Whether the engine or the router reads the key."""
    presets, routings = row.get("presets"), row.get("routings")
    return (presets is None or c.get("engine", "preset", "none") in presets) and \
        (routings is None or c.get("engine", "routing", "round_robin") in routings)


def holds(when, keys, rows):
    """Whether a condition of `when` holds, in the grammar of keys/when.h."""
    def term(text):
        for sign in ("=", ">", "<"):
            key, found, value = text.partition(sign)
            if found:
                break
        now = keys.get(key, rows[key]["default"] if key in rows else "")
        if sign == "=":
            return now != "" if value == "*" else now in value.split("|")
        return float(now) > float(value) if sign == ">" else float(now) < float(value)
    return not when or any(all(term(t.strip()) for t in group.split("&")) for group in when.split(";"))


def arm(rng, tables, c, section):
    plugin = rng.choice(PLUGINS[:2] if rng.random() < 0.6 else PLUGINS)
    c.set(section, "plugin", plugin)
    knobs = tables.knobs[plugin]
    for name in rng.sample(sorted(knobs), min(len(knobs), rng.choice((0, 1, 2)))):
        row = knobs[name]
        if not row["when"]:
            c.set(section, name, random_value(rng, "knob", row))
    if rng.random() < 0.2:
        one = rng.choice(("engine", "hardware"))
        row = tables.of(one)[rng.choice(sorted(tables.of(one)))]
        if is_obeyed(row, c) and one + "." + row["name"] not in LEFT_OUT and not row["when"]:
            value = random_value(rng, one, row)
            if value is not None:
                c.set(section, "%s.%s" % (one, row["name"]), value)


def add_keys(rng, tables, c):
    """Keys of any section, one after another, where the others let them have an effect."""
    sections = [s for s in tables.keys if s not in ("cost_model", "stepcost", "serve", "arena")]
    likely = ["engine"] * 5 + ["workload"] * 3 + ["model", "hardware", "slo"] + ["router", "autoscaler", "failures"]
    for _ in range(rng.choice((1, 3, 6, 10, 14))):
        section = rng.choice(likely if rng.random() < 0.9 else sections)
        if ":" in section and not c.has(section):
            continue
        row = tables.of(section)[rng.choice(sorted(tables.of(section)))]
        name = row["name"]
        if "%s.%s" % (section.partition(":")[0], name) in LEFT_OUT or c.get(section, name) is not None or \
                section == "workload" and name in ONE_LOAD:
            continue
        value = random_value(rng, section, row)
        if value is not None and is_obeyed(row, c) and holds(row["when"], c.sections.get(section, {}), tables.of(section)):
            c.set(section, name, value)


def draw(rng, tables):
    """A random configuration, which the program may refuse."""
    c = Configuration()
    kind = rng.random()
    if kind < 0.2:
        c.set("model", "config", rng.choice(("small", "llama-3.1-8b", "mixtral-8x7b")))
    else:
        for key in ("num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"):
            c.set("model", key, rng.choice(VALUES["model." + key]))
    if 0.1 < kind < 0.3:
        c.set("hardware", "config", rng.choice(("tiny", "h100-sxm")))
    for key, value in () if c.has("hardware") else (("bf16_tflops", 100), ("fp8_tflops", 200), ("fp4_tflops", 300),
                       ("int8_tops", 200), ("int4_tops", 300), ("fp32_tflops", 50), ("memory_bandwidth_tbs", 1), ("memory_gib", 8),
                       ("link_bandwidth_gbs", 50), ("usd_per_hour", rng.choice((0, 2)))):
        c.set("hardware", key, value)
    preset = rng.choice(PRESETS)
    if preset != "none":
        c.set("engine", "preset", preset)
    if rng.random() < 0.7:
        c.set("engine", "num_gpu_blocks", rng.choice(VALUES["engine.num_gpu_blocks"]))
    load = rng.choice(LOADS)
    c.set("workload", load, rng.choice(VALUES["workload." + load]))
    if load != "stages":
        c.set("workload", "num_requests", rng.choice(VALUES["workload.num_requests"]))
    c.set("workload", "input_tokens", rng.choice(LENGTHS))
    c.set("workload", "output_tokens", rng.choice(VALUES["workload.output_tokens"]))
    c.set("workload", "seed", rng.randrange(10 ** 6))
    if rng.random() < 0.3:
        c.set("engine", "routing", rng.choice(tables.keys["engine"]["routing"]["choices"]))
        c.set("engine", "replicas", rng.choice(("2", "3")))
    for group in rng.sample(sorted(TOGETHER), rng.choice((0, 0, 1, 1, 2, 3))):
        for name, value in TOGETHER[group].items():
            section, _, key = name.partition(".")
            if is_obeyed(tables.of(section)[key], c):
                if key in ONE_LOAD:
                    for other in ONE_LOAD:
                        c.drop("workload", other)
                c.set(section, key, value)
    add_keys(rng, tables, c)
    arm(rng, tables, c, "cost_model:one")
    if rng.random() < 0.4 or "other" in (c.get("engine", "decode_cost_model"), c.get("engine", "draft_cost_model")):
        arm(rng, tables, c, "cost_model:other")
    return c


NEEDED = {"plugin", "num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size", "input_tokens",
          "output_tokens", "memory_bandwidth_tbs", "memory_gib", "bf16_tflops", "config"}
# What a message means that names no key.
MEANT = (("has an adapter", ("adapters",)), ("has items", ("mm_item_tokens", "mm_item_share", "mm_items_per_prompt",
                                                          "mm_distinct_items")),
         ("apart neither die", ("mtbf_hours", "at", "metric", "target", "max_replicas")))


def without_refused(c, message, rng):
    """The configuration without a key that the message is about, or None."""
    c = c.copy()
    for word in message.replace(",", " ").split():
        place = word.split(":")
        if place[0].endswith("c.ini") and len(place) > 1 and place[1].isdigit():
            found = c.at_line(int(place[1]))
            if found and found[1] not in NEEDED:
                c.drop(*found)
                return c
            break
    for text, keys in MEANT:
        found = [x for x in c.items() if x[1] in keys]
        if text in message and found:
            for x in found:
                c.drop(*x)
            return c
    if "weights" in message and c.get("model", "config", "small") != "small":
        c.sections["model"] = {"config": "small"}
        return c
    if "cannot price" in message or "create:" in message:
        for section in c.arms():
            if c.get(section, "plugin") != "const_step" and c.get(section, "plugin") + ":" in message:
                c.sections[section] = {"plugin": "const_step"}
                return c
    words = set("".join(x if x.isalnum() or x == "_" else " " for x in message).split())
    named = [(s, k) for s, k in c.items() if k.rpartition(".")[2] in words and k not in NEEDED]
    left = [(s, k) for s, k in c.items() if k not in NEEDED and k not in ("num_requests", *ONE_LOAD)]
    if not named and not left:
        return None
    c.drop(*rng.choice(named or left))
    return c


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def is_fleet(c):
    return bool(c.get("autoscaler", "metric", "none") != "none" or c.get("failures", "at") or
                float(c.get("failures", "mtbf_hours", 0)))


def has_drafts(c):
    return any(k.endswith("num_speculative_tokens") and c.get(s, k) != "0" for s, k in c.items())


def is_apart(c):
    return c.get("engine", "prefill_replicas", "0") != "0" or c.has("engine:prefill") or c.has("engine:decode")
