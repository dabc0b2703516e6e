"""Checks the file of --perfetto against --write-steps and --write-requests.

    perfetto.py STEPCOST SOURCE FOLDER     writes TAP; files go to FOLDER
"""
import csv
import json
import os
import subprocess
import sys
from decimal import Decimal

from tap import done, ok

csv.field_size_limit(10**9)
HOST, SOURCE, FOLDER = sys.argv[1:4]


def run(*args):
    subprocess.run([HOST, *args, "--quiet"], cwd=FOLDER, check=True,
                   stdout=subprocess.DEVNULL)


def rows(name):
    with open(os.path.join(FOLDER, name), newline="") as f:
        return list(csv.DictReader(f))


def ns(us):
    return int(Decimal(us) * 1000)


def traced(config, *options):
    run("compare", config, "--perfetto", "p.json", "--write-steps",
        "steps.csv", "--write-requests", "requests.csv", *options)
    with open(os.path.join(FOLDER, "p.json")) as f:
        events = json.load(f, parse_float=Decimal)["traceEvents"]
    arms = {e["pid"]: e["args"]["name"] for e in events
            if e["ph"] == "M" and e["name"] == "process_name"}
    return events, arms


def of_arm(events, pid):
    """Slices by the name of their track, and counters by their name."""
    tracks, slices, counters = {}, {}, {}
    for e in events:
        if e["pid"] != pid:
            continue
        if e["ph"] == "M" and e["name"] == "thread_name":
            tracks[e["tid"]] = e["args"]["name"]
        elif e["ph"] == "X":
            begin = ns(e["ts"])
            slices.setdefault(e["tid"], []).append(
                (begin, begin + ns(e["dur"]), e["name"], e.get("args", {})))
        elif e["ph"] == "C":
            (value,) = e["args"].values()
            counters.setdefault(e["name"], []).append((ns(e["ts"]), value))
    return {tracks[t]: s for t, s in slices.items()}, counters


def check_steps(what, slices, counters, steps):
    bad = []
    for replica in sorted({s["replica"] for s in steps}):
        mine = [s for s in steps if s["replica"] == replica]
        at = {int(s["step"]): s for s in mine}
        n, before = 0, None
        for begin, end, name, args in slices["replica " + replica]:
            first, many = args["step"], args.get("steps", 1)
            of = [at[first + i] for i in range(many)]
            n += many
            kind = ("decode" if not of[0]["prefill"] else
                    "mixed" if of[0]["decode"] else "prefill")
            if (name != kind or begin != int(of[0]["start_ns"]) or
                    end != int(of[-1]["end_ns"]) or
                    many > 1 and (name != "decode" or
                                  len({s["running"] for s in of}) > 1)):
                bad.append("slice at step %d: %s" % (first, name))
            if before is not None and begin < before:
                bad.append("slices overlap at step %d" % first)
            before = end
        if n != len(mine):
            bad.append("%d of %d steps" % (n, len(mine)))
        for name, column in (("batch", "running"), ("queue", "waiting"),
                             ("kv_blocks", "kv_blocks")):
            points = counters["%s %s" % (name, replica)]
            starts = {int(s["start_ns"]): int(s[column]) for s in mine}
            if any(starts[t] != v for t, v in points):
                bad.append("%s is not %s" % (name, column))
            if any(a[1] == b[1] for a, b in zip(points, points[1:])):
                bad.append("%s is repeated" % name)
    ok(not bad, "%s: slices and counters are those of the steps" % what,
       *bad)


def check_requests(what, slices, requests):
    bad, seen = [], 0
    want = {"request " + q["request"]: q for q in requests
            if q["status"] == "completed"}
    for track, of in slices.items():
        if not track.startswith("requests "):
            continue
        outer = sorted(s for s in of if s[2].startswith("request "))
        bad += ["%s overlap" % track for a, b in zip(outer, outer[1:])
                if a[1] > b[0]]
        inner = [s for s in of if not s[2].startswith("request ")]
        for begin, end, name, args in outer:
            q = want[name]
            seen += 1
            cuts = [int(q[k]) for k in ("arrival_ns", "scheduled_ns",
                                        "first_token_ns", "last_token_ns")]
            parts = [(a, b, n) for a, b, n in
                     zip(cuts, cuts[1:], ("queue", "prefill", "decode"))
                     if a < b]
            got = [s[:3] for s in inner if begin <= s[0] and s[1] <= end]
            if (begin, end) != (cuts[0], cuts[3]) or sorted(got) != parts:
                bad.append("%s: %r, %r" % (name, got, parts))
            if (args["input"], args["output"]) != (
                    int(q["input_tokens"]), int(q["output_tokens"])):
                bad.append("%s: tokens" % name)
    ok(not bad and seen == len(want),
       "%s: a slice per request, with queue, prefill and decode" % what,
       "%d of %d" % (seen, len(want)), *bad)


