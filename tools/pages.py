r"""Runs the commands that pages show, and compares their output with the page.

pages.py PAGE...            prints each line that differs; exit code 1 if any does
pages.py --write PAGE...    writes today's output into the pages
pages.py --in FOLDER PAGE...   runs them in that folder, with the environment as it is

A block ``` that begins with "$ " holds commands, each followed by its output.  A
line "..." replaces lines that are left out.  A command without output must exit
with code 0.  Standard error is not shown.  `stepcost` is the one on the PATH.  A
command continues after a line that ends in \, and to the end of <<'EOF'.
A block that names $TRACES, a folder of traces that are not shipped, runs only if
$TRACES is set; otherwise a message says that it did not run.
The commands of a page run in order in a folder of their own.  There, etc, plugins,
bench_data and tools are those of $STEPCOST_DATA_PATH; t, with the test programs,
is the one of the folder that pages.py was called in.
If the commands write a file NAME, and the page shows pictures/NAME, both must be equal.
"""
import contextlib
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

DATA = os.path.abspath(os.environ.get("STEPCOST_DATA_PATH", "."))
WITHIN = dict(os.environ, STEPCOST_DATA_PATH=".", top_srcdir=".")


def commands(block):
    """Returns [(command, lines shown)] for the lines of a block."""
    found, end = [], None
    for line in block:
        if end is not None:
            found[-1][0].append(line)
            end = None if line == end else end
        elif line.startswith("$ "):
            found.append([[line], []])
            document = re.search("<<'([A-Z]+)'", line)
            end = document and document.group(1)
        elif found[-1][0][-1].endswith("\\") and not found[-1][1]:
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return found


def run(lines, folder, env):
    text = "\n".join(lines)[2:]
    done = subprocess.run(["sh", "-c", text], cwd=folder, text=True, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [line.rstrip() for line in done.stdout.splitlines()], done.returncode


def pieces(shown):
    """Splits the shown lines at "...", where lines are left out."""
    runs, now = [], []
    for line in shown:
        if line == "...":
            runs.append(now)
            now = []
        else:
            now.append(line.rstrip())
    return runs + [now]


def find(piece, got, start, like):
    """Returns where in `got`, from start on, a piece begins; None: it is not there."""
    for i in range(start, len(got) - len(piece) + 1):
        if all(like(a, b) for a, b in zip(piece, got[i:])):
            return i
    return None


def differences(shown, got):
    at, runs = 0, pieces(shown)
    for k, piece in enumerate(runs):
        first = 0 if k == 0 else at
        where = find(piece, got, first, str.__eq__)
        if where is None or (k == 0 and where != 0):
            return ["shown: " + line for line in piece] + \
                   ["is:    " + line for line in got[first:first + len(piece)]]
        at = where + len(piece)
    if at != len(got) and runs[-1]:
        return ["not shown: " + line for line in got[at:]]
    return []


def form(line):
    """Returns a line with each number replaced by 0."""
    return re.sub(r"\s+", " ", re.sub(r"[-+±]?[0-9][0-9.e]*", "0", line)).strip()


def of_today(shown, got):
    """Returns the same pieces of the output, or the whole output if a piece is not
    found."""
    at, new, runs = 0, [], pieces(shown)
    for k, piece in enumerate(runs):
        if k:
            new.append("...")
        if not piece:
            continue
        first = 0 if k == 0 else find(piece[:1], got, at, lambda a, b: form(a) == form(b))
        last = None if first is None else \
            find(piece[-1:], got, first + len(piece) - 1, lambda a, b: form(a) == form(b))
        if k + 1 == len(runs):
            last = len(got) - 1
        if first is None or last is None:
            return got
        new += got[first:last + 1]
        at = last + 1
    return new


def blocks(lines):
    """Returns (index of the first line, index behind the last) of each block of
    commands."""
    start = None
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = i + 1
        else:
            if lines[start].startswith("$ "):
                yield start, i
            start = None


def pictures(path, lines, folder, write):
    """Compares the pictures that the page shows and its commands made; returns how many
    differ."""
    bad = 0
    for name in sorted(set(re.findall(r"\(pictures/([^/)]+)\)", "\n".join(lines)))):
        made = os.path.join(folder, name)
        shown = os.path.join(os.path.dirname(path), "pictures", name)
        if not os.path.exists(made) or os.path.exists(shown) and filecmp.cmp(made, shown, False):
            continue
        if write:
            shutil.copyfile(made, shown)
        else:
            print(f"{path}: pictures/{name} is not the one that its command makes")
            bad += 1
    return bad


@contextlib.contextmanager
def own_folder():
    """Yields a folder with the data of the tree, and its environment."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("etc", "bench_data", "plugins", "tools"):
            os.symlink(os.path.join(DATA, name), os.path.join(folder, name))
        os.symlink(os.path.abspath("t"), os.path.join(folder, "t"))
        yield folder, WITHIN


def page(path, write, place):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    bad, new, done = 0, [], 0
    with place as (folder, env):
        for start, end in blocks(lines):
            if "TRACES" not in os.environ and any("$TRACES" in line for line in lines[start:end]):
                print(f"{path}:{start + 1}: not run: TRACES is not set", file=sys.stderr)
                continue
            new += lines[done:start]
            for command, shown in commands(lines[start:end]):
                got, code = run(command, folder, env)
                wrong = differences(shown, got)
                if code and all(line == "..." for line in shown):
                    wrong = ["exit code %d" % code]
                bad += bool(wrong) and not write
                if wrong and not write:
                    print(f"{path}: {command[0]}", *wrong, sep="\n")
                new += command + (of_today(shown, got) if wrong else shown)
            done = end
        bad += pictures(path, lines, folder, write)
    if write:
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(new + lines[done:]))
    return bad


def main(arguments):
    write = arguments[:1] == ["--write"]
    if arguments[:1] == ["--in"]:
        given = os.path.abspath(arguments[1]), os.environ
        return any([page(path, False, contextlib.nullcontext(given)) for path in arguments[2:]])
    return any([page(path, write, own_folder()) for path in arguments[write:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
