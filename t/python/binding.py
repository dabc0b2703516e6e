#!/usr/bin/env python3
"""TAP: the Python package against the program that it runs: the program's plain
output is the reference.  binding.py STEPCOST WORK"""
import json
import os
import subprocess
import sys
import tempfile
import unicodedata

import stepcost
from stepcost import program

STEPCOST, WORK = sys.argv[1:3]
PLAN = {"workload__num_requests": 40}
tests = 0


def ok(passed, name):
    global tests
    tests += 1
    print("%s %d - %s" % ("ok" if passed else "not ok", tests, name))


def refused(function, word):
    try:
        function()
    except TypeError as error:
        return word in str(error)
    return False


def raises(function, exit_code, word):
    try:
        function()
    except stepcost.Error as error:
        return error.exit_code == exit_code and word in str(error)
    return False


def plain(*words):
    return subprocess.run([STEPCOST, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


class FlatStep(stepcost.CostModel):
    """The formula of const_step, the plugin that is its reference."""

    def eval(self, step):
        return 1000 + 20 * step.tokens


class Setups(stepcost.CostModel):
    seen = []

    def __init__(self, setup):
        super().__init__(setup)
        Setups.seen.append(setup)

    def eval(self, step):
        return {"total_us": 500.0, "host_us": 100.0}


class Broken(stepcost.CostModel):
    def eval(self, step):
        return [][step.sampled]


class Leaves(stepcost.CostModel):
    def eval(self, step):
        sys.exit(3)


class Truth(stepcost.CostModel):
    def eval(self, step):
        return True


class Words(stepcost.CostModel):
    def eval(self, step):
        return {"total_us": "12"}


class Unready(stepcost.CostModel):
    def __init__(self, setup):
        raise RuntimeError("no such table")


class NotFinite(stepcost.CostModel):
    def eval(self, step):
        return float("nan")


def alike(a, b):  # documents without the names of the files that each call wrote
    cut = [dict(x, identity={k: v for k, v in x["identity"].items() if k != "outputs"}) for x in (a, b)]
    return cut[0] == cut[1]


reference = json.loads(plain("compare", "five-arms", "--quiet", "--format", "json", "--arms", "operators,roofline_v1",
                             "--set", "workload.num_requests=40", "--html", os.path.join(WORK, "page.html")))
result = stepcost.compare("five-arms", arms=["operators", "roofline_v1"], **PLAN)
ok(alike(result.json, reference), "compare returns the program's JSON")
with open(os.path.join(WORK, "page.html"), encoding="utf-8") as file:
    ok(result.html == file.read(), "and its page")
ok(result["requests_hash"] == reference["requests_hash"], "its members can be asked for")
ok([row["name"] for row in result.rows()] == ["operators", "roofline_v1"], "rows are arms, in order")
ok(result.rows()[1]["mean_ttft_ms"] == reference["arms"][1]["mean_ttft_ms"], "with their figures")
ok(result.rows()[0]["support.verdict"] == reference["arms"][0]["support"]["verdict"], "and those of objects in them")
ok("</html>" in result.html and "iframe" in result._repr_html_(), "the page of a comparison is shown")
by_key = stepcost.compare("five-arms", arms=["operators", "roofline_v1"], keys={"workload.num_requests": 40})
ok(alike(by_key.json, reference), "keys are given as a mapping, too")
frame = stepcost.result.Frame({name: row[name] for name in ("name", "mean_ttft_ms")} for row in result.rows())
ok(str(frame).splitlines()[0].split()[0] == "name" and len(str(frame).splitlines()) == 3, "a frame without pandas is a table")
wide = str(stepcost.result.Frame(result.rows())).splitlines()
ok(wide[0].split() == ["name", "operators", "roofline_v1"] and max(map(len, wide)) <= 150, "a wide one has a line for each column")
def names_of(table):
    return table.columns() if isinstance(table, stepcost.Frame) else list(table)
ok("mean_ttft_ms" in names_of(result.frame()) and not [name for name in names_of(result.frame()) if "." in name], "a frame has names and metrics")
ok("support.verdict" in names_of(result.frame(nested=True)), "and what they consist of, if asked")
try:
    import pandas
    ok(isinstance(result.frame(), pandas.DataFrame) and list(result.frame()["name"]) == ["operators", "roofline_v1"], "with pandas a DataFrame")
except ImportError:
    ok(isinstance(result.frame(), stepcost.Frame), "without pandas a Frame")

config = {"model": {"config": "llama-3.1-8b"}, "hardware": {"config": "h100-sxm"},
          "engine": {"async_scheduling": True},
          "cost_model:const": {"plugin": "const_step", "base_us": 1000, "per_token_us": 20},
          "workload": {"num_requests": 50, "request_rate": 20, "input_tokens": "uniform:20,900", "output_tokens": 30}}
both = stepcost.compare(config, arms=["const", FlatStep])
rows = both.rows()
ok([row["name"] for row in rows] == ["const", "flat_step"], "a class is an arm, named as Python names things")
figures = [name for name in rows[0] if name.endswith(("_ms", "_us", "duration", "throughput")) and "." not in name]
ok(len(figures) > 20 and all(rows[0][name] == rows[1][name] for name in figures), "and the same formula has the same figures")
stepcost.run(config, arms=[Setups])
setup = Setups.seen[0]
ok(setup.model["hidden"] == 4096 and setup.engine["max_num_seqs"] == 256 and len(setup.hardware["peak_flops"]) > 3, "a class is told model, engine and GPU")
slow = stepcost.capacity(dict(config, workload=dict(config["workload"], num_requests=200)), {"ttft_p99_ms": 200}, arms=[Setups], one_draw=True)
ok(slow.rows()[0]["arm"] == "setups" and len(Setups.seen) == 2, "capacity makes an instance of its own")

ok(raises(lambda: stepcost.run(config, arms=[Broken]), 4, "IndexError"), "an exception in eval() fails the arm, by its name")
ok(raises(lambda: stepcost.run(config, arms=[Unready]), 4, "no such table"), "one in __init__(), too")
ok(raises(lambda: stepcost.run(config, arms=[NotFinite]), 4, "ValueError"), "a time that is not finite")
ok(raises(lambda: stepcost.run(config, arms=[stepcost.CostModel]), 4, "no eval()"), "a class without eval()")
try:
    stepcost.compare(config, arms=["const", Broken])
    ok(False, "the other arms are reported")
except stepcost.Error as error:
    ok(error.result is not None and error.result.rows()[0]["mean_tpot_ms"] > 0, "the other arms are reported")
ok(raises(lambda: stepcost.run(config, arms=[Leaves]), 4, "SystemExit: 3"), "sys.exit() in eval()")
ok(raises(lambda: stepcost.run(config, arms=[Truth]), 4, "returned True: the time"), "a truth value is no time")
ok(raises(lambda: stepcost.run(config, arms=[Words]), 4, "returned '12': the time"), "nor is a text")


class Textless(Exception):
    def __str__(self):
        raise ValueError


class Does(stepcost.CostModel):
    """Returns or raises the next case."""
    now = None

    def eval(self, step):
        if isinstance(Does.now, BaseException):
            raise Does.now
        return Does.now


for given, said in ((None, "returned None"), ([1], "returned [1]"), ({}, "returned None"), (b"12", "returned b'12'"),
                    (type("bool_", (), {"__float__": lambda self: 1.0})(), "the time of a step"),
                    ({"total_us": True}, "returned True"), ({"total_us": 5, "gemm_us": [True, 1]}, "gemm_us"),
                    (10**400, "OverflowError"), ({"total_us": float("nan")}, "ValueError"), (-5, "total_us = -5"),
                    (Textless(), "Textless: its text cannot be made"), (ValueError("a\nb"), "ValueError: a; b"),
                    (ValueError("x" * 100000), "ValueError: xxx"), (ValueError("a\0b"), "a\\0b"), (ValueError("\ud800"), "ud800"),
                    (SystemExit("bye"), "SystemExit: bye"), (KeyboardInterrupt(), "KeyboardInterrupt"), (MemoryError(), "MemoryError")):
    Does.now = given
    ok(raises(lambda: stepcost.run(config, arms=[Does]), 4, said), "eval() gives %.40s" % repr(given).replace("#", ""))


def changed(**sections):
    return {name: dict(config.get(name, {}), **sections.get(name, {})) for name in [*config, *sections]}


ok(raises(lambda: stepcost.run(changed(workload={"seed": "7\n[cost_model:x]\nplugin = ./x.so"}), arms=["const"]), 2, "seed = 7"),
   "a newline in a value begins no section")
ok(raises(lambda: stepcost.run(changed(**{"a]\n[b": {"c": 1}}), arms=["const"]), 2, "no name of a section"), "nor does one in a section's name")
ok(raises(lambda: stepcost.run(changed(workload={"seed\nplugin": 1}), arms=["const"]), 2, "no name of a key"), "or in a key")
ok(raises(lambda: stepcost.run({**config, "workload": {1: 2}}, arms=["const"]), 2, "1 is no name of a key"), "a key that is a number")
ok(raises(lambda: stepcost.run({**config, 3: {}}, arms=["const"]), 2, "3 is no name of a section"), "a section that is one")
ok(raises(lambda: stepcost.run({**config, "slo": "x"}, arms=["const"]), 2, "[slo] is 'x'"), "a section that is a text")
ok(raises(lambda: stepcost.run(changed(workload={"trace": "a\0b"}), arms=["const"]), 2, "a byte of 0"), "a byte of 0")
ok(raises(lambda: stepcost.run(changed(model={"config": "./no/m.json"}), arms=["const"]), 2, "config = ./no/m.json:"),
   "a path that is not there is named as it was given")
odd = [*map(chr, range(33)), *":;=@[\\]`{~\x7f\x80\x9b\xa0\xff", *("\udc80 \udcff \ud800 \udfff \u2028 \u202e \ufeff \U0001f600".split(" ")), "", "..", "=", "a]", "x" * 5000]


def answers(sections):
    """Whether the program runs, or refuses: nothing else is raised, and no message controls a terminal."""
    try:
        stepcost.run(changed(**sections), arms=["const"])
    except stepcost.Error as error:
        return error.exit_code in (2, 3) and all(unicodedata.category(c) != "Cc" and c != "\u202e" or c in "\n\t" for c in str(error))
    return True


for place, sections in (("a section", lambda x: {x: {"a": 1}}), ("a key", lambda x: {"workload": {x: 1}}),
                        ("a value", lambda x: {"workload": {"trace": x}}), ("the middle of a value", lambda x: {"slo": {"ttft_ms": "5" + x + "0"}})):
    faults = [x[:9] for x in odd if not answers(sections(x))]
    ok(not faults, "any character in %s %s" % (place, repr(faults).replace("#", "")))
ok(stepcost.run(config, arms=["const"], keys={"workload.num_requests": 7}).rows()[0]["completed"] == 7,
   "keys come before those of the dict")
ok(raises(lambda: stepcost.run("--help"), 2, "no configuration"), "an option in place of a configuration")
ok(refused(lambda: stepcost.run(config, arms=[3]), "neither a name nor a class") and
   refused(lambda: stepcost.run(config, arms=[int]), "neither a name nor a class"), "an arm that is no cost model")
with open(os.path.join(WORK, "own;trace #1.csv"), "w", encoding="utf-8") as trace:
    trace.write("arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,10\n")
here, long = os.getcwd(), os.path.join(WORK, "x" * 120)
os.makedirs(long)
saved = {name: os.environ[name] for name in ("STEPCOST", "STEPCOST_DATA_PATH", "STEPCOST_PLUGIN_PATH") if name in os.environ}
os.environ.update({name: ":".join(map(os.path.abspath, value.split(":"))) for name, value in saved.items()})
os.chdir(WORK)
own = dict(config, workload={"trace": "own;trace #1.csv"})
ok(stepcost.run(own, arms=["const"]).rows()[0]["completed"] == 1, "a path of a dict is relative to the caller's folder")
tempfile.tempdir = long
ok(stepcost.compare(own, arms=["const", FlatStep]).rows()[1]["name"] == "flat_step", "a long name of the folder of temporary files")
tempfile.tempdir = None
os.chdir(here)
os.environ.update(saved)
ok(raises(lambda: stepcost.run("no-such-file"), 2, "no-such-file"), "a configuration that is missing")
ok(raises(lambda: stepcost.run(config, arms=["const"], workload__num_request=1), 2, "num_request"), "a key that does not exist")
ok(raises(lambda: stepcost.run(config, arms=["const"], no_such_option=1), 2, "no-such-option"), "an option that does not exist")
ok(refused(lambda: stepcost.run(config, arms=["const"], workload_num_requests=1), "workload__num_requests"), "one underscore in place of two")
ok(refused(FlatStep, "give the class FlatStep, not FlatStep()"), "an instance in place of a class")

store = os.path.join(WORK, "seeds.db")
swept = stepcost.sweep(config, {"workload.seed": [1, 2], "workload.request_rate": "5,10"}, store, arms=["const", FlatStep])
ok(len(swept.rows()) == 8 and {row["arm"] for row in swept.rows()} == {"const", "flat_step"}, "a sweep has a row for each point and arm")
measured = os.path.join(os.environ["STEPCOST_DATA_PATH"], "bench_data", "serving", "bench-serve.json")
ok(stepcost.validate("sizing", measured, arms=["operators"])["rows"] == 1, "validate reads a measured run")
ok(stepcost.compare("five-arms", arms=["operators", "roofline_v1"], seeds=2, **PLAN).json["seed"] == 42, "options are keywords")

# Steps: prices, scores and fits are those of the program.
steps = os.path.join(os.path.dirname(measured), "steps-h200-own.csv")
OWN = {"model": {"config": "llama-3.1-8b"}, "hardware": {"config": "h200-sxm"},
       "cost_model:v1": {"plugin": "roofline_v1"}, "cost_model:linear": {"plugin": "linear"}}
priced = stepcost.eval(OWN, steps, arms=["linear", FlatStep]).rows()
ok(len(priced) == 740 and {row["arm"] for row in priced} == {"linear", "flat_step"}, "eval has a row for each step and arm")
scored = stepcost.score(OWN, [steps], arms=["v1", "linear"], baseline="none")
ok([row["name"] for row in scored.rows()] == ["v1", "linear"] and scored["steps"]["used"] == 206, "score has a row for each arm")
ok([row["mean"] for row in stepcost.score(OWN, steps, "v1", baseline="none").rows()] == [scored.rows()[0]["mean"]], "one arm by its name")
fitted = stepcost.fit(OWN, steps, ["t_overhead_us", "mfu_prefill=0.6:0.1..1"], arms=["v1"])
ok([row["name"] for row in fitted.rows()] == ["t_overhead_us", "mfu_prefill"] and fitted["better"], "fit has a row for each knob")

# The arena and a recommendation: tables, too.
ranked = stepcost.arena(dict(OWN, arena={"sets": steps, "baseline": "none"}), arms=["v1", FlatStep], with_=["const_step"])
ok([(row["set"], row["name"]) for row in ranked.rows()] == [("steps-h200-own", name) for name in ("v1", "flat_step", "const_step")],
   "arena has a row for each set and arm")
ok(ranked.rows()[0]["mean"] == scored.rows()[0]["mean"], "with the figures of score")
best = stepcost.recommend("quickstart", 1, {"ttft_p99_ms": 2000}, arms=["roofline_v1"], budget=20)
ok([row["name"] for row in best.rows()] == ["roofline_v1"] and best.rows()[0]["request_rate"] > 0, "recommend has a row for each arm")

saved = os.environ.pop("STEPCOST")
os.environ["STEPCOST"] = os.path.join(WORK, "nowhere")
ok(raises(lambda: stepcost.run(config), 2, "nowhere"), "a program that is not there is named")
os.environ["STEPCOST"] = saved
ok(program._messages("stepcost: one\n  more\nstepcost: two\n") == ["one\n  more", "two"], "messages of several lines stay whole")
print("1..%d" % tests)
