"""Laws that hold for every configuration, for laws.py.

A law chooses for a configuration what it tries (`choose`, a JSON object, or None where
it says nothing), and checks it (`check`, sentences about what does not hold, and the
exceptions that it used: EXCEPTIONS has the reason of each).  A check depends on the
configuration and on that object alone, so a case can be shrunk and replayed."""
import law_cases
from law_cases import as_text, has_drafts, is_apart, is_fleet
from law_checks import Result, arms_of, both_refused, near, other_line, same
from law_neutral import Neutral
from law_runs import COMMANDS, is_refused, table

EXCEPTIONS = {
    "refused": "The addition is refused here, and the message says why: nothing was taken in silence.",
    "rounded": "Times are whole nanoseconds. Bytes over a bandwidth, a share of a microsecond or of a step are "
               "rounded, so twice the time may be some nanoseconds more or less.",
    "anomaly": "A faster GPU forms other batches: a step that ends earlier takes fewer prompts with it, or a request "
               "meets another neighbour. Servers have this anomaly, too (Graham 1969).",
    "other draw": "The search looks at other rates, and so at other arrivals; both intervals are compared, as far as "
                  "--precision tells them apart.",
    "constants": "Two times are constants that no key sets: a request that lost its replica is sent again after 50 ms, "
                 "1.5 times as long each further time; vLLM's coordinator tells the load of ranks every 100 ms.",
    "another link": "From 100 GB/s on a link counts as NVLink, and `operators` knows from measurements that collectives "
                    "around experts take longer there than their bytes.",
    "kept": "recommend chooses keys of [engine]; one that an arm sets itself is kept.",
    "calls without a step": "A row has the preemptions of its own call, as vLLM's scheduler tells them; a call that "
                            "forms no step has no row.",
    "lost steps": "A replica died: preemptions of calls that no step followed are counted, and no row has them.",
}


# ---- the same question twice ------------------------------------------------------------------

class Determinism:
    """The same bytes at every call, and for every number of workers."""
    commands = tuple(COMMANDS)

    def choose(self, rng, c, tables, command, ask):
        return {"jobs": rng.choice((0, 2, 3))}

    def check(self, c, how, command, ask):
        result = Result()
        base = ask(command, c)
        jobs = () if command == "eval" else ("--jobs", str(how["jobs"]))
        same(result, "%s %s" % (command, " ".join(jobs)), base, ask(command, c, jobs, again=True))
        return result


# ---- sums -------------------------------------------------------------------------------------

