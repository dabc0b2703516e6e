"""Random configurations for property.py: models, GPUs, engines, workloads, cost
models, pools and speculation.  Sizes of engines and workloads are conserve.py's:
small, so that requests wait, are preempted and are rejected."""
import os
import random

import conserve

KNOBS = {
    "const_step": lambda rng: "base_us = %d\nprefill_token_us = %g\n" % (rng.randint(1, 5000), rng.choice([0, 1.5])),
    "roofline_v1": lambda rng: "t_overhead_us = %d\n" % rng.randint(0, 900),
    "roofline_v2": lambda rng: "preset = %s\n" % rng.choice(["fixed", "reviewed"]) + AUTO,
    "mfu_interp": lambda rng: AUTO,
    "mfu_per_request": lambda rng: AUTO,
    "latency_interp": lambda rng: AUTO,
    "operators": lambda rng: AUTO,
    "smooth_roofline": lambda rng: "",
}
AUTO = "tables.set = auto\n"
# Their parts sum to a step's time.
ADDITIVE = {"operators", "smooth_roofline", "latency_interp"}


def names(root, what):
    return sorted(f[:-4] for f in os.listdir(os.path.join(root, "etc", what)) if f.endswith(".ini"))


def arms(rng):
    """One to three arms: name, plugin, text."""
    chosen = [rng.choice(sorted(KNOBS)) for _ in range(rng.choice([1, 1, 2, 3]))]
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


class Configuration:
    """of a seed, in a folder.  text(arms) is the INI; n: its requests, or None."""

    def __init__(self, root, seed, folder):
        self.rng = rng = random.Random(seed)
        self.model, engine = conserve.settings(rng)
        self.gpu = "h100-sxm"
        if rng.random() < 0.7:
            self.model, self.gpu = machine(rng, root, engine)
        workload, self.n, self.loop = conserve.generated(rng, folder)
        apart = conserve.pools(rng, engine) if rng.random() < 0.25 and "scheduler" not in engine else ""
        workload["seed"] = rng.randint(0, 10 ** 6)
        self.engine, self.workload, self.arms = engine, workload, arms(rng)
        self.apart = bool(apart) or "prefill_replicas" in engine
        self.head = "[model]\nconfig = %s\n[hardware]\nconfig = %s\n[engine]\n%s%s" % (
            self.model, self.gpu, conserve.lines(engine), apart)

    def text(self, chosen=None, workload=None):
        return self.head + "[workload]\n" + conserve.lines(workload or self.workload) + "".join(
            "[cost_model:%s]\n%s" % (name, text) for name, _, text in chosen or self.arms)

    def priced_by_content(self):
        """Whether a row of a file of steps is enough for its price."""
        return not self.apart and "num_speculative_tokens" not in self.engine and \
            self.engine.get("data_parallel_size", 1) == 1

    def can_replay(self):
        """Whether the file of requests says all about them: no loop, no pools, and
        no stages, behind which the simulation ends."""
        return not self.loop and not self.apart and self.engine.get("enable_prefix_caching") != "true"
