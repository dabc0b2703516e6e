"""The law of additions that do nothing, for law_rules.py: keys that are set to the value
that they have anyway, parts that are idle, options that only look."""
import json
import os
import random

import law_cases
from law_cases import as_text, is_apart, is_fleet
from law_checks import Result, arms_of, near, same
from law_runs import COMMANDS, first_difference, is_refused, message_of, table


def resolved(ask, c, section, row):
    """The value that a key has without being set; None: it is not told."""
    base = ask("run", c).document or {}
    told = base.get("configuration", {}).get(section, {})
    if section == "hardware":
        told = (base.get("arms") or [{}])[0].get("cost_model", {}).get("hardware", {})
    value = told.get(row["name"])
    if value is None and (c.get(section, "config") or section == "engine" and c.get("engine", "preset")):
        return None
    return row["default"] if value is None or row["name"] == "num_gpu_blocks" else as_text(value)


def default_of_key(rng, c, tables, ask, section, prefix=""):
    """Sets a key of the section to the value that it has anyway; with a prefix: in an arm."""
    rows = tables.of(section)
    free = [k for k in sorted(rows) if c.get(section, k) is None and rows[k]["default"] is not None and
            law_cases.is_obeyed(rows[k], c)]
    if not free:
        return None
    key = rng.choice(free)
    value = resolved(ask, c, section, rows[key])
    if value is None:
        return None
    to, name = (rng.choice(c.arms()), prefix + key) if prefix else (section, key)
    # The preset gives the engine its defaults; the other keys of a trace or a model may, too.
    needs = [[section, k, v] for k, v in c.sections.get(section, {}).items()]
    return None if c.get(to, name) is not None else {"set": [[to, name, value]], "needs": needs}


def given_again(rng, c, section, prefix):
    """An arm's own value, the same as the common one."""
    keys = sorted(c.sections.get(section, {}))
    to = rng.choice(c.arms())
    keys = [k for k in keys if k != "pools" and k != "config" and c.get(to, prefix + k) is None]
    if not keys or (section == "engine" and (c.has("engine:prefill") or c.has("engine:decode"))):
        return None
    key = rng.choice(keys)
    return {"set": [[to, prefix + key, c.get(section, key)]], "needs": [[section, key, c.get(section, key)]]}


def knob_default(rng, c, tables):
    section = rng.choice(c.arms())
    knobs = tables.knobs[c.get(section, "plugin")]
    free = [k for k in sorted(knobs) if c.get(section, k) is None and not knobs[k]["when"] and
            knobs[k]["default"] is not None]
    return {"set": [[section, (key := rng.choice(free)), knobs[key]["default"]]]} if free else None


def unused_section(rng, c, tables, name):
    """Keys of a section that only another command reads."""
    rows = tables.of(name)
    texts = [k for k in sorted(rows) if rows[k]["type"] in ("int", "double", "bool", "choice")]
    key = rng.choice(texts)
    return {"set": [[name, key, law_cases.random_value(rng, name, rows[key])]]}


def own_option(rng, c):
    section, key = rng.choice(c.items())
    value = c.get(section, key)
    return {"options": ["--set", "%s.%s=%s" % (section, key, value)]} if value and "," not in value else None


def idle_pools(rng, c):
    if c.has("engine:prefill") or c.has("engine:decode") or c.get("engine", "pools"):
        return None
    return {"set": [["engine", "pools", "together"], ["engine:prefill", "replicas", "1"],
                    ["engine:decode", "replicas", "2"]]}


def orders(rng, c):
    return {"order": rng.randrange(10 ** 6)}


def comments(rng, c):
    return {"comments": rng.randrange(10 ** 6)}


def all_arms(rng, c):
    return {"options": ["--arms", ",".join(s.partition(":")[2] for s in c.arms())]}


def option(*words):
    return lambda rng, c, tables, ask: {"options": list(words)}


def of_table(section, prefix=""):
    return lambda rng, c, tables, ask: default_of_key(rng, c, tables, ask, section, prefix)


def again(section, prefix):
    return lambda rng, c, tables, ask: given_again(rng, c, section, prefix)


def simple(choose):
    return lambda rng, c, tables, ask: choose(rng, c)


