"""Random configurations for property.py: models, GPUs, engines, workloads, cost
models, pools, speculation; fleets with routers, sessions, replicas that come, go
and die; power.  Sizes of engines and workloads are conserve.py's: small, so that
requests wait, are preempted and are rejected."""
import os
import random

import conserve
import property_fleets

KNOBS = {
    "const_step": lambda rng: "base_us = %d\nper_token_us = %g\n" % (rng.randint(1, 5000), rng.choice([0, 1.5])),
    "roofline_v1": lambda rng: "t_overhead_us = %d\n" % rng.randint(0, 900),
    "roofline_v2": lambda rng: "preset = %s\n" % rng.choice(["fixed", "reviewed"]) + AUTO,
    "mfu_interp": lambda rng: AUTO,
    "mfu_per_request": lambda rng: AUTO,
    "latency_interp": lambda rng: AUTO,
    "operators": lambda rng: AUTO,
    "smooth_roofline": lambda rng: "",
}
AUTO = "tables.set = auto\n"
WITHOUT_TEXT = ("round_robin", "least_outstanding")  # routers that look at neither prompts nor sessions
QUICK = ("const_step", "roofline_v1", "smooth_roofline")  # read no tables
EASY = ("const_step", "operators")
# Their parts sum to a step's time.
ADDITIVE = {"operators", "smooth_roofline", "latency_interp"}


def names(root, what):
    return sorted(f[:-4] for f in os.listdir(os.path.join(root, "etc", what)) if f.endswith(".ini"))


def arms(rng, plugins):
    """One to three arms: name, plugin, text."""
    quick = [p for p in QUICK if p in plugins]
    chosen = [rng.choice(quick if rng.random() < 0.6 else sorted(plugins)) for _ in range(rng.choice([1, 1, 2, 3]))]
    return [("arm%d" % i, plugin, "plugin = %s\n%s" % (plugin, KNOBS[plugin](rng)))
            for i, plugin in enumerate(chosen)]


def machine(rng, root, engine):
    """Most models on most GPUs; without the limits of memory half of the time."""
    gpu = rng.choice(["h100-sxm", "h100-sxm", rng.choice(names(root, "hardware"))])
    model = rng.choice(["llama-3.1-8b", rng.choice(names(root, "models"))])
    engine.pop("max_model_len", None)
    engine["tensor_parallel_size"] = rng.choice([1, 1, 2, 4, 8])
    engine["memory_check"] = rng.choice(["on", "off"])
    return model, gpu


def beside(rng, engine, workload):
    """Adds what only the newest vLLM simulates: KV on the host, adapters, pictures.
    Returns 1 if requests have properties that their file does not tell."""
    engine["preset"] = "vllm-2026-07"
    engine.setdefault("block_size", 16)
    if rng.random() < 0.5:
        engine.update(cpu_bytes_to_use=rng.choice([10 ** 8, 10 ** 9, 10 ** 10]),
                      kv_offload_bandwidth_gbs=rng.choice([0.5, 50]),
                      blocks_per_chunk=rng.choice([1, 2, 4]), eviction_policy=rng.choice(["lru", "arc"]),
                      store_threshold=rng.choice([0, 0, 2]),
                      offload_prompt_only=rng.choice(["true", "false"]))
        if engine["num_gpu_blocks"] == "unlimited":
            engine["num_gpu_blocks"] = rng.randint(50, 400)
    own = rng.choice(["none", "adapters", "pictures", "both"])
    if own in ("adapters", "both"):
        engine.update(enable_lora="true", max_loras=rng.choice([1, 2, 4]), lora_us=rng.choice([0, 100]),
                      lora_load_us=rng.choice([0, 2000]))
        workload.update(adapters=rng.choice([1, 3, 20]), adapter_skew=rng.choice([0, 1]))
    if own in ("pictures", "both"):
        engine.update(encoder_us=rng.choice([0, 500]), encoder_us_per_token=rng.choice([0, 2]))
        workload.update(mm_item_tokens=rng.choice(["5", "uniform:1,40"]), mm_item_share=rng.choice([0.3, 1]),
                        mm_items_per_prompt=rng.choice(["1", "uniform:1,3"]),
                        mm_distinct_items=rng.choice([0, 5]))
    return own != "none"


