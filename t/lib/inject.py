"""Makes every call of a kind fail once, in turn, and judges what the program does.

inject.py STEPCOST INJECT.so [--command A,B] [--kind A,B] [--sample N]
          [--stride N] [--from N] [--seconds N] [--every] [--jobs N] [--at N]

A failed call may change nothing: the same exit code, output and files.  Or the
exit code is 2, standard error says why, and each file is whole or not there.
A store of a sweep keeps its good rows, and the sweep called again finishes it.
Memory: by default one call of all that the same functions lead to (--every: all);
reads: the first and the last of these.
--sample N: N calls a command and kind, spread evenly.
--stride N --from K: each Nth call from K on, so that nights share the work.
--seconds N: stops then, and says how far it came.
--at N: call N alone; shows what led to it, and what the program wrote.
"""
import argparse
import difflib
import os
import queue
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TALLY_HEAD, MOST = 16, 1 << 18
CONFIG = """[model]
config = {model}
[hardware]
config = h100-sxm
[engine]
preset = vllm-2026-07
[cost_model:a]
plugin = const_step
base_us = 9000
[cost_model:b]
plugin = roofline_v1
[workload]
num_requests = 8
request_rate = 10
input_tokens = constant:100
output_tokens = histogram:3=1,5=1
"""
MODEL = """{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096,
"intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 4,
"num_key_value_heads": 8, "vocab_size": 128256, "torch_dtype": "bfloat16"}
"""
RUNS = """id,model,gpu,engine,tensor_parallel_size,num_requests,request_rate,input_tokens,output_tokens,mean_ttft_ms,mean_tpot_ms,mean_e2el_ms
r,llama-3.1-8b,h100-sxm,vllm,1,8,4,100,4,20,9,60
"""
ALONE = ["--jobs", "1"]
COMMANDS = {
    "run": ["run", "c.ini", "--arms", "a", "--format", "json", "--output", "out", "--write-steps", "steps",
            "--write-requests", "requests", "--perfetto", "trace"],
    "compare": ["compare", "c.ini", "--why", "--output", "out", "--write-requests", "requests"],
    "capacity": ["capacity", "c.ini", "--arms", "a", "--slo", "ttft_p99_ms=100", "--one-draw", "--precision", "0.5",
                 "--output", "out"],
    "recommend": ["recommend", "c.ini", "--arms", "a", "--gpus", "1", "--slo", "ttft_p99_ms=200", "--one-draw",
                  "--fix", "engine.max_num_seqs,engine.max_num_batched_tokens", "--budget", "8",
                  "--precision", "0.5", "--output", "out", "--emit", "scripts"],
    "sweep": ["sweep", "c.ini", "--axis", "workload.seed=1,2", "--store", "s.db", "--output", "out"],
    "validate": ["validate", "c.ini", "--measured", "runs.csv", "--output", "out", "--rows", "rows"],
}
# Kind, errors: the numbers of errno, or SHORT.  EINTR and SHORT change nothing.
SHORT, EINTR, EIO, EAGAIN, ENOMEM, EMFILE, ENOSPC = -1, 4, 5, 11, 12, 24, 28
KINDS = {
    "memory": [ENOMEM],
    "write": [ENOSPC, EIO, SHORT],
    "read": [EIO, SHORT],
    "open": [EMFILE],
    "sync": [EIO],
    "rename": [EIO],
    "fork": [EAGAIN],
    "pipe": [EMFILE],
    "wait": [EINTR],
}
HARMLESS = {SHORT, EINTR}