CONFIG = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[cost_model:one]
plugin = planted
[cost_model:two]
plugin = planted_bound
[workload]
num_requests = 200
request_rate = 60
input_tokens = lognormal:mean=700,p50=400
output_tokens = uniform:1,80
"""
ENGINES = {
    "one engine": (),
    "async": ("--set", "engine.async_scheduling=true",
              "--set", "engine.schedule_us=300"),
    "P/D": ("--set", "engine.replicas=3", "--set",
            "engine.prefill_replicas=1", "--set",
            "engine.kv_transfer_bandwidth_gbs=20"),
    "few blocks": ("--set", "engine.num_gpu_blocks=450"),
}


BESIDE = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
preset = vllm-2026-07
num_gpu_blocks = 500
kv_offloading_size = 8
kv_offload_bandwidth_gbs = 5
enable_lora = true
max_loras = 2
lora_load_us = 3000
encoder_us = 1000
[cost_model:one]
plugin = planted
[workload]
num_requests = 120
turns = 4
request_rate = 3
think_time_s = 0.5
input_tokens = uniform:100,500
output_tokens = uniform:1,80
mm_item_tokens = uniform:50,200
mm_item_share = 0.3
adapters = 5
"""


def check_beside(events):
    """Copies, adapters and encoders: what steps wait for and do besides."""
    slices, _ = of_arm(events, 1)
    steps, copies = rows("steps.csv"), rows("copies.csv")
    for kind, track in (("load", "from the host"), ("store", "to the host")):
        want = sorted((int(c["start_ns"]), int(c["end_ns"]), "request " +
                       c["request"], int(c["blocks"]), int(c["chunks"]))
                      for c in copies if c["kind"] == kind)
        got = sorted((*s[:3], s[3]["blocks"], s[3]["chunks"])
                     for s in slices["replica 0, KV " + track])
        ok(want and got == want, "copies %s" % track, len(got), len(want))
    of = slices["replica 0"]
    starts = {int(s["start_ns"]): s for s in steps}
    encoders = [s for s in of if s[2] == "encoders"]
    ok(sorted(s[0] for s in encoders) ==
       sorted(t for t, s in starts.items() if s["encoded"]) and
       all(s[1] - s[0] == 1000000 for s in encoders),
       "encoders: a slice in each step that encodes", len(encoders))
    loading = [s for s in of if s[2] == "loading adapters"]
    ok(loading and all(s[1] in starts and (s[1] - s[0]) % 3000000 == 0
                       for s in loading),
       "adapters are loaded before a step", len(loading))
    waits = [s for t in slices for s in slices[t] if s[2] == "load of KV"]
    ok(0 < len(waits) <= len(slices["replica 0, KV from the host"]),
       "requests wait for loads", len(waits))


def main():
    with open(os.path.join(FOLDER, "c.ini"), "w") as f:
        f.write(CONFIG)
    for what, options in ENGINES.items():
        events, arms = traced("c.ini", *options)
        steps, requests = rows("steps.csv"), rows("requests.csv")
        for pid, arm in arms.items():
            slices, counters = of_arm(events, pid)
            name = "%s, %s" % (what, arm)
            check_steps(name, slices, counters,
                        [s for s in steps if s["arm"] == arm])
            check_requests(name, slices,
                           [q for q in requests if q["arm"] == arm])
    with open(os.path.join(FOLDER, "beside.ini"), "w") as f:
        f.write(BESIDE)
    check_beside(traced("beside.ini", "--write-transfers", "copies.csv")[0])
    run("compare", os.path.join(SOURCE, "etc", "quickstart.ini"),
        "--perfetto", "q.json", "--html", "q.html")
    for name in ("q.json", "q.html"):
        size = os.path.getsize(os.path.join(FOLDER, name))
        ok(size < 15e6, "%s: three arms of 4,000 requests in 15 MB" % name,
           size)
    done()


main()
