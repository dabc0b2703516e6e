"""Checks of the outputs that property.py gathered.  Each check appends a
sentence to `faults` for what does not."""
import csv
import io
import json
import math
import re

from property_cases import ADDITIVE

PERCENTILES = ("mean", "median", "std", "p90", "p95", "p99")
UNITS = {"1/s", "tok/s", "s", "ms", "us", "h"}
LATENCIES = ("ttft", "tpot", "itl", "e2el", "queueing")


class Faults(list):
    def expect(self, holds, what, *details):
        if not holds:
            self.append("%s: %s" % (what, ", ".join(map(str, details))) if details else what)


def no_constant(name):
    raise ValueError("JSON with " + name)


def document(text):
    return json.loads(text, parse_constant=no_constant)


def table(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    if any(None in r or None in r.values() for r in rows):
        raise ValueError("CSV with more or fewer cells than columns")
    return rows


def near(a, b, relative=1e-9):
    return math.isclose(float(a), float(b), rel_tol=relative, abs_tol=1e-9)


def of_arm(rows, name):
    return [r for r in rows if r["arm"] == name]


def steps_for_eval(text, name):
    """Steps of a run as `eval` reads them, counted (each replica counts its own);
    or "" if there are none."""
    rows = of_arm(table(text), name)[:200]
    return "step,decode,prefill,sampled\n" + "".join("%d,%s,%s,%s\n" % (
        i, r["decode"], r["prefill"], r["sampled"]) for i, r in enumerate(rows)) if rows else ""


def trace_of(text, name):
    """Requests of a run as a trace, or "" if one has no arrival."""
    rows = of_arm(table(text), name)
    if not rows or any(int(r["arrival_ns"]) < 0 for r in rows):
        return ""
    return "arrival_us,input_tokens,output_tokens,priority\n" + "".join("%d.%03d,%s,%s,%s\n" % (
        *divmod(int(r["arrival_ns"]), 1000), r["input_tokens"], r["output_tokens"], r["priority"]) for r in rows)


# ---- one arm -------------------------------------------------------------------------------

def request_clock(faults, r, behind):
    """behind: clients get tokens later than they are made."""
    at = [int(r[k]) for k in ("arrival_ns", "scheduled_ns", "first_token_ns", "last_token_ns")]
    who = "%s, request %s" % (r["arm"], r["request"])
    faults.expect(at[0] <= at[1] <= at[2] <= at[3], who + ": the clock goes back", at)
    for key, made in ("ttft_ms", at[2]), ("e2el_ms", at[3]):
        took = (made - at[0]) / 1e6
        faults.expect(float(r[key]) > took if behind else near(r[key], took), who + ": " + key, r[key], took)
    stays = [[int(x) for x in s.partition(":")[2].split("-")] for s in r["stays"].split(";")]
    within = [at[0], *(t for s in stays for t in s)]
    faults.expect(within == sorted(within) and within[-1] == at[3], who + ": stays", r["stays"], at)
    faults.expect(r["generated_tokens"] == r["output_tokens"], who + ": completed in part")
    if int(r["output_tokens"]) > 1 and not behind:
        tpot = (at[3] - at[2]) / 1e6 / (int(r["output_tokens"]) - 1)
        faults.expect(abs(float(r["tpot_ms"]) - tpot) <= 1e-6, who + ": tpot_ms", r["tpot_ms"], tpot)


def requests_of(faults, c, arm, rows):
    name = arm["name"]
    done = [r for r in rows if r["status"] == "completed"]
    counts = {s: sum(r["status"] == s for r in rows) for s in ("completed", "rejected", "unfinished", "failed")}
    faults.expect(all(arm.get(s, 0) == n for s, n in counts.items()) and sum(counts.values()) == len(rows),
                  name + ": its requests are not those of the file", counts)
    faults.expect(c.n is None or len(rows) == c.n, name + ": requests were lost", len(rows), c.n)
    faults.expect(sorted(int(r["request"]) for r in rows) == list(range(len(rows))), name + ": requests twice")
    for r in done:
        request_clock(faults, r, c.answers_late())
    faults.expect(arm["total_input_tokens"] == sum(int(r["input_tokens"]) for r in done), name + ": input tokens")
    faults.expect(arm["total_output_tokens"] == sum(int(r["output_tokens"]) for r in done), name + ": output tokens")
    if done:
        for metric in ("ttft", "e2el"):
            mean = sum(float(r[metric + "_ms"]) for r in done) / len(done)
            faults.expect(near(arm["mean_%s_ms" % metric], mean), "%s: mean_%s_ms" % (name, metric), mean)
        faults.expect(near(arm["request_throughput"] * arm["duration"], len(done)), name + ": request_throughput")
        faults.expect(near(arm["output_throughput"] * arm["duration"], arm["total_output_tokens"]),
                      name + ": output_throughput")


def quantiles(faults, arm):
    for latency in LATENCIES:
        v = [arm["%s_%s_ms" % (p, latency)] for p in PERCENTILES]
        faults.expect(len({x is None for x in v}) == 1, "%s: some of %s" % (arm["name"], latency), v)
        if v[0] is not None:
            faults.expect(all(x >= 0 for x in v) and v[1] <= v[3] <= v[4] <= v[5],
                          "%s: quantiles of %s" % (arm["name"], latency), v)


def steps_of(faults, c, arm, plugin, rows):
    name, last = arm["name"], {}
    faults.expect(arm["num_steps"] == len(rows), name + ": its steps are not those of the file", len(rows))
    faults.expect(arm["scheduled_sequences"] == sum(len(r["scheduled"].split(";")) for r in rows if r["scheduled"]),
                  name + ": scheduled_sequences")
    for r in rows:
        who, at = "%s, step %s" % (name, r["step"]), (r["replica"], r.get("rank"))
        schedule, start, end = (int(r[k]) for k in ("schedule_ns", "start_ns", "end_ns"))
        faults.expect(0 <= schedule <= start <= end, who + ": the clock goes back")
        faults.expect(schedule >= last.get(at, 0), who + ": scheduled before the step before it")
        last[at] = schedule
        parts = [float(r[k] or 0) for k in ("prefill_gemm_us", "prefill_attention_us", "decode_gemm_us",
                                            "decode_attention_us", "comm_us", "overhead_us")]
        faults.expect(float(r["exact_us"]) > 0 and min(parts) >= 0, who + ": not a time")
        if plugin in ADDITIVE and "num_speculative_tokens" not in c.engine:
            faults.expect(near(sum(parts), r["exact_us"], 1e-6), who + ": its parts do not sum to it",
                          sum(parts), r["exact_us"])
    if rows:
        mean = sum(float(r["exact_us"]) for r in rows) / len(rows)
        faults.expect(near(arm["mean_step_us"], mean, 1e-3), name + ": mean_step_us", arm["mean_step_us"], mean)


def energy(faults, c, arm):
    """Of a token and of a request it is the same energy; no GPU draws more than its limit."""
    token, request, watts = (arm.get(k) for k in ("energy_per_token_j", "energy_per_request_j", "gpu_power_w"))
    if token is None or request is None:
        return
    faults.expect(near(token * arm["total_output_tokens"], request * arm["completed"]), arm["name"] + ": energy",
                  token, request)
    faults.expect(c.power_limit is None or 0 <= watts <= c.power_limit * 1.000001, arm["name"] + ": gpu_power_w", watts)


def coverage(faults, arm):
    got = arm["coverage"]
    shares = [v for v in got.values() if isinstance(v, (int, float))]
    faults.expect(not arm["num_steps"] or near(sum(shares), 1, 1e-6), arm["name"] + ": coverage", shares)


def one_run(faults, c, w):
    d = document(w["json"])
    requests, steps = table(w["json.requests"]), table(w["json.steps"])
    plugin = {name: p for name, p, _ in c.arms}
    faults.expect([a["name"] for a in d["arms"]] == [name for name, _, _ in c.arms], "the arms")
    for arm in d["arms"]:
        faults.expect("error" not in arm, arm["name"] + ": failed", arm.get("error"))
        if "error" not in arm:
            requests_of(faults, c, arm, of_arm(requests, arm["name"]))
            quantiles(faults, arm)
            steps_of(faults, c, arm, plugin[arm["name"]], of_arm(steps, arm["name"]))
            coverage(faults, arm)
            energy(faults, c, arm)
    nothing = any(a.get("completed") == 0 for a in d["arms"])
    faults.expect(w["json.code"] == (1 if nothing else 0), "exit code", w["json.code"])
    arrivals = [[(r["request"], r["input_tokens"], r["output_tokens"]) for r in of_arm(requests, name)] for name in plugin]
    faults.expect(all(sorted(a) == sorted(arrivals[0]) for a in arrivals), "arms have other requests")
    return d


# ---- the same by other ways -----------------------------------------------------------------

def as_cell(value):
    return "" if value is None else str(value)


def same_figures(faults, what, arm, row):
    """Of an arm in JSON and in a row of CSV."""
    for key, cell in row.items():
        value = arm.get(key)
        if key in ("arm", "error", "support") or key not in arm or isinstance(value, (dict, list)):
            continue
        same = float(cell) == float(value) if isinstance(value, (int, float)) and cell else cell == as_cell(value)
        faults.expect(same, "%s: %s of %s" % (what, key, arm["name"]), cell, value)


def by_name(d):
    return {a["name"]: a for a in d["arms"]}


def text_rows(text, names):
    """The tables of `compare --all` in text that have a row for each figure: the name
    of the figure, and the cell of each column.  A head has the arms, and the columns
    between them; behind a difference is its change in percent, unless a figure is 0."""
    heads = []
    for line in text.splitlines():
        line = re.sub(r"[-+][\d.]+ %", "percent", re.sub(r"\[.*?\]", "", line))
        cells = [x for x in line.split() if x not in UNITS]
        columns = cells[1:] if line.startswith("metric ") else cells[2:] if line.startswith("all metrics ") else []
        if set(columns) & names and set(columns) <= names | {"difference", "change"}:
            heads = [columns, [x for c in columns for x in ([c, "change"] if c == "difference" else [c])]]
            continue
        heads = heads if cells else []
        for head in [h for h in heads if len(cells) == 1 + len(h) and not line.startswith(" ")][:1]:
            yield cells[0], list(zip(head, (x.rstrip("~!*") for x in cells[1:])))


def text_figures(faults, d, text):
    arms, seen = by_name(d), 0
    for key, row in text_rows(text, set(arms)):
        for column, cell in row:
            value = arms.get(column, {}).get(key)
            if isinstance(value, (int, float)) and cell != "-":
                digits = len(cell.partition(".")[2])
                faults.expect(abs(float(cell) - value) <= 0.500001 * 10.0 ** -digits,
                              "text: %s of %s" % (key, column), cell, value)
                seen += 1
    faults.expect(seen >= 5 * len(arms), "text: few figures", seen)


def formats(faults, w, d):
    arms = by_name(d)
    rows = table(w["csv"])
    faults.expect([r["arm"] for r in rows] == list(arms), "CSV: the arms")
    for row in rows:
        same_figures(faults, "CSV", arms[row["arm"]], row)
    text_figures(faults, d, w["text"])
    faults.expect(w["csv.code"] == w["text.code"] == w["json.code"], "exit codes of formats")


def twins(faults, w):
    d = document(w["twins"])
    one, two = d["arms"]
    for key in one:
        faults.expect(key == "name" or one[key] == two[key], "arms that are alike differ in " + key)
    for way in d["attribution"]:
        faults.expect(set(numbers(way.get("latencies", {}), "difference")) <= {0}, "--why tells of a difference")
    for key, row in text_rows(w["twins.text"], {"one", "two"}):
        faults.expect(re.fullmatch(r"=|-|\+0(\.0+)?", row[-1][1]), "text of arms that are alike: " + key, *row)


def numbers(tree, part):
    """Values of all members of a document that have `part` in their name."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        if isinstance(value, (dict, list)):
            yield from numbers(value, part)
        elif part in str(key) and isinstance(value, (int, float)):
            yield value


def store(faults, w, d):
    arms = by_name(d)
    faults.expect(w["swept.code"] == 0, "sweep: exit code", w["swept.code"], w["swept.errors"][:200])
    rows = table(w["store"])
    faults.expect(sorted(r["arm"] for r in rows) == sorted(arms), "sweep: its arms")
    for row in rows:
        same_figures(faults, "sweep", arms[row["arm"]], row)


def priced_alone(faults, w):
    prices = table(w["eval"])
    steps = of_arm(table(w["json.steps"]), prices[0]["arm"])
    for r, recorded in zip(prices, steps):
        faults.expect(recorded["exact_us"] == r["exact_us"], "eval: step %s of %s" % (r["step"], r["arm"]),
                      r["exact_us"], recorded["exact_us"])
    faults.expect(len(prices) == min(200, len(steps)), "eval: steps were lost", len(prices))


def replayed(faults, w):
    def times(text, name):
        return sorted((int(r["request"]), r["status"], r["e2el_ms"]) for r in of_arm(table(text), name))
    name = table(w["replay"])[0]["arm"]
    faults.expect(times(w["json.requests"], name) == times(w["replay.requests"], name), "replay: other times")


def files(faults, w):
    """Sessions, replicas, decisions, copies and the timeline of one arm."""
    faults.expect(w["files.code"] in (0, 1), "files: exit code", w["files.code"], w["files.errors"][:200])
    document(w["files.perfetto"])
    told = {name: table(w.get("files." + name, "")) for name in ("sessions", "replicas", "scaling", "transfers")}
    requests = table(w["json.requests"])
    mine = [r for r in requests if r["arm"] == requests[0]["arm"]] if requests else []
    for s in told["sessions"]:
        own = [r for r in mine if r["session"] == s["session"]]
        who = "session " + s["session"]
        faults.expect(int(s["requests"]) == len(own), who + ": its requests", s["requests"], len(own))
        faults.expect(int(s["completed"]) == sum(r["status"] == "completed" for r in own), who + ": completed")
        faults.expect(near(s["makespan_ms"], (int(s["end_ns"]) - int(s["begin_ns"])) / 1e6), who + ": makespan_ms")
        faults.expect(0 <= float(s["critical_ttft_share"] or 0) <= 1, who + ": critical_ttft_share")
    for r in told["replicas"]:
        times = [float(r[k]) for k in ("requested_s", "ready_s", "drain_s", "gone_s") if r[k]]
        faults.expect(times == sorted(times), "replica %s: the clock goes back" % r["replica"], times)
    for t in told["transfers"]:
        times = [int(t[k]) for k in ("decided_ns", "start_ns", "end_ns", "seen_ns") if t[k]]
        faults.expect(times == sorted(times), "copy of request %s: the clock goes back" % t["request"], times)


def again(faults, w, name, others):
    """The same bytes and the same exit code from calls that must not differ."""
    document(w[name])
    for other in others:
        faults.expect(w[name] == w[other] and w[name + ".code"] == w[other + ".code"], other + ": writes other bytes",
                      w[other + ".code"], w[other + ".errors"][:200])


def recommended(faults, w):
    again(faults, w, "recommended", ["recommended.again"])
    for arm in document(w["recommended"])["arms"]:
        faults.expect(arm["winner"] or not arm["out"] or "nearest" in arm, "recommend: nothing is nearest", arm["name"])


def refused(faults, w):
    """A code that says why, a line of the program, and the same from `run`."""
    faults.expect(w["json.code"] in (2, 3, 4), "exit code", w["json.code"], w["json.errors"][:200])
    faults.expect(w["refused.code"] in (0, 1, 2, 3, 4), "exit code of run", w["refused.code"])
    faults.expect("unknown key" not in w["json.errors"], "the test gives a key that is not there", w["json.errors"][:200])
    lines = w["json.errors"].splitlines()
    faults.expect(lines and all(x.startswith("stepcost: ") for x in lines), "no line of the program", lines[:3])
    if w["json"]:
        document(w["json"])


def all_faults(c, w):
    faults = Faults()
    if "refused" in w:
        refused(faults, w)
        return faults
    d = one_run(faults, c, w)
    if "jobs" in w:
        for part in ("", ".requests", ".steps", ".code"):
            faults.expect(w["json" + part] == w["jobs" + part], "--jobs 2 writes other bytes" + part)
    if "csv" in w:
        formats(faults, w, d)
    if "run" in w:
        for row in table(w["run"]):
            same_figures(faults, "run", by_name(d)[row["arm"]], row)
    if "twins" in w:
        twins(faults, w)
    if "store" in w:
        store(faults, w, d)
    if "eval" in w:
        priced_alone(faults, w)
    if "replay" in w:
        replayed(faults, w)
    if "files" in w:
        files(faults, w)
    if "recommended.again" in w:
        recommended(faults, w)
    if "capacity.again" in w:
        again(faults, w, "capacity", ["capacity.again"])
    return faults
