"""Faults that property.py plants in a copy of what the program wrote, each as a
mistake of the program would show: a request lost, a figure that is a little off."""
import csv
import io
import json


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], rows[1:]


def text_of(head, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def changed(value):
    """A figure as a string, one more or a millionth more."""
    return str(int(value) + 1) if value.lstrip("-").isdigit() else repr(float(value) * 1.000001 + 1e-6)


def cell(file, column):
    """Changes one cell of a CSV, in any row where it has a figure."""
    def plant(rng, w):
        head, rows = table(w[file])
        at = head.index(column)
        rows = [list(r) for r in rows]
        row = rng.choice([r for r in rows if r[at]])
        row[at] = changed(row[at])
        w[file] = text_of(head, rows)
    return plant


def lost_row(file):
    def plant(rng, w):
        head, rows = table(w[file])
        del rows[rng.randrange(len(rows))]
        w[file] = text_of(head, rows)
    return plant


def figure(file, key):
    """Changes a figure of an arm in a JSON document."""
    def plant(rng, w):
        d = json.loads(w[file])
        arm = rng.choice(d["arms"])
        arm[key] = type(arm[key])(float(changed(str(arm[key]))))
        w[file] = json.dumps(d)
    return plant


def not_a_number(file):
    def plant(rng, w):
        d = json.loads(w[file])
        rng.choice(d["arms"])["mean_step_us"] = float("nan")
        w[file] = json.dumps(d)
    return plant


def code(file):
    def plant(rng, w):
        w[file + ".code"] += 5
    return plant


PLANTED = {
    "a request lost": ("json.requests", lost_row("json.requests")),
    "a step lost": ("json.steps", lost_row("json.steps")),
    "completed one more": ("json", figure("json", "completed")),
    "output tokens one more": ("json", figure("json", "total_output_tokens")),
    "a throughput a little off": ("json", figure("json", "output_throughput")),
    "NaN": ("json", not_a_number("json")),
    "a time of a request": ("json.requests", cell("json.requests", "ttft_ms")),
    "a token after its time": ("json.requests", cell("json.requests", "last_token_ns")),
    "another exit code": ("json", code("json")),
    "other bytes of --jobs 2": ("jobs", lost_row("jobs.steps")),
    "a cell of CSV": ("csv", cell("csv", "mean_e2el_ms")),
    "a cell of run": ("run", cell("run", "p99_ttft_ms")),
    "arms that differ": ("twins", figure("twins", "duration")),
    "a cell of a store": ("store", cell("store", "duration")),
    "a price of eval": ("eval", cell("eval", "exact_us")),
    "a replayed time": ("replay", cell("replay.requests", "e2el_ms")),
    "a refusal by another code": ("refused", code("json")),
}


def plants(rng, written):
    """Yields each fault that is possible here: its name, and the outputs with it."""
    refused = "refused" in written
    for what, (needs, change) in sorted(PLANTED.items()):
        if needs not in written or refused != (needs == "refused"):
            continue
        w = dict(written)
        try:
            change(rng, w)
        except (IndexError, TypeError, ValueError):
            continue  # nothing of this kind, as no request was completed
        yield what, w
