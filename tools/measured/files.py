"""Functions that the programs of this folder share: they read files of bench_data
and run stepcost.

bench_data is in $STEPCOST_DATA_PATH, or in the current folder.  The program is
$STEPCOST, or the stepcost on PATH.
"""
import csv
import glob
import io
import os
import subprocess
import sys

BENCH_DATA = os.path.join(os.environ.get("STEPCOST_DATA_PATH", "."), "bench_data")
STEPCOST = os.environ.get("STEPCOST", "stepcost")
# Flags of measured runs at or near overload: their latencies depend on how long
# the publisher let the queue grow.
OVERLOADED = "SATURATED", "NEAR_KV_SATURATION", "BURST_"
# Of single kernels, of power, of tables, and of runs that give no support.
NOT_OF_TIMES = ("fitted_to", "measured_with", "kernels", "kernel-classes", "power", "operators-reported")


def rows_of(path):
    """Returns the lines of a CSV file as dictionaries."""
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def serving(name):
    """Returns the path of a file of measured serving runs; name: without `.csv`."""
    return os.path.join(BENCH_DATA, "serving", name + ".csv")


def served_runs(names=()):
    """Returns {id: the line of bench_data/serving, with its `file`} from the files
    `names`, or from all."""
    found = {}
    for path in sorted(glob.glob(serving("*"))):
        name = os.path.basename(path)[:-len(".csv")]
        if not names or name in names:
            found.update((row["id"], dict(row, file=name)) for row in rows_of(path) if "id" in row)
    return found


def is_overloaded(row):
    """Returns whether a run was overloaded.  row: a line of bench_data/serving, or of
    the CSV that `validate` writes."""
    return any(flag in row["flags"] for flag in OVERLOADED)


def scored(plugin, left_out="model"):
    """Returns the lines of bench_data/accuracy about runs that were not overloaded,
    each with the measured and the predicted figure.  plugin: a name, or `*`, which leaves out the
    files of other errors."""
    paths = sorted(path for path in glob.glob(os.path.join(BENCH_DATA, "accuracy", plugin + ".csv"))
                   if os.path.basename(path)[:-len(".csv")] not in set(NOT_OF_TIMES) - {plugin})
    if not paths:
        sys.exit("no bench_data/accuracy/%s.csv" % plugin)
    return [row for path in paths for row in rows_of(path)
            if row["left_out"] == left_out and row["saturated"] == "0"]


def stepcost(*arguments):
    """Returns the rows that a command writes as CSV.  Exit code 1 (the run says no)
    comes with rows as well; any other exit code ends this program."""
    command = [STEPCOST, *arguments, "--quiet", "--format", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit("%s: exit code %d\n%s" % (" ".join(command), done.returncode, done.stderr))
    return list(csv.DictReader(io.StringIO(done.stdout)))
