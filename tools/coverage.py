"""The parts of tools/coverage.sh that are tables.

coverage.py lines LEAST <COUNTS       the lines of readers that were reached
coverage.py branches LEAST <COUNTS    the branches, by room
coverage.py units                     the unit programs to run
coverage.py fail INJECT.so [UNIT...]  runs those of the files, and fails one call of each run
COUNTS: what `llvm-cov export` or `gcov --json-format --stdout` writes.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
# Each has a fuzz target.
READERS = (
    "arm/(configuration|table_choice)|base/(csv|decimal|ini|json/.*|lines|number)|"
    "cost/(kernels|steps)|experiment/(grid|load|point|template)|math/expression|"
    "engine/speculation|keys/(hardware|keys|power|prices)|model/(hf_.*|model|model_kinds)|"
    "plugin/(dso|file_checks)|report/recommend/flags|sweep/(plan|values)|"
    "tables/(infersim|set|table|table_csv|table_set)|validate/(aliases|measured.*|rules)|"
    "workload/(arrival|distribution|replay|trace/trace.*|format/.*)"
)
OTHER_READERS = "keys/datafile|validate/result/.*"
STORES = "store/.*"
GUARD = "jobs/guard"
EMITTERS = "base/(printable|shell_word|yaml_text)|report/import/.*|report/recommend/(deploy|launch)|sweep/slurm"
JUDGED = "|".join((READERS, OTHER_READERS, STORES, GUARD, EMITTERS))
NEEDED = 95  # percent: files below are named
SECONDS = 20  # for the failing calls of one program; as many programs at once as there are cores
MOST_CALLS, HEAD = 1 << 18, 16  # of t/so/inject.c
# What the machine may refuse, and its errno.
KINDS = {"memory": 12, "write": 28, "read": 5, "open": 24, "sync": 5, "rename": 5}


class Counts:
    """Of one file: lines and branches, each by its place, with how often each was taken."""

    def __init__(self):
        self.lines, self.branches = {}, {}

    def add(self, of, place, n):
        of[place] = of.get(place, 0) + n

    def share(self, of):
        reached = sum(n > 0 for n in of.values())
        return 100 * reached / len(of) if of else 100, len(of) - reached, len(of)


def read_counts(text):
    """Returns the Counts of each file of src/."""
    all_files = {}

    def of(path):
        return all_files.setdefault(path.split("src/")[-1], Counts()) if "src/" in path and path.endswith(".c") else None

    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        at += len(text[at:]) - len(text[at:].lstrip()) if at < len(text) and text[at].isspace() else 0
        if "data" in document:
            for f in document["data"][0]["files"]:
                add_llvm(of(f["filename"]), f)
        for f in document.get("files", ()):
            add_gcov(of(f["file"]), f)
    return all_files


def add_llvm(counts, f):
    if not counts:
        return
    lines = f["summary"]["lines"]
    for i in range(lines["count"]):
        counts.add(counts.lines, i, i < lines["covered"])
    for *place, is_true, is_false, _, _, _ in f["branches"]:
        counts.add(counts.branches, (*place, True), is_true)
        counts.add(counts.branches, (*place, False), is_false)


def add_gcov(counts, f):
    if not counts:
        return
    for line in f["lines"]:
        counts.add(counts.lines, line["line_number"], line["count"])
        for i, branch in enumerate(line["branches"]):
            counts.add(counts.branches, (line["line_number"], i), branch["count"])


def print_lines(files, least):
    shares = sorted((*c.share(c.lines), name) for name, c in files.items() if re.fullmatch(READERS, name[:-2]))
    print("lines of readers that their corpora reach")
    for percent, _, n, name in shares:
        print(f"{percent:6.1f} %  {n:5} lines  {name}")
    low = sum(percent < least for percent, *_ in shares)
    print(f"{len(shares)} readers, {low} below {least:g} %")
    return low > 0


def print_branches(files, least):
    shares = sorted((*c.share(c.branches), name) for name, c in files.items() if re.fullmatch(JUDGED, name[:-2]))
    rooms = {}
    for _, left, n, name in shares:
        room = rooms.setdefault(name.split("/")[0], [0, 0])
        room[0] += left
        room[1] += n
    print("\nbranches of readers, stores, guard and emitters, by room")
    low = 0
    for room, (left, n) in sorted(rooms.items(), key=lambda x: -x[1][0] / x[1][1]):
        percent = 100 * (n - left) / n
        low += percent < least
        print(f"{percent:6.1f} %  {left:5} of {n:5} left  {room}")
    left, n = (sum(x) for x in zip(*rooms.values()))
    print(f"{100 * (n - left) / n:6.1f} %  {left:5} of {n:5} left  all; {low} rooms below {least:g} %")
    print(f"\nfiles below {NEEDED} %")
    for percent, left, n, name in shares:
        if percent < NEEDED:
            print(f"{percent:6.1f} %  {left:5} of {n:5} left  {name}")
    return low > 0


def room_of(name):
    """The part of a room that has its own readers: all of it, but of report/ a folder."""
    return name.split("/")[:2 if name.startswith("report/") else 1]


def names_in(folder):
    return sorted(str(p.relative_to(TOP / folder))[:-2] for p in (TOP / folder).rglob("*.c"))


def units(of_judged):
    """Those of each room that has a judged file, because readers are tested by their users too; or of these files."""
    judged = [name for name in names_in("src") if re.fullmatch(JUDGED, name)]
    rooms = [room_of(name) for name in judged]
    return [f"t/{name}" for name in names_in("t") if (name in judged if of_judged else room_of(name) in rooms)]


def fail_calls(inject, program):
    """Fails one call of all that the same functions lead to, in random order, until the time is over.

    Returns the number of runs, and of those that there was no time for.
    """
    data = {"STEPCOST_DATA_PATH": str(TOP), "STEPCOST_PLUGIN_PATH": os.path.abspath(".libs"), "LC_ALL": "C"}
    with tempfile.NamedTemporaryFile() as tally:
        def run(kind, at):
            os.truncate(tally.name, 0)
            os.truncate(tally.name, HEAD + 8 * MOST_CALLS)
            env = dict(os.environ, **data, LD_PRELOAD=os.path.abspath(inject), INJECT_KIND=kind, INJECT_FRAMES="4",
                       INJECT_TALLY=tally.name, INJECT_ERROR=str(KINDS[kind]), INJECT_AT=at)
            try:
                subprocess.run([program], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, timeout=20)
            except (subprocess.TimeoutExpired, OSError):
                pass

        some = []
        for kind in KINDS:
            run(kind, "")
            data_of = Path(tally.name).read_bytes()
            calls = min(struct.unpack("Q", data_of[:8])[0], MOST_CALLS)
            first = {}
            for at, stack in enumerate(struct.unpack(f"{calls}Q", data_of[HEAD:HEAD + 8 * calls])):
                first.setdefault(stack, at)
            some += [(kind, at) for at in first.values()]
        random.Random(1).shuffle(some)
        until, runs = time.monotonic() + SECONDS, 0
        while some and time.monotonic() < until:
            kind, at = some.pop()
            run(kind, str(at))
            runs += 1
    return runs, len(some)


def fail_all(inject, programs):
    began = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda program: fail_calls(inject, program), programs))
    runs, left = (sum(x) for x in zip(*results))
    print(f"{runs} runs with a failing call, {time.monotonic() - began:.0f} s; no time for {left} others")


if sys.argv[1] == "units":
    print(*units(of_judged=False))
elif sys.argv[1] == "fail":
    fail_all(sys.argv[2], sys.argv[3:] or units(of_judged=True))
else:
    show = {"lines": print_lines, "branches": print_branches}[sys.argv[1]]
    sys.exit(show(read_counts(sys.stdin.read()), float(sys.argv[2])))