class Place:
    """A folder in which one process at a time runs."""

    def __init__(self, top):
        self.top = top
        self.work = top / "work"
        self.tmp = top / "tmp"
        self.tally = top / "tally"

    def clear(self):
        for folder in (self.work, self.tmp):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        (self.work / "c.ini").write_text(CONFIG.format(model="model.json"))
        (self.work / "model.json").write_text(MODEL)
        (self.work / "runs.csv").write_text(RUNS)
        self.given = set(os.listdir(self.work))

    def run(self, words, kind=None, at=None, step=None, error=0):
        with open(self.tally, "wb") as f:
            f.truncate(TALLY_HEAD + 8 * MOST)
        env = dict(os.environ, TMPDIR=str(self.tmp))
        if kind:
            # A sanitizer's library need not come first, so that calls are counted before it sees them.
            env.update(LD_PRELOAD=str(args.inject), INJECT_KIND=kind, INJECT_TALLY=str(self.tally),
                       INJECT_ERROR=str(error), INJECT_AT="" if at is None else str(at),
                       INJECT_STEP=str(step or ""), INJECT_SHOW="" if args.at is None else "1",
                       ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))
        try:
            end = subprocess.run([args.stepcost, *words], cwd=self.work, env=env, capture_output=True, timeout=100,
                                 stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return End(124, b"", b"no end", {}, [], 0, [])
        with open(self.tally, "rb") as f:
            calls, failed = struct.unpack("QQ", f.read(TALLY_HEAD))
            stacks = struct.unpack("%dQ" % min(calls, MOST), f.read(8 * min(calls, MOST)))
        files = {str(path.relative_to(self.work)): path.read_bytes().replace(str(self.top).encode(), b"PLACE")
                 for path in self.work.rglob("*") if path.is_file() and path.name not in self.given}
        return End(end.returncode, end.stdout, end.stderr, files, os.listdir(self.tmp), failed, stacks)


class End:
    def __init__(self, code, out, err, files, left, failed, stacks):
        self.code, self.out, self.err, self.files = code, out, err, files
        self.left, self.failed, self.stacks = left, failed, stacks


def rows_of(store):
    """The rows of a store, without the times of its making."""
    db = sqlite3.connect(store)
    try:
        return [sorted(db.execute("SELECT * FROM " + table)) for table in ("study", "point", "result")]
    except sqlite3.Error as error:
        return str(error)
    finally:
        db.close()


def same(data, good):
    """A result may say that its list of files is not whole."""
    if b'"inputs_not_listed"' in data:
        data, good = (x[:x.index(b'"identity": {')] for x in (data, good))
    return data == good


def judge(place, words, good, end, error):
    """Returns what is wrong, or None."""
    if not end.failed:
        return None
    for x in (end, good):
        x.err = re.sub(rb"[\d.]+ s\n", b"TIME s\n", x.err)
    stores = [name for name in end.files if name.endswith(".db")]
    # The next call finishes what a journal has.
    journals = {"s.db-wal", "s.db-shm", "s.db-journal"} if end.code == 2 else set()
    extra = set(end.files) - set(good.files) - journals
    if extra or end.left:
        return "left behind: " + ", ".join(sorted(extra) + end.left)
    if end.code == good.code:
        if end.out != good.out:
            return "another standard output"
        if end.err != good.err and not end.err.startswith(good.err):
            return "a message is lost: " + repr(end.err[-200:])
        for name in good.files:
            if name not in end.files or not name.endswith(".db") and not same(end.files[name], good.files[name]):
                return f"{name} is another"
    elif error in HARMLESS:
        return f"exit code {end.code}: {end.err[-200:]!r}"
    elif end.code != 2:
        return f"exit code {end.code}: {end.err[-200:]!r}"
    elif not end.err.startswith(b"stepcost: ") and b"\nstepcost: " not in end.err:
        return "no message: " + repr(end.err[-200:])
    else:
        for name, data in end.files.items():
            if name in good.files and not name.endswith(".db") and not same(data, good.files[name]) and \
                    b"fail" not in data:
                return f"{name} is half a file"
    for name in stores:
        if end.code != 0:
            again = place.run(words)
            if again.code != 0:
                return f"called again, exit code {again.code}: {again.err[-200:]!r}"
            if set(again.files) - set(good.files):
                return "left behind when called again: " + ", ".join(set(again.files) - set(good.files))
        path = str(place.work / name)
        if rows_of(path) != good.rows:
            return "the rows of the store are others"
    return None


def points(kind, good, n_sample):
    """The numbers of the calls that are made to fail."""
    if args.at is not None:
        return [args.at]
    calls = list(range(len(good.stacks)))
    if kind in ("memory", "read") and not args.every:
        first, last = {}, {}
        for at, stack in enumerate(good.stacks):
            first.setdefault(stack, at)
            last[stack] = at
        calls = sorted({*first.values(), *(last.values() if kind == "read" else ())})
    calls = calls[args.first::args.stride]
    if n_sample and len(calls) > n_sample:
        calls = [calls[i * len(calls) // n_sample] for i in range(n_sample)]
    return calls


def show(good, end):
    print(end.err.decode(errors="replace"))
    for name in sorted({**good.files, **end.files}):
        lines = [x.get(name, b"").decode(errors="replace").splitlines() for x in (good.files, end.files)]
        for line in list(difflib.unified_diff(*lines, name, name, lineterm="", n=0))[:40]:
            print(line[:200])


def work_off(place, tasks, tell):
    while True:
        try:
            task = tasks.get_nowait()
        except queue.Empty:
            return
        command, kind, error, at, step = task
        if args.seconds and time.monotonic() - began > args.seconds:
            tell(task, None, False)
            continue
        place.clear()
        words = COMMANDS[command] + ALONE
        end = place.run(words, kind, at, step, error)
        tell(task, judge(place, words, goods[command], end, error), True)
        if args.at is not None and step is None:
            show(goods[command], end)


parser = argparse.ArgumentParser()
parser.add_argument("stepcost", type=os.path.abspath)
parser.add_argument("inject", type=os.path.abspath)
parser.add_argument("--command", default=",".join(COMMANDS))
parser.add_argument("--kind", default=",".join(KINDS))
parser.add_argument("--sample", type=int, default=0)
parser.add_argument("--stride", type=int, default=1)
parser.add_argument("--from", dest="first", type=int, default=0)
parser.add_argument("--seconds", type=float, default=0)
parser.add_argument("--every", action="store_true")
parser.add_argument("--at", type=int)
parser.add_argument("--jobs", type=int, default=1)
args = parser.parse_args()
began = time.monotonic()
goods, counts, totals, tasks = {}, {}, {}, queue.Queue()
faults = []
lock = threading.Lock()
folder = Path(tempfile.mkdtemp())
try:
    first = Place(folder / "0")
    for command in args.command.split(","):
        first.clear()
        good = goods[command] = first.run(COMMANDS[command] + ALONE)
        if good.code != 0:
            sys.exit(f"{command}: exit code {good.code}: {good.err.decode()}")
        good.rows = rows_of(str(first.work / "s.db")) if "s.db" in good.files else None
        for kind in args.kind.split(","):
            first.clear()
            counted = first.run(COMMANDS[command] + ALONE, kind)
            if counted.code == 77:
                sys.exit(77)
            if judge(first, COMMANDS[command] + ALONE, good, counted, 0) or counted.code != good.code:
                sys.exit(f"{command}: differs when calls are counted")
            for error in KINDS[kind]:
                for at in points(kind, counted, args.sample):
                    tasks.put((command, kind, error, at, None))
            totals[command, kind] = len(KINDS[kind]) * len(points(kind, counted, 0))
            for error in HARMLESS.intersection(KINDS[kind]):
                tasks.put((command, kind, error, 0, 2))

    def tell(task, fault, tried):
        command, kind, error, at, step = task
        with lock:
            n = counts.setdefault((command, kind), [0, 0, 0])
            n[0] += tried
            n[1] += fault is not None
            n[2] += not tried
            if fault:
                faults.append(fault)
                where = "each second call" if step else f"call {at}"
                name = "half of the bytes" if error == SHORT else os.strerror(error)
                print(f"{command}: {kind}: {where}: {name}: {fault}", flush=True)

    threads = [threading.Thread(target=work_off, args=(Place(folder / str(i)), tasks, tell))
               for i in range(args.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
finally:
    shutil.rmtree(folder)
for (command, kind), (tried, bad, missed) in counts.items():
    of = totals[command, kind]
    print(f"{command:10} {kind:7} {tried:6} of {of:6} tried {bad:5} wrong" + (f" {missed} had no time" if missed else ""))
sys.exit(bool(faults))