class Conservation:
    """Requests, tokens, blocks, GPU time and money are neither lost nor made."""
    commands = ("run", "compare")

    def choose(self, rng, c, tables, command, ask):
        return {}

    def check(self, c, how, command, ask):
        result = Result()
        base = ask(command, c, ("--write-replicas", "v.csv"))
        if is_refused(base):
            return result.silent()
        requests, steps = table(base.files["r.csv"]), table(base.files["s.csv"])
        replicas = table(base.files.get("v.csv"))
        for name, arm in arms_of(base).items():
            mine = [[r for r in rows if r["arm"] == name] for rows in (requests, steps, replicas)]
            self.requests(result, c, name, arm, mine[0])
            self.steps(result, c, name, arm, mine[1], mine[0])
            self.money(result, c, name, arm, mine[2])
        return result

    @staticmethod
    def requests(result, c, name, arm, rows):
        count = {s: sum(r["status"] == s for r in rows) for s in ("completed", "rejected", "unfinished", "failed")}
        for status, n in count.items():
            result.expect(arm.get(status, 0) == n, "%s: %s requests" % (name, status), arm.get(status), n)
        result.expect(sorted(int(r["request"]) for r in rows) == list(range(len(rows))), name + ": requests twice")
        done = [r for r in rows if r["status"] == "completed"]
        for key, column in ("total_input_tokens", "input_tokens"), ("total_output_tokens", "generated_tokens"):
            total = sum(int(r[column]) for r in done)
            result.expect(arm[key] == total, "%s: %s" % (name, key), arm[key], total)
        asked = c.get("workload", "num_requests")
        if asked and not c.get("workload", "stages") and c.get("workload", "turns", "1") == "1":
            result.expect(len(rows) == int(asked), name + ": requests were lost", len(rows), asked)
        for r in done:
            stays = [[int(x) for x in s.partition(":")[2].split("-")] for s in r["stays"].split(";")]
            times = [int(r["arrival_ns"]), *(t for s in stays for t in s)]
            result.expect(times == sorted(times), "%s: stays of request %s" % (name, r["request"]), r["stays"])
            result.expect(int(r["cached_tokens"]) <= int(r["input_tokens"]), name + ": cached tokens")

    @staticmethod
    def steps(result, c, name, arm, rows, requests):
        ranks = len({r["rank"] for r in rows}) > 1
        result.expect(arm["num_steps"] == len(rows), name + ": steps", arm["num_steps"], len(rows))
        told = sum(int(r["preempted"]) for r in rows)
        of_requests = sum(int(r["preemptions"]) for r in requests)
        result.expect(of_requests == arm["preemptions"], name + ": preemptions of its requests", of_requests, arm["preemptions"])
        if is_fleet(c) and told < arm["preemptions"]:
            result.exceptions.append("lost steps")
        elif told < arm["preemptions"]:
            result.exceptions.append("calls without a step")
        else:
            result.expect(told == arm["preemptions"], name + ": preempted of its steps", told, arm["preemptions"])
        scheduled = sum(len(r["scheduled"].split(";")) for r in rows if r["scheduled"])
        result.expect(arm["scheduled_sequences"] == scheduled, name + ": scheduled_sequences",
                      arm["scheduled_sequences"], scheduled)
        if rows:
            mean = sum(float(r["total_us"]) for r in rows) / len(rows)
            result.expect(near(arm["mean_step_us"], mean, 1e-6) or ranks or has_drafts(c),
                          name + ": mean_step_us", arm["mean_step_us"], mean)
            if isinstance(arm.get("kv_blocks_peak"), int) and not ranks:
                most = max(int(r["kv_blocks"]) for r in rows)
                result.expect(most <= arm["kv_blocks_peak"], name + ": blocks", most, arm["kv_blocks_peak"])
        if isinstance(arm.get("num_gpu_blocks"), int) and isinstance(arm.get("kv_blocks_peak"), int):
            result.expect(arm["kv_blocks_peak"] <= arm["num_gpu_blocks"], name + ": more blocks than there are")
        for key, value in arm.items():
            if key.endswith(("_share", "_rate", "_utilization", "_peak")) and isinstance(value, float) and \
                    key.startswith(("gpu_", "pipeline_", "eager", "prefix_", "kv_cache")):
                result.expect(-1e-9 <= value <= 1 + 1e-9, "%s: %s is no share" % (name, key), value)

    @staticmethod
    def money(result, c, name, arm, replicas):
        parts = [arm.get(k) for k in ("gpu_usd_per_million_output_tokens", "energy_usd_per_million_output_tokens",
                                      "usd_per_million_output_tokens")]
        if parts[2] is not None and parts[0] is not None:
            result.expect(near(parts[2], parts[0] + (parts[1] or 0)), name + ": USD", *parts)
        token, request = arm.get("energy_per_token_j"), arm.get("energy_per_request_j")
        if token is not None and request is not None:
            result.expect(near(token * arm["total_output_tokens"], request * arm["completed"]), name + ": energy")
        hours = arm.get("gpu_hours")
        if hours is None or not replicas:
            return
        gpus = 1
        for key in ("tensor_parallel_size", "pipeline_parallel_size"):
            gpus *= int(c.get("cost_model:" + name, "engine." + key) or c.get("engine", key, "1"))
        seconds = sum(float(r["gone_s"]) - float(r["requested_s"]) for r in replicas if r["gone_s"])
        if all(r["gone_s"] for r in replicas):
            result.expect(near(hours * 3600, seconds * gpus, 1e-5, 1e-6), name + ": gpu_hours of its replicas", hours * 3600,
                          seconds * gpus)
        price = float(c.get("autoscaler", "gpu_hour_price", 0))
        if price and arm.get("cost") is not None:
            result.expect(near(arm["cost"], hours * price), name + ": cost", arm["cost"], hours * price)