def more_of_vllm(rng, engine):
    """Keys of the presets that the other settings leave as they are."""
    if rng.random() < 0.5:
        engine.update(mamba_cache_mode=rng.choice(["auto", "none", "all", "align"]),
                      disable_hybrid_kv_cache_manager=rng.choice(["true", "false"]),
                      window_free=rng.choice(["scheduled", "processed"]),
                      window_gate=rng.choice(["none", "one_batch", "all_batches"]))
    if rng.random() < 0.3:
        engine.update(watermark=rng.choice([0, 0.01, 0.3]), long_prefill_token_threshold=rng.choice([0, 5, 100]),
                      free_list=rng.choice(["lru", "unkeyed_first"]),
                      kv_cache_dtype=rng.choice(["auto", "fp8"]),
                      scheduler_reserve_full_isl=rng.choice(["true", "false"]))
    if rng.random() < 0.3:
        engine.update(api_overhead_us=rng.choice([0, 300]), api_request_us=rng.choice([0, 200]),
                      output_token_us=rng.choice([0, 20]), output_process=rng.choice(["own", "shared"]),
                      response_overhead_us=rng.choice([0, 100]), schedule_us=rng.choice([0, 500]))


class Configuration:
    """of a seed, in a folder.  text(arms) is the INI; n: its requests, or None.
    easy: with cost models that price every model and every engine."""

    def __init__(self, root, seed, folder, easy=False):
        self.rng = rng = random.Random(seed)
        self.model, engine = conserve.settings(rng)
        self.gpu = "h100-sxm"
        if rng.random() < 0.7:
            self.model, self.gpu = machine(rng, root, engine)
        workload, self.n, self.loop = conserve.generated(rng, folder)
        apart = conserve.pools(rng, engine) if rng.random() < 0.25 and "scheduler" not in engine else ""
        workload["seed"] = rng.randint(0, 10 ** 6)
        plain = not {"scheduler", "pipeline_parallel_size", "data_parallel_size"} & set(engine)
        self.untold = plain and not apart and "prefill_replicas" not in engine and \
            rng.random() < 0.2 and "trace" not in workload and beside(rng, engine, workload)
        if "preset" in engine:
            more_of_vllm(rng, engine)
        self.apart = bool(apart) or "prefill_replicas" in engine
        sections, self.moves = "", False
        if rng.random() < 0.5:
            sections, self.moves = property_fleets.fleet(rng, engine, workload, self.apart, self.loop)
        self.engine, self.workload = engine, workload
        self.arms = arms(rng, EASY if easy else KNOBS)
        power, self.power_limit = property_fleets.power(rng)
        self.head = "[model]\nconfig = %s\n[hardware]\nconfig = %s\n%s[engine]\n%s%s%s" % (
            self.model, self.gpu, power, conserve.lines(engine), apart, sections)

    def text(self, chosen=None, workload=None):
        return self.head + "[workload]\n" + conserve.lines(workload or self.workload) + "".join(
            "[cost_model:%s]\n%s" % (name, text) for name, _, text in chosen or self.arms)

    def priced_by_content(self):
        """Whether a row of a file of steps is enough for its price."""
        return not self.apart and "num_speculative_tokens" not in self.engine and \
            self.engine.get("data_parallel_size", 1) == 1

    def answers_late(self):
        """Whether clients get tokens later than they are made."""
        return any(self.engine.get(k) for k in ("response_overhead_us", "output_token_us"))

    def shares_prompts(self):
        """Whether a cache may find one prompt's text in another: unless a key says
        no, the caches of TensorRT-LLM and SGLang are on."""
        return "prompt_groups" in self.workload and self.engine.get("enable_prefix_caching") != "false"

    def can_replay(self):
        """Whether the file of requests says all about them: no loop, no pools, and
        no text in which caches and routers find common beginnings."""
        return not self.loop and not self.apart and not self.untold and not self.moves and \
            "turns" not in self.workload and self.engine.get("routing", "round_robin") in WITHOUT_TEXT and \
            not self.shares_prompts()