def idle_autoscaler(rng, c):
    if c.has("autoscaler") or is_apart(c) or is_fleet(c) or any(k.startswith("engine.") for s in c.arms()
                                                               for k in c.sections[s]):
        return None
    n = int(c.get("engine", "replicas", "1"))
    return {"needs": [["engine", "replicas", c.get("engine", "replicas")]], "set": [["autoscaler", "metric", "num_requests_waiting"], ["autoscaler", "target", "1e12"],
                    ["autoscaler", "min_replicas", str(n)],
                    ["autoscaler", "max_replicas", str(n + rng.choice((0, 0, 3)))]]}


def no_deaths(rng, c):
    return None if is_apart(c) or c.has("failures") else {"set": [["failures", "mtbf_hours", "1e9"]]}


def one_replica(rng, c, tables):
    if c.get("engine", "replicas", "1") != "1" or c.get("engine", "routing") or is_apart(c) or c.has("autoscaler") or \
            c.has("router") or c.get("engine", "data_parallel_size", "1") != "1":
        return None
    return {"set": [["engine", "routing", rng.choice(tables.keys["engine"]["routing"]["choices"])]]}


def unless(section, key, value, *needs):
    """Sets a key that has no effect without something that the configuration lacks."""
    def choose(rng, c, tables, ask):
        if c.get(section, key) is not None or not law_cases.is_obeyed(tables.of(section)[key], c) or \
                any(c.get(*name.split(".")) not in (None, "0", "", "false", "1") for name in needs):
            return None
        return {"set": [[section, key, value]]}
    return choose


def another_arm(rng, c):
    if any(k.endswith("cost_model") for _, k in c.items()):
        return None
    return {"set": [["cost_model:last", "plugin", "const_step"], ["cost_model:last", "base_us", "77"]]}


# What the rows of law_runs.MEASURED get from their protocol: for `validate` these are
# the values that the keys have anyway, and an arm's own key comes before them.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../etc/measured.ini")) as f:
    PROTOCOL = {"engine." + key: value for key, value in law_cases.read(f.read()).sections["protocol:closed"].items()}

# Additions that leave every byte, by name.
BYTES = {
    **{"[%s] at its default" % s: of_table(s) for s in (
        "model", "hardware", "engine", "workload", "slo", "tables", "router", "autoscaler", "failures", "stepcost")},
    **{"an arm's %s at its default" % s: of_table(s, s + ".") for s in ("engine", "hardware", "tables", "router")},
    **{"an arm's %s as given" % s: again(s, s + ".") for s in ("engine", "hardware", "router")},
    "a knob at its default": lambda rng, c, tables, ask: knob_default(rng, c, tables),
    "[serve]": lambda rng, c, tables, ask: unused_section(rng, c, tables, "serve"),
    "[arena]": lambda rng, c, tables, ask: unused_section(rng, c, tables, "arena"),
    "another order": simple(orders),
    "comments": simple(comments),
    "--set as given": simple(own_option),
    "--arms of all": simple(all_arms),
    "--in-process": option("--in-process"),
    "--answer-limit": option("--answer-limit", "1000"),
    "--memory-limit": option("--memory-limit", "500"),
    "--jobs": option("--jobs", "2"),
}
# The same for commands that run: who watches changes nothing.
WATCHED = {name: option("--" + name, file) for name, file in (
    ("write-transfers", "t.csv"), ("write-scaling", "u.csv"), ("write-replicas", "v.csv"),
    ("write-sessions", "w.csv"), ("perfetto", "p.json"))}
IDLE_POOLS = "sections of pools that an arm ignores"
# Additions that add figures: those that were there stay, and so does every request.
FIGURES = {
    IDLE_POOLS: simple(idle_pools),
    "an autoscaler that never acts": simple(idle_autoscaler),
    "deaths long after the end": simple(no_deaths),
    "a router of one replica": lambda rng, c, tables, ask: one_replica(rng, c, tables),
    "adapters that nobody asks for": unless("engine", "enable_lora", "true", "workload.adapters"),
    "encoders without items": unless("engine", "encoder_us", "500", "workload.mm_item_tokens"),
    "encoders of tokens without items": unless("engine", "encoder_us_per_token", "9", "workload.mm_item_tokens"),
    "a bound of TTFT": unless("slo", "ttft_ms", "30"),
    "a bound of TPOT": unless("slo", "tpot_ms", "3"),
    "a bound of E2E latency": unless("slo", "e2el_ms", "300"),
    "a price of hours": unless("hardware", "usd_per_hour", "3", "hardware.usd_per_hour"),
    "a price of energy": unless("hardware", "usd_per_kwh", "0.1", "hardware.power_limit_w"),
    "chunks of any length": unless("engine", "long_prefill_token_threshold", "1000000000"),
    "a transfer that nobody makes": lambda rng, c, *more: None if is_apart(c) else unless(
        "engine", "kv_connector", "push")(rng, c, *more),
    "another arm": simple(another_arm),
    "a page, which asks why arms differ": option("--html", "h.html"),
    "a warm-up of no request": option("--warm-up", "0"),
}