# ---- scale ------------------------------------------------------------------------------------

def times(value, by):
    """A number, or the numbers of a list REPLICA:SECONDS, times that factor."""
    if ":" in value and not value[0].isalpha():
        return ",".join("%s:%r" % (a, float(b) * by) for a, _, b in (x.partition(":") for x in value.split(",")))
    return repr(float(value) * by)


class Clock:
    """If all times are twice as long, all times of the answer are."""
    commands = ("run",)

    def choose(self, rng, c, tables, command, ask):
        if any(c.get(s, "plugin") != "const_step" for s in c.arms()):
            c = c.copy()
        if is_apart(c) or c.get("workload", "turns", "1") != "1" and c.get("workload", "stages"):
            return None
        return {"base_us": rng.choice((50, 300, 2000)), "per_token_us": rng.choice((0, 1, 7)),
                "interarrival_us": rng.choice((100, 1000, 20000))}

    @staticmethod
    def slow(c, how, tables, told):
        """The configuration on a whole clock, and the same with all times twice as long."""
        one = c.copy()
        for section in one.arms():
            one.sections[section] = {k: v for k, v in one.sections[section].items() if k.startswith("engine.")}
            one.set(section, "plugin", "const_step")
            one.set(section, "base_us", how["base_us"])
            one.set(section, "per_token_us", how["per_token_us"])
        if not one.get("workload", "concurrency"):
            for key in ("request_rate", "stages", "arrival", "cv", "on_s", "off_s", "rate_scale", "peak_to_trough",
                        "period_s", "burst_size"):
                one.drop("workload", key)
            one.set("workload", "interarrival_us", how["interarrival_us"])
            one.set("workload", "num_requests", one.get("workload", "num_requests", "20"))
        if one.get("workload", "think_time_s", "0")[0].isalpha():
            one.set("workload", "think_time_s", "0.02")
        two = one.copy()
        rows = tables.of("router")
        for key, row in rows.items():
            if row["unit"] in ("ms", "s", "us") and row["default"] != "0" and law_cases.is_obeyed(row, one) and \
                    law_cases.holds(row["when"], one.sections.get("router", {}), rows) and one.get("router", key) is None:
                one.set("router", key, row["default"])
        for section in list(one.sections):
            rows = tables.of(section)
            for key, value in told.get(section, {}).items():
                row = rows.get(key)
                if row and row["unit"] in ("us", "ms", "s", "h") and one.get(section, key) is None and \
                        isinstance(value, (int, float)) and value and law_cases.is_obeyed(row, c) and \
                        law_cases.holds(row["when"], one.sections[section], rows):
                    one.set(section, key, as_text(value))
        for section in list(one.sections):
            rows = {**tables.of(section), **tables.knobs["const_step"]} if section in one.arms() else tables.of(section)
            for key, value in one.sections[section].items():
                row = rows.get(key) or tables.of("engine").get(key.partition("engine.")[2])
                if not row:
                    continue
                if row["unit"] in ("us", "ms", "s", "h") or key in ("at", "weights_load_s", "think_time_s"):
                    if value not in ("auto", ""):
                        two.set(section, key, times(value, 2))
                elif row["unit"] == "GB/s":
                    two.set(section, key, times(value, 0.5))
        return one, two

    def check(self, c, how, command, ask):
        result = Result()
        base = ask("run", c)
        if is_refused(base):
            return result.silent()
        told = (base.document or {}).get("configuration", {})
        one, two = self.slow(c, how, ask.tables, told)
        a, b = ask("run", one), ask("run", two)
        if both_refused(result, a, b):
            return result
        x, y = (table(z.files["r.csv"]) for z in (a, b))
        if any(r["retries"] not in ("", "0") for r in x + y):
            result.exceptions.append("constants")
            return result
        if not result.expect(len(x) == len(y), "other requests", len(x), len(y)):
            return result
        late = 0
        for p, q in zip(x, y):
            for key in ("arrival_ns", "scheduled_ns", "first_token_ns", "last_token_ns"):
                if not p[key] or not q[key] or int(p[key]) < 0 or int(q[key]) < 0:
                    result.expect(p[key] == q[key], "request %s: %s" % (p["request"], key), p[key], q[key])
                    continue
                late = max(late, abs(2 * int(p[key]) - int(q[key])))
        if late > 1000 and c.get("engine", "data_parallel_size", "1") != "1" and c.get("engine", "preset", "").startswith("vllm"):
            result.exceptions.append("constants")
        elif late and late <= 4 * (1 + sum(int(r["generated_tokens"]) for r in x)):
            result.exceptions.append("rounded")
        else:
            result.expect(late == 0, "twice as slow: a time is %d ns off" % late)
        return result


