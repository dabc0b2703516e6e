"""Asks capacity, recommend and sweep one random question after another: the least
number of replicas that carries a rate.  Prints the three answers of each, and exits
with 1 if two differ beyond what they print: a single number, or two neighbours where
a test stays undecided.

one_answer.py [--questions N] [--seed S] [STEPCOST]
"""
import argparse
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

MOST = 6  # replicas that are tried
INI = """[model]
config = llama-3.1-8b
[hardware]
config = h100-sxm
[engine]
max_num_seqs = {seqs}
routing = {routing}
[workload]
num_requests = 1000
request_rate = 10
arrival = {arrival}
input_tokens = {prompts}
output_tokens = {answers}
[cost_model:const_step]
plugin = const_step
base_us = {base}
per_token_us = {token}
"""


def question(r):
    """Returns a configuration, bounds and a rate per replica that is near its limit."""
    seqs, base, token = r.choice([8, 16, 32]), r.choice([3000, 5000, 8000]), r.choice([5, 20])
    low = r.choice([5, 10])
    ini = INI.format(seqs=seqs, base=base, token=token, arrival=r.choice(["poisson", "poisson", "gamma\ncv = 1.5"]),
                     routing=r.choice(["round_robin", "least_outstanding", "random"]),
                     prompts=r.choice(["uniform:50,150", "constant:100", "exponential:80"]),
                     answers=f"uniform:{low},{3 * low}")
    step_ms = (base + token * seqs * 6) / 1e3
    slo = r.choice([f"ttft_p99_ms={8 * step_ms:.0f}", f"ttft_mean_ms={3 * step_ms:.0f}", f"tpot_mean_ms={1.2 * step_ms:.1f}",
                    f"e2el_p95_ms={4.5 * low * step_ms:.0f},ttft_p99_ms={10 * step_ms:.0f}"])
    full = 1e3 / step_ms * seqs / (2 * low)  # requests/s of a full replica
    return ini, slo, round(full * r.uniform(1.2, 3.5), 1)


def ask(program, *words):
    done = subprocess.run([program, *words, "--quiet", "--jobs", "1"], text=True, capture_output=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def answers(program, ini, slo, rate, folder):
    """Returns (low, high) by each command; (0, 0): none of the replicas tried carries it."""
    path, rate = os.path.join(folder, "c.ini"), str(rate)
    with open(path, "w", encoding="utf-8") as f:
        f.write(ini)
    numbers = ",".join(str(n) for n in range(1, MOST + 1))
    found = json.loads(ask(program, "capacity", path, "--slo", slo, "--rate", rate, "--format", "json"))["searches"][0]
    n = found["replicas"], found["replicas_low"]
    capacity = (n[1], n[0]) if n[0] and n[0] <= MOST else (0, 0)
    arm = json.loads(ask(program, "recommend", path, "--slo", slo, "--rate", rate, "--gpus", str(MOST), "--serve", "aggregated",
                         "--search", "engine.tensor_parallel_size=1", "--search", "engine.replicas=" + numbers,
                         "--fix", "engine.max_num_batched_tokens", "--fix", "engine.max_num_seqs",
                         "--format", "json"))["arms"][0]
    winner = arm["winner"] and int(arm["winner"]["engine.replicas"])
    rows = csv.DictReader(io.StringIO(ask(program, "sweep", path, "--axis", "engine.replicas=" + numbers, "--store",
                                          os.path.join(folder, "s.db"), "--capacity", slo, "--rate", rate, "--format", "csv")))
    carries = [int(row["engine.replicas"]) for row in rows if row["verdict"] == "found"]
    os.unlink(os.path.join(folder, "s.db"))
    return {"capacity": capacity, "recommend": (winner or 0,) * 2, "sweep": (min(carries, default=0),) * 2}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--questions", type=int, default=50)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("program", nargs="?", default="stepcost")
    o = options.parse_args()
    program = shutil.which(o.program)
    if not program:
        options.error(f"{o.program}: no such program; put stepcost on the PATH, or name its path")
    bad = 0
    for i in range(o.questions):
        ini, slo, rate = question(random.Random(1000 * o.seed + i))
        with tempfile.TemporaryDirectory() as folder:
            found = answers(program, ini, slo, rate, folder)
        low, high = found["capacity"]
        agree = all(low <= n <= high for n, _ in found.values()) if high else not any(n for n, _ in found.values())
        bad += not agree
        print(i, slo, rate, *(f"{k} {a}" if a == b else f"{k} {a}-{b}" for k, (a, b) in found.items()),
              "" if agree else "DIFFER", flush=True)
    print(f"{o.questions - bad} of {o.questions} agree")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
