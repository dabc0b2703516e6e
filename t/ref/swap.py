"""`compare --swap A,B` against arms that are made by hand: an arm with one part
of B runs unchanged, and must give the same figures.

    swap.py STEPCOST FOLDER     writes TAP; files go to FOLDER
"""
import json
import os
import subprocess
import sys

from tap import done, ok

HOST, FOLDER = sys.argv[1:3]
METRICS = ("mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms",
           "p99_ttft_ms", "p99_tpot_ms", "p99_e2el_ms")


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def start(*args):
    return subprocess.run([HOST, *args, "--quiet"], cwd=FOLDER,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(*args):
    done = start(*args)
    if done.returncode:
        raise SystemExit("Bail out! %s: %s" % (" ".join(args),
                                               done.stderr.decode()))
    return json.loads(done.stdout.decode())


HEAD = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
"""
WORKLOAD = {"num_requests": 150, "request_rate": 40,
            "input_tokens": "lognormal:mean=700,p50=400",
            "output_tokens": "uniform:1,80", "seed": 1}


def write(engine, workload, slo, arms):
    with open(os.path.join(FOLDER, "c.ini"), "w") as f:
        f.write(HEAD)
        for section, keys in (("engine", engine), ("workload", workload),
                              ("slo", slo)):
            f.write("[%s]\n" % section)
            for key, value in keys.items():
                f.write("%s = %s\n" % (key, value))
        for arm, keys in arms.items():
            f.write("[cost_model:%s]\n" % arm)
            for key, value in keys.items():
                f.write("%s = %s\n" % (key, value))
    return "c.ini"


def row_of(swap, part):
    for r in swap["rows"]:
        if part in (r.get("part"), r.get("arm")):
            return r
    raise KeyError(part)


def differences(row, arm):
    """Of a row of --swap and an arm of the study."""
    return ["%s: %r, %r" % (m, row["metrics"][m]["value"], arm[m])
            for m in METRICS if not near(row["metrics"][m]["value"], arm[m])]


def check_rows(what, document, expected):
    """expected: part -> the arm that has this part of B."""
    arms = {a["name"]: a for a in document["arms"]}
    swap, bad = document["swap"], []
    for part, arm in expected.items():
        bad += ["%s is not %s: %s" % (part, arm, d)
                for d in differences(row_of(swap, part), arms[arm])]
    ok(not bad, what, *bad)


COMPONENTS = ("prefill_gemm", "prefill_attention", "decode_gemm",
              "decode_attention", "communication", "overhead")
ENGINES = {
    "one engine": {},
    "async": {"async_scheduling": "true", "schedule_us": 300},
    "P/D": {"replicas": 2, "prefill_replicas": 1,
            "kv_transfer_bandwidth_gbs": 20},
    "few blocks": {"num_gpu_blocks": 450},
}


def one_by_one():
    """Everything 1.3 times, part by part."""
    arms = {"a": {"plugin": "planted"},
            "b": {"plugin": "planted", "all": 1.3}}
    for name in COMPONENTS:
        arms["only_" + name] = {"plugin": "planted", "component": name,
                                "times": 1.3}
    for what, engine in ENGINES.items():
        config = write(engine, WORKLOAD, {"ttft_ms": 500}, arms)
        d = run("compare", config, "--swap", "a,b", "--format", "json")
        expected = {name: "only_" + name for name in COMPONENTS}
        expected.update(a="a", b="b", memory="a", other="a")
        check_rows("%s: a component alone" % what, d, expected)
        ok(d["swap"]["unit"] == "component" and
           len(d["swap"]["rows"]) == len(expected),
           "%s: the unit is the component" % what)


def sums():
    config = write({}, WORKLOAD, {}, {
        "a": {"plugin": "planted"},
        "b": {"plugin": "planted", "all": 1.3}})
    d = run("compare", config, "--swap", "a,b", "--format", "json")
    rows, bad = d["swap"]["rows"], []
    pair = d["attribution"][0]
    for m in METRICS[:3]:
        real = rows[-1]["metrics"][m]["difference"]
        one = [r["metrics"][m]["difference"] for r in rows[1:-1]]
        frozen = [r["metrics"][m]["frozen_difference"] for r in rows[1:-1]]
        if not near(real, sum(one) + d["swap"]["interplay"][m]):
            bad.append("%s: interplay" % m)
        if not (near(sum(frozen), pair["cost_model_ms"][m]) and
                near(rows[-1]["metrics"][m]["frozen_difference"],
                     pair["cost_model_ms"][m])):
            bad.append("%s: frozen %r, %r" % (m, sum(frozen),
                                              pair["cost_model_ms"][m]))
    ok(not bad, "with interplay the real difference; frozen as --why", *bad)


def phases():
    """Of models in which work overlaps the unit is the phase."""
    for part, component in (("decode", "decode_memory"),
                            ("prefill", "prefill_gemm"),
                            ("overhead", "overhead")):
        config = write({}, WORKLOAD, {}, {
            "a": {"plugin": "planted_bound"},
            "b": {"plugin": "planted_bound", "component": component,
                  "times": 3}})
        d = run("compare", config, "--swap", "a,b", "--format", "json")
        expected = {p: "a" for p in ("prefill", "decode", "communication",
                                     "overhead")}
        expected[part] = "b"
        check_rows("%s of models that are not additive" % part, d, expected)
        ok(d["swap"]["unit"] == "phase", "the unit is the phase")


def capacity():
    """The rates that the command `capacity` finds."""
    config = write({}, WORKLOAD, {"ttft_ms": 12, "tpot_ms": 40}, {
        "a": {"plugin": "planted"},
        "b": {"plugin": "planted", "component": "decode_attention",
              "times": 6}})
    d = run("compare", config, "--swap", "a,b", "--format", "json")
    c = run("capacity", config, "--one-draw", "--precision", "0.01", "--slo", "p99_ttft_ms=12,p99_tpot_ms=40",
            "--format", "json")
    swap = d["swap"]
    rate = {p: row_of(swap, p)["capacity"]["request_rate"]
            for p in ("a", "b", "decode_attention", "prefill_gemm")}
    text = json.dumps(c)
    ok(all(json.dumps(r) in text for r in rate.values()) and
       rate["a"] == rate["prefill_gemm"] and
       rate["b"] == rate["decode_attention"] and rate["a"] > rate["b"],
       "capacity is that of the command of that name", rate)
    ok(swap["slo"] == {"p99_ttft_ms": 12, "p99_tpot_ms": 40},
       "under the [slo]")
    closed = dict(WORKLOAD, concurrency=8)
    del closed["request_rate"]
    config = write({}, closed, {}, {
        "a": {"plugin": "planted"}, "b": {"plugin": "planted", "all": 2}})
    d = run("compare", config, "--swap", "a,b", "--format", "json")
    ok(all(r["capacity"] is None for r in d["swap"]["rows"]),
       "a closed loop has none")


def others():
    """Arms that are not the first, and text."""
    arms = {"first": {"plugin": "planted"},
            "a": {"plugin": "planted", "all": 1.1},
            "b": {"plugin": "planted_bound"}}
    config = write({}, WORKLOAD, {}, arms)
    d = run("compare", config, "--swap", "b,a", "--format", "json")
    pairs = [(p["steps_of"], p["priced_by"]) for p in d["attribution"]]
    ok(("b", "a") in pairs and ("a", "b") in pairs and
       d["swap"]["rows"][1]["metrics"]["mean_e2el_ms"]["frozen_difference"],
       "two arms that are not the first", pairs)
    text = start("compare", config, "--swap", "b,a", "--html",
                 "p.html").stdout.decode()
    wide = [line for line in text.split("\n") if len(line) > 100]
    ok("One part at a time: b with that part of a" in text and not wide,
       "as text, in 100 columns", *wide)
    with open(os.path.join(FOLDER, "p.html")) as f:
        page = f.read()
    ok(">One part at a time: b with that part of a</h2>" in page and
       ">Why a is not b</h2>" in page, "and on the page")
    for given, says in (("a", "must be two arms"), ("a,b,first", "must be two arms"),
                        ("a,c", "no arm 'c'"), ("a,a", "must be two different arms")):
        done = start("compare", config, "--swap", given)
        ok(done.returncode == 2 and says in done.stderr.decode(),
           "--swap %s: %s" % (given, says), done.stderr.decode())


one_by_one()
sums()
phases()
capacity()
others()
done()