class Split:
    """The KV of a request is as large on two GPUs as on one: with half the bandwidth of
    each, copies take as long, and move as many bytes in all."""
    commands = ("run",)

    def choose(self, rng, c, tables, command, ask):
        return {"bandwidth": rng.choice((0.5, 4, 50)), "bytes": rng.choice((1000000, 4000000)), "blocks": rng.choice((30, 80))}

    def check(self, c, how, command, ask):
        result, one = Result(), c.copy()
        for section in one.arms():
            one.sections[section] = {"plugin": "const_step"}
        one.sections["model"] = {"config": "small"}
        for key in ("decode_cost_model", "draft_cost_model", "draft_model_config", "decode_context_parallel_size"):
            one.drop("engine", key)
        for key, value in (("preset", "vllm-2026-07"), ("cpu_bytes_to_use", how["bytes"]), ("num_gpu_blocks", how["blocks"]),
                           ("enable_prefix_caching", "true"), ("tensor_parallel_size", 1)):
            one.set("engine", key, value)
        two = one.copy()
        two.set("engine", "tensor_parallel_size", 2)
        one.set("engine", "kv_offload_bandwidth_gbs", how["bandwidth"])
        two.set("engine", "kv_offload_bandwidth_gbs", how["bandwidth"] / 2)
        a, b = ask("run", one), ask("run", two)
        if is_refused(a) or is_refused(b):
            return result.silent()
        result.expect(a.files["r.csv"] == b.files["r.csv"], "requests: " + other_line(a.files["r.csv"], b.files["r.csv"]))
        for (name, x), y in zip(arms_of(a).items(), arms_of(b).values()):
            for key in x:
                if key.startswith("kv_offload_") and isinstance(x[key], (int, float)):
                    result.expect(near(x[key], y[key], 1e-6), "%s: %s" % (name, key), x[key], y[key])
        return result


class Prices:
    """Twice the prices: twice the cost, and nothing else."""
    commands = ("run", "compare", "recommend")
    KEYS = ("usd_per_hour", "usd_per_kwh", "gpu_hour_price")

    def choose(self, rng, c, tables, command, ask):
        return {} if any(k.rpartition(".")[2] in self.KEYS and float(c.get(s, k)) for s, k in c.items()) else None

    def check(self, c, how, command, ask):
        result, more = Result(), c.copy()
        for section, key in c.items():
            if key.rpartition(".")[2] in self.KEYS:
                more.set(section, key, times(c.get(section, key), 2))
        a, b = ask(command, c), ask(command, more)
        if both_refused(result, a, b):
            return result
        for file in a.files:
            result.expect(a.files[file] == b.files[file], "prices change " + file)
        self.compare(result, a.document.get("arms"), b.document.get("arms"), "arms")
        return result

    def compare(self, result, a, b, path):
        if isinstance(a, dict) and isinstance(b, dict):
            for key in a:
                if key not in ("cost_model", "configuration"):
                    self.compare(result, a[key], b.get(key), path + "." + key)
        elif isinstance(a, list) and isinstance(b, list):
            for i, (x, y) in enumerate(zip(a, b)):
                self.compare(result, x, y, "%s[%d]" % (path, i))
        elif isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
            by = 2 if "usd" in path or path.endswith(".cost") else 1
            result.expect(near(b, by * a), "twice the prices: " + path, a, b)


