#!/usr/bin/env python3
"""TAP: sessions as trees: each request comes when all requests that it is after have ended, and its
delay later, in run and in both arms of compare, whoever serves it. In a closed loop the next tree
begins when one is over.

usage: trees.py STEPCOST [CASES [FIRST]]
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import tap

ROUTINGS = ("round_robin least_outstanding power_of_two prefix_affinity random session cache_aware "
            "prefixaware endpoint_picker kv").split()


def row(rng, number, tree, before):
    """A root, or a row after one to three others of its tree."""
    blocks = [tree * 100 + i for i in range(rng.randint(0, 4))]
    own = dict(request_id="r%d" % number, session_id="s%d" % rng.randrange(5),
               input_tokens=rng.randint(16 * len(blocks) + 1, 16 * len(blocks) + 300),
               output_tokens=rng.randint(1, 40))
    if blocks:
        own.update(hash_ids=blocks, block_tokens=16)
    if before and rng.random() < 0.9:
        own["after"] = rng.sample(before, min(len(before), rng.randint(1, 3)))
        if rng.random() < 0.7:
            own["delay_us"] = rng.randint(0, 500000)
    else:
        own["arrival_us"] = rng.randint(0, 3000000)
    return own


def trace(rng):
    rows = []
    for tree in range(rng.randint(1, 20)):
        ids = []
        for _ in range(rng.randint(1, 12)):
            rows.append(row(rng, len(rows), tree, ids))
            ids.append(rows[-1]["request_id"])
    if rng.random() < 0.3:
        rng.shuffle(rows)
    return rows


def configuration(rng):
    engine = dict(preset=rng.choice(["vllm-0.15", "vllm-0.24"]), front_end="none",
                  replicas=rng.choice([1, 2, 4]),
                  routing=rng.choice(ROUTINGS), num_gpu_blocks=rng.choice([40, 3000]),
                  enable_prefix_caching=rng.choice(["true", "false"]), max_num_seqs=rng.choice([2, 64]))
    sections = dict(model=dict(config="llama-3.1-8b"), hardware=dict(config="h100-sxm"), engine=engine,
                    cost_model=dict(plugin="const_step", base_us=rng.choice([2000, 20000])))
    if rng.random() < 0.3:
        sections["failures"] = dict(mtbf_hours=0.0005, max_retries=rng.choice([0, 2]))
    if engine["routing"] == "kv":
        sections["router"] = dict(block_size_tokens="auto")
    sections["workload"] = dict(trace="trace.jsonl", rate_scale=rng.choice([0.5, 1, 1, 4]))
    if "failures" not in sections and rng.random() < 0.4:
        sections["workload"] = dict(trace="trace.jsonl", concurrency=rng.choice([1, 2, 5]))
    return sections


def text(sections):
    return "".join("[%s]\n" % name + "".join("%s = %s\n" % item for item in keys.items())
                   for name, keys in sections.items())


def end_of(row):
    return int(row["arrival_ns"]) + float(row["e2el_ms"] or 0) * 1e6


def trees_of(rows):
    """{id: all ids of its tree}, in the order of the file."""
    tree = {r["request_id"]: {r["request_id"]} for r in rows}
    for r in rows:
        for a in r.get("after", []):
            joined = tree[a] | tree[r["request_id"]]
            tree.update((i, joined) for i in joined)
    return tree


def closed_roots(rows, clients, of):
    """{id: ns} of the rows with a time: the first trees begin at 0, each other one when one is over."""
    tree = trees_of(rows)
    order = list({id(tree[r["request_id"]]): tree[r["request_id"]] for r in rows}.values())
    ends = sorted(max(end_of(of[i]) for i in t) for t in order)
    at = {r["request_id"]: 1000 * r["arrival_us"] for r in rows if "after" not in r}
    want = {}
    for k, t in enumerate(order):
        roots = [i for i in t if i in at]
        begins = 0 if k < clients else ends[k - clients]
        want.update((i, begins + at[i] - min(at[r] for r in roots)) for i in roots)
    return want


def wrong_session(rows, got, folder, arm):
    """The first session of --write-sessions that is not what its requests say."""
    tree, of = trees_of(rows), {r["request_id"]: r for r in got}
    order = list({id(t): t for t in tree.values()}.values())
    after = {r["request_id"]: r.get("after", []) for r in rows}
    place = {r["request_id"]: i for i, r in enumerate(rows)}

    def ended(i):  # of equals the first in the file
        return round(end_of(of[i])), -place[i]

    with open(os.path.join(folder, "s.csv")) as f:
        sessions = [s for s in csv.DictReader(f) if s["arm"] == arm]
    for t, s in zip(order, sessions):
        last, ttft = max(t, key=ended), 0.0
        at = last
        while at:
            ttft += float(of[at]["ttft_ms"] or 0)
            at = max(after[at], key=ended, default=None)
        lasts = end_of(of[last]) - min(int(of[i]["arrival_ns"]) for i in t)
        if int(s["requests"]) != len(t) or abs(float(s["makespan_ms"]) * 1e6 - lasts) > 1000 or \
                abs(float(s["critical_ttft_ms"]) - ttft) > 0.01:
            return "session %s of %s: %s, not %d requests, %.0f ns, %.3f ms" % (s["session"], arm, s, len(t), lasts, ttft)
    return None if len(order) == len(sessions) else "%d sessions, not %d" % (len(sessions), len(order))


def is_late(rows, sections, got, where):
    """The first row that did not come when it should."""
    scale, clients = (sections["workload"].get(k, 0) for k in ("rate_scale", "concurrency"))
    of = {r["request_id"]: r for r in got}
    if clients and len(of) == len(rows):
        closed = closed_roots(rows, clients, of)
    for r in rows:
        mine = of.get(r["request_id"])
        if not mine:
            return "%s: %s never came" % (where, r["request_id"])
        if "after" not in r:
            want = closed[r["request_id"]] if clients else r["arrival_us"] * 1000 / scale
        else:
            waits = [of[a] for a in r["after"]]
            if any(a["e2el_ms"] == "" and a["status"] != "rejected" for a in waits):
                continue  # it failed: its end is not in the file
            want = max(map(end_of, waits)) + r.get("delay_us", 0) * 1000
        if abs(int(mine["arrival_ns"]) - want) > 1000:
            return "%s: %s came at %s, not at %.0f" % (where, r["request_id"], mine["arrival_ns"], want)
    return None


def faults(program, seed):
    rng = random.Random(seed)
    rows, sections = trace(rng), configuration(rng)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "trace.jsonl"), "w") as f:
            f.writelines(json.dumps(r) + "\n" for r in rows)
        with open(os.path.join(folder, "c.ini"), "w") as f:
            f.write(text(sections))
        with open(os.path.join(folder, "two.ini"), "w") as f:
            own = dict(sections)
            own["cost_model:slow"] = dict(plugin="const_step", base_us=31000)
            own["cost_model:fast"] = own.pop("cost_model")
            f.write(text(own))
        found = []
        for command, config in ("run", "c.ini"), ("compare", "two.ini"):
            done = subprocess.run([program, command, config, "--quiet", "--format", "json", "--write-requests",
                                   "r.csv", "--write-sessions", "s.csv"], cwd=folder, capture_output=True, text=True)
            if not done.stdout:
                return [done.stderr]
            with open(os.path.join(folder, "r.csv")) as f:
                got = list(csv.DictReader(f))
            arms = sorted({r.get("arm", "") for r in got})
            if command == "compare" and len(arms) != 2:
                found.append("compare has arms %s" % arms)
            for arm in arms:
                mine = [r for r in got if r.get("arm", "") == arm]
                if len(mine) != len(rows):
                    found.append("%s: %d of %d rows" % (command, len(mine), len(rows)))
                found.append(is_late(rows, sections, mine, command + " " + arm))
                if "failures" not in sections and len(mine) == len(rows):
                    found.append(wrong_session(rows, mine, folder, arm))
        return [f for f in found if f]


def main(program, cases="40", first="0"):
    program = os.path.abspath(program)
    for seed in range(int(first), int(first) + int(cases)):
        found = faults(program, seed)
        tap.ok(not found, "case %d" % seed, *found)
    tap.done()


if __name__ == "__main__":
    main(*sys.argv[1:])