class Neutral:
    """An addition that does nothing changes nothing."""
    commands = tuple(COMMANDS)

    def choose(self, rng, c, tables, command, ask):
        runs = command in ("run", "compare")
        kinds = {**BYTES, **({**WATCHED, **FIGURES} if runs else {IDLE_POOLS: FIGURES[IDLE_POOLS]})}
        if command == "recommend":  # with pools = together it tries none apart
            del kinds[IDLE_POOLS]
        for _ in range(6):
            kind = rng.choice(sorted(kinds))
            if command == "run" and kind == "another arm":
                continue
            how = kinds[kind](rng, c, tables, ask)
            if how:
                return {"kind": kind, **how}
        return None

    def check(self, c, how, command, ask):
        result, more = Result(), c.copy()
        if any(c.get(section, key) != value for section, key, value in how.get("needs", [])):
            return result
        for section, key, value in how.get("set", []):
            by_protocol = command == "validate" and section in c.arms()
            more.set(section, key, PROTOCOL.get(key, value) if by_protocol else value)
        base, other = ask(command, c), ask(command, more, how.get("options", ()), written(more, how))
        what = "%s: %s %s" % (command, how["kind"], json.dumps(how.get("set", how.get("options", ""))))
        if is_refused(base):
            return result.silent()
        if is_refused(other):
            return self.refused(result, what, other)
        exception = self.exception(c, how, command)
        if exception and (base.document != other.document or base.code != other.code):
            result.exceptions.append(exception)
        elif how["kind"] in FIGURES and command in ("run", "compare"):
            self.figures(result, what, base, other)
        else:
            if how["kind"] == IDLE_POOLS and isinstance(base.document, dict):
                for answer in (base, other):  # the key that ignores the sections is told
                    answer.document.pop("configuration", None)
                    answer.document.get("simulated", {}).get("engine", {}).pop("pools", None)
            same(result, what, base, other)
        return result

    @staticmethod
    def exception(c, how, command):
        own = [key for section, key, _ in how.get("set", []) if section in c.arms()]
        return "kept" if command == "recommend" and any(key.startswith("engine.") for key in own) else None

    @staticmethod
    def refused(result, what, other):
        text = message_of(other)
        ok = other.code in (2, 3, 4) and text.startswith("stepcost: ")
        if result.expect(ok, what + ": refused with exit code %d: %s" % (other.code, text)):
            result.exceptions.append("refused")
        return result

    @staticmethod
    def figures(result, what, base, other):
        new = arms_of(other)
        for name, arm in arms_of(base).items():
            for key, value in arm.items():
                if isinstance(value, (int, float)) and not ("price" in what and "usd" in key) and \
                        not ("bound" in what and key == "request_goodput"):
                    now = new.get(name, {}).get(key)
                    result.expect(now is not None and near(now, value, 1e-12), "%s: %s of %s" % (what, key, name), value, now)
        for file in ("r.csv", "s.csv"):
            names = set(arms_of(base))
            a, b = ([row for row in table(x.files[file]) if row["arm"] in names] for x in (base, other))
            result.expect(a == b, "%s: another %s" % (what, file), first_difference(a, b))


def written(c, how):
    """The text of a configuration in another order, or with comments."""
    if "order" in how:
        rng = random.Random(how["order"])
        # The first arm is the one that others are compared with, and that run takes.
        mixed = sorted(s for s in c.sections if not s.startswith("cost_model"))
        rng.shuffle(mixed)
        sections = {}
        for s in mixed + c.arms():
            keys = sorted(c.sections[s])
            rng.shuffle(keys)
            sections[s] = {k: c.sections[s][k] for k in keys}
        return law_cases.Configuration(sections).text()
    if "comments" in how:
        rng = random.Random(how["comments"])
        return "".join(rng.choice(("", "; [engine]\n", "\n", "# replicas = 9\n")) + line + "\n"
                       for line in c.text().splitlines())
    return c.text()