ROOFLINES = {"roofline_v1": {"t_overhead_us": "0", "allreduce_latency_us": "0", "prefill_overhead_us": "0",
                             "mixed_prefill_overhead_us": "0"}}
RATES = ("bf16_tflops", "fp32_tflops", "fp8_tflops", "fp4_tflops", "int8_tops", "int4_tops", "peak_tflops",
         "memory_bandwidth_tbs", "link_bandwidth_gbs", "net_bandwidth_gbs")


def of_roofline(c, plugin):
    one = c.copy()
    for section in one.arms()[1:]:
        del one.sections[section]
    one.sections[one.arms()[0]] = {"plugin": plugin, **ROOFLINES.get(plugin, {})}
    for key in ("decode_cost_model", "draft_cost_model"):
        for section in one.sections:
            one.drop(section, key)
    for key in ("link_latency_us", "net_latency_us"):
        one.drop("hardware", key)
    if one.get("hardware", "config"):
        one.drop("hardware", "config")
        for key, value in ("bf16_tflops", 100), ("memory_bandwidth_tbs", 1), ("memory_gib", 80), ("link_bandwidth_gbs", 50):
            one.sections["hardware"].setdefault(key, str(value))
    return one


def faster(c, keys, by):
    two = c.copy()
    for key in keys:
        if c.get("hardware", key) is not None:
            two.set("hardware", key, times(c.get("hardware", key), by))
    return two


class Roofline:
    """Twice the peaks and bandwidths: half of a roofline's times."""
    commands = ("eval",)

    def choose(self, rng, c, tables, command, ask):
        return {"plugin": rng.choice(sorted(ROOFLINES)), "by": rng.choice((2, 4))}

    def check(self, c, how, command, ask):
        result = Result()
        # A slow GPU, so that no step is rounded to no time at all.
        one = faster(of_roofline(c, how["plugin"]), RATES, 1e-3)
        a, b = ask("eval", one), ask("eval", faster(one, RATES, how["by"]))
        if both_refused(result, a, b):
            return result
        for x, y in zip(a.document["steps"], b.document["steps"]):
            result.expect(near(x["exact_us"], how["by"] * y["exact_us"]), "step %s of a GPU %d times as fast" % (
                x["step"], how["by"]), x["exact_us"], y["exact_us"])
        return result


# ---- monotony ---------------------------------------------------------------------------------

class Faster:
    """More bandwidth or a higher peak is never slower."""
    commands = ("eval", "run")

    @staticmethod
    def is_another_link(c, how):
        now = float(c.get("hardware", "link_bandwidth_gbs", 0))
        return how["plugin"] == "operators" and how["key"] == "link_bandwidth_gbs" and now < 100 <= now * how["by"]

    def choose(self, rng, c, tables, command, ask):
        return {"plugin": rng.choice(("roofline_v1", "operators")), "key": rng.choice(RATES[:1] + RATES[6:]),
                "by": rng.choice((1.01, 1.5, 2, 10))}

    def check(self, c, how, command, ask):
        result = Result()
        one = of_roofline(c, how["plugin"])
        if how["key"] == "peak_tflops" and one.get("hardware", "peak_tflops") is None:
            one.set("hardware", "peak_tflops", "100")
        a, b = ask(command, one), ask(command, faster(one, (how["key"],), how["by"]))
        if both_refused(result, a, b):
            return result
        if command == "eval":
            if self.is_another_link(one, how):
                result.exceptions.append("another link")
                return result
            for x, y in zip(a.document["steps"], b.document["steps"]):
                result.expect(y["exact_us"] <= x["exact_us"] * (1 + 1e-12), "step %s is slower with %g times %s" % (
                    x["step"], how["by"], how["key"]), x["exact_us"], y["exact_us"])
            return result
        for (name, x), y in zip(arms_of(a).items(), arms_of(b).values()):
            if x["mean_e2el_ms"] is None or y["mean_e2el_ms"] is None or y["mean_e2el_ms"] <= x["mean_e2el_ms"] * (1 + 1e-9):
                continue
            if self.is_another_link(one, how):
                result.exceptions.append("another link")
                continue
            steps = [[(r["decode"], r["prefill"]) for r in table(z.files["s.csv"])] for z in (a, b)]
            if steps[0] != steps[1]:
                result.exceptions.append("anomaly")
            else:
                result.expect(False, "%s: the same steps take longer with %g times %s" % (name, how["by"], how["key"]),
                              x["mean_e2el_ms"], y["mean_e2el_ms"])
        return result


