#!/usr/bin/env python3
"""Draws the diagrams of the pages.

diagram.py step STEPS.csv < PRICES.csv
        the requests in the first step of STEPS.csv, and the parts of its time; PRICES.csv
        is what `stepcost eval CONFIG --arms ARM --steps STEPS.csv` prints
diagram.py host
        engine, cost model and tables, and what they ask of each other

Writes SVG to standard output; a reader's setting chooses light or dark.
"""
import csv
import re
import sys
from html import escape

WIDTH = 720
STYLE = """text{fill:var(--ink)}.m{text-anchor:middle}.e{text-anchor:end}.b{font-weight:bold}.s{font-size:12px}
:root{--paper:#fff;--ink:#222;--box:#eef3f8;--line:#6b7a89;--old:#b9c6d2;--new:#0072b2;--a:#0072b2;--b:#56b4e9;
--c:#d55e00;--d:#e69f00;--f:#8a8a8a}
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#ddd;--box:#1c2630;--line:#8b98a5;--old:#4a5866;
--new:#5ab4f0;--a:#2f83c0;--b:#3a7ea8;--c:#c0601c;--d:#a87a10;--f:#6b6b6b}}"""


def text(x, y, what, kind=""):
    return '<text x="%.1f" y="%.1f" class="%s">%s</text>' % (x, y, kind, escape(what))


def bar(x, y, width, height, colour):
    return '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="var(--%s)"/>' % (x, y, width, height, colour)


def svg(title, height, parts):
    return "\n".join(
        ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" '
         'role="img">' % (WIDTH, height), "<title>%s</title>" % escape(title), "<style>%s</style>" % STYLE,
         '<rect width="%d" height="%d" fill="var(--paper)"/>' % (WIDTH, height)] + parts + ["</svg>"])


# ---- a step ----

LEFT, RIGHT, ROW = 150, 130, 26
# The columns of `eval`, the words for them, and their colours.
TIMES = (("prefill_gemm_us", "GEMM (prefill)", "a"), ("prefill_attention_us", "attention (prefill)", "b"),
         ("decode_gemm_us", "GEMM (decode)", "c"), ("decode_attention_us", "attention (decode)", "d"),
         ("comm_us", "communication", "b"), ("overhead_us", "small kernels, host", "f"))


def requests(row):
    """Returns [(cached, new)] for each request: decodes first, as the engine orders them."""
    decodes = [(int(length), 1) for length in row["decode"].split(";") if length]
    chunks = [tuple(map(int, re.split("[:+]", chunk))) for chunk in row["prefill"].split(";") if chunk]
    return decodes + chunks


def who(rows, top):
    """Returns the bars of the requests of a step."""
    most = max(cached + new for cached, new in rows)
    scale = (WIDTH - LEFT - RIGHT) / most
    parts = []
    for i, (cached, new) in enumerate(rows):
        y = top + i * ROW
        width = max(new * scale, 4)
        parts += [text(LEFT - 10, y + 13, "request %d, %s" % (i + 1, "decode" if new == 1 else "prefill"), "e"),
                  bar(LEFT, y, cached * scale, 16, "old"), bar(LEFT + cached * scale, y, width, 16, "new"),
                  text(LEFT + cached * scale + width + 8, y + 13,
                       "%d new token%s" % (new, "" if new == 1 else "s"), "s")]
    return parts


def legend(x, y, colour, what):
    return [bar(x, y - 11, 12, 12, colour), text(x + 18, y, what, "s")]


def times(price, top):
    """Returns the stacked bar of a step's time, and its legend, three parts a row."""
    total = float(price["total_us"])
    scale = (WIDTH - 40) / total
    parts, x = [], 20
    shown = [(name, colour, float(price[key])) for key, name, colour in TIMES if price.get(key) and float(price[key])]
    for name, colour, us in shown:
        parts.append(bar(x, top, us * scale, 24, colour))
        x += us * scale
    for i, (name, colour, us) in enumerate(shown):
        parts += legend(20 + 230 * (i % 3), top + 46 + 20 * (i // 3), colour, "%s %.2f ms" % (name, us / 1e3))
    return parts


def step(path):
    with open(path, encoding="utf-8") as file:
        rows = requests(next(csv.DictReader(file)))
    price = next(csv.DictReader(sys.stdin))
    new = sum(n for _, n in rows)
    below = 62 + len(rows) * ROW + 34
    title = "A step: %d requests, %d new tokens, %.2f ms under %s" % (
        len(rows), new, float(price["total_us"]) / 1e3, price["arm"])
    return svg(title, below + 92, [
        text(20, 24, "One step: %d requests, %d new tokens" % (len(rows), new), "b")] +
        legend(LEFT, 46, "old", "tokens in the KV cache") + legend(LEFT + 190, 46, "new", "tokens that this step computes") +
        who(rows, 62) +
        [text(20, below - 10, "Its time, as %s prices it: %.2f ms" % (
            price["arm"], float(price["total_us"]) / 1e3), "b")] + times(price, below))


# ---- engine, cost model and tables ----

def box(x, y, width, lines):
    height = 20 + 18 * len(lines)
    return ['<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="var(--box)" stroke="var(--line)"/>' % (
        x, y, width, height)] + [text(x + width / 2, y + 22 + 18 * i, line, "m b" if i == 0 else "m s")
                                 for i, line in enumerate(lines)]


def arrow(points, label, x, y, kind="m s"):
    return ['<path d="M%s" fill="none" stroke="var(--line)" stroke-width="1.5" marker-end="url(#tip)"/>' %
            "L".join("%d %d" % p for p in points)] + [text(x, y, line, kind) for line, y in
                                                      zip(label, range(y, y + 16 * len(label), 16))]


def host():
    tip = ('<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
           'orient="auto"><path d="M0 0L8 4L0 8Z" fill="var(--line)"/></marker></defs>')
    return svg("Engine, cost model and tables", 330, [tip] +
               box(20, 20, 190, ["INI file", "model, GPU, engine, arms"]) +
               box(20, 130, 190, ["Requests", "generated, or a trace;", "the same for every arm"]) +
               box(270, 60, 180, ["Engine", "scheduler, KV cache, clock;", "one process for each arm",
                                  "(src/sim)"]) +
               box(530, 60, 170, ["Cost model", "a plugin, loaded as .so", "(plugins/NAME)"]) +
               box(530, 210, 170, ["Tables", "measured kernels", "(bench_data/SET)"]) +
               box(240, 240, 240, ["Results", "TTFT, TPOT, capacity; support;", "why two arms differ (src/report)"]) +
               arrow([(210, 48), (240, 48), (240, 90), (270, 90)], [], 0, 0) +
               arrow([(210, 168), (240, 168), (240, 130), (270, 130)], [], 0, 0) +
               arrow([(450, 84), (530, 84)], ["step"], 490, 78) +
               arrow([(530, 120), (450, 120)], ["time, parts,", "lookups"], 490, 136) +
               arrow([(615, 210), (615, 134)], ["points"], 622, 178, "s") +
               arrow([(360, 152), (360, 240)], ["each request, each step"], 352, 200, "e s"))


def main(arguments):
    if arguments == ["host"]:
        print(host())
    elif len(arguments) == 2 and arguments[0] == "step":
        print(step(arguments[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
