"""Damages copies of a store at random places, and reads them.

store_damage.py STEPCOST STORE N SEED     in a folder of its own

A figure that another one replaced is never shown, and a store without some of its
rows never ends with 0.
"""
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

stepcost, store, n_stores, seed = sys.argv[1:]
rng = random.Random(int(seed))
whole = Path(store).read_bytes()
COPY = Path("damaged.db")
faults = []
ends = Counter()


def flip(b):
    at = rng.randrange(len(b))
    b[at] ^= 1 << rng.randrange(8)


def overwrite(b):
    n = rng.choice((1, 2, 4, 8, 64, 600))
    at = rng.randrange(len(b) - n)
    b[at:at + n] = rng.randbytes(n)


def zeros(b):
    n = rng.choice((1, 8, 512, 4096))
    at = rng.randrange(len(b) - n)
    b[at:at + n] = bytes(n)


def digit(b):
    """Another digit or letter, as in the text of a definition or an axis."""
    places = [i for i in rng.sample(range(len(b)), min(len(b), 2000)) if chr(b[i]).isalnum()]
    b[rng.choice(places)] = ord(rng.choice("0123456789abcdefghijklmnopqrstuvwxyz"))


def move(b):
    n = rng.choice((8, 100, 4096))
    a, z = rng.randrange(len(b) - n), rng.randrange(len(b) - n)
    b[z:z + n] = b[a:a + n]


def swap(b):
    """Two pages in each other's place."""
    a, z = (4096 * rng.randrange(len(b) // 4096) for _ in range(2))
    b[a:a + 4096], b[z:z + 4096] = b[z:z + 4096], b[a:a + 4096]


def cut(b):
    del b[rng.randrange(len(b)):]


def grow(b):
    b += rng.randbytes(rng.choice((1, 4096)))


KINDS = (flip, flip, overwrite, overwrite, zeros, digit, digit, move, swap, cut, grow)


def run(*words):
    return subprocess.run([stepcost, "sweep", *words], capture_output=True, timeout=100)


def show(path):
    """The exit code, the message, and the rows."""
    got = run("show", path, "--format", "json")
    try:
        shown = json.loads(got.stdout)["results"] if got.stdout else []
    except ValueError as why:
        faults.append(f"{path}: JSON: {why}")
        shown = []
    return got.returncode, got.stderr, [json.dumps(row) for row in shown]


def one(kind, want):
    b = bytearray(whole)
    kind(b)
    COPY.write_bytes(b)
    what = f"{kind.__name__} at {next((i for i, (x, y) in enumerate(zip(b, whole)) if x != y), len(b))}"
    code, says, rows = show(COPY)
    ends[code] += 1
    if code not in (0, 2, 3):
        faults.append(f"{what}: exit code {code}: {says}")
    altered = [row for row in rows if row not in want]
    if altered:
        faults.append(f"{what}: exit code {code}, and {len(altered)} altered rows: {altered[0]:.300}")
    if code == 0 and len(rows) != len(want):
        faults.append(f"{what}: exit code 0, and {len(rows)} of {len(want)} rows")
    if code and not says:
        faults.append(f"{what}: exit code {code}, and nothing is said")
    checked = run("check", COPY).returncode
    if (code == 0) != (checked == 0):
        faults.append(f"{what}: show ends with {code}, check with {checked}")
    merged = Path("merged.db")
    merged.unlink(missing_ok=True)
    if run("merge", merged, COPY).returncode in (0, 3) and merged.exists():
        altered = [row for row in show(merged)[2] if row not in want]
        if altered:
            faults.append(f"{what}: merged, {len(altered)} rows are altered")


def main():
    COPY.write_bytes(whole)
    code, _, rows = show(COPY)
    if code or not rows:
        sys.exit("the store itself cannot be shown")
    want = set(rows)
    for i in range(int(n_stores)):
        one(KINDS[i % len(KINDS)], want)
    print(f"{n_stores} damaged stores: exit codes {dict(sorted(ends.items()))}")
    print(*faults[:20], sep="\n")
    sys.exit(bool(faults) or not ends[3])


main()