def rates(answer):
    """Of each arm of capacity: the lower and the upper end of its rate."""
    return {s["arm"]: (s["request_rate_low"], s["request_rate_high"], s["request_rate"])
            for s in (answer.document or {}).get("searches", []) if s.get("request_rate") is not None}


class Looser:
    """A looser bound, or one more replica, never carries less."""
    commands = ("capacity", "intervals")

    def choose(self, rng, c, tables, command, ask):
        return {"by": rng.choice((1.2, 2, 5)), "more": rng.choice(("bound", "replica")),
                "bound": rng.choice((10, 50, 300)), "metric": rng.choice(("ttft_mean_ms", "e2el_p50_ms", "e2el_mean_ms"))}

    def check(self, c, how, command, ask):
        result, more, by = Result(), c.copy(), 1
        if how["more"] == "bound":
            by = how["by"]
        elif is_apart(c) or is_fleet(c) or c.has("autoscaler"):
            return result.silent()
        else:
            more.set("engine", "replicas", int(c.get("engine", "replicas", "1")) + 1)
        slo = ["--slo", "%s=%g" % (how["metric"], how["bound"])]
        a = ask(command, c, slo)
        b = ask(command, more, ["--slo", "%s=%g" % (how["metric"], how["bound"] * by)])
        if is_refused(a) or is_refused(b):
            return result.silent()
        x, y = rates(a), rates(b)
        for arm in x:
            if arm not in y:
                result.expect(False, "%s: a rate of %g, and none with more" % (arm, x[arm][2]))
            elif y[arm][2] < x[arm][2] * (1 - 1e-9):
                if result.expect((y[arm][1] or y[arm][2]) >= (x[arm][0] or x[arm][2]) / 1.3, arm + ": a lower rate with more",
                                 x[arm], y[arm]):
                    result.exceptions.append("other draw")
        return result


class MoreGpus:
    """More GPUs never serve less."""
    commands = ("recommend",)

    def choose(self, rng, c, tables, command, ask):
        return {"gpus": rng.choice((1, 2))}

    def check(self, c, how, command, ask):
        result = Result()
        a, b = (ask("recommend", c, ["--gpus", str(n)]) for n in (how["gpus"], 2 * how["gpus"]))
        if is_refused(a) or is_refused(b):
            return result.silent()
        best = arms_of(b)
        for name, arm in arms_of(a).items():
            x, y = arm.get("request_rate"), best.get(name, {}).get("request_rate")
            if x is None or arm.get("winner") is None:
                continue
            if y is None or y < x * (1 - 1e-9):
                if result.expect(y is not None and y >= x / 1.3, "%s: less on more GPUs" % name, x, y):
                    result.exceptions.append("other draw")
        return result


LAWS = {"neutral": Neutral(), "determinism": Determinism(), "conservation": Conservation(), "clock": Clock(),
        "split": Split(), "prices": Prices(), "roofline": Roofline(), "faster": Faster(), "looser": Looser(), "gpus": MoreGpus()}
# How often each is drawn.
SHARES = {"neutral": 40, "determinism": 8, "conservation": 20, "clock": 12, "split": 2, "prices": 6, "roofline": 4, "faster": 6,
          "looser": 3, "gpus": 0.7}
