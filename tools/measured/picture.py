#!/usr/bin/env python3
"""Draws measured against predicted times of published runs, a dot for each run.

picture.py FOLDER      writes FOLDER/measured-light.svg and FOLDER/measured-dark.svg
picture.py --check FOLDER
                       prints each number of these files that differs from today's
                       by more than rounding; exit code 1 if one does

Every cost model has a colour.  A dot on the diagonal is a perfect prediction; the
band around it holds errors of up to 20 %.  The runs are those of scores.py: none
is overloaded, and smooth_roofline was fitted without all runs of the model that
it predicts.

Reads bench_data/accuracy, which tools/accuracy.sh makes.
"""
import math
import os
import re
import statistics
import sys

import scores

SIDE, GAP, LEFT, TOP = 340, 90, 66, 40
WIDTH = LEFT + 2 * SIDE + GAP + 14
BAND = 1.2
# The colours of Okabe and Ito, which readers who do not tell red from green can
# tell apart.  The model with the most runs is drawn first, so others lie on top.
COLOURS = {"operators": "#56b4e9", "smooth_roofline": "#d55e00", "latency_interp": "#009e73",
           "mfu_interp": "#cc79a7", "roofline_v2": "#e69f00", "roofline_v1": "#999999"}
PAPER = {"light": {"text": "#24292f", "line": "#d0d7de", "band": "#dfe5ec", "back": "#ffffff"},
         "dark": {"text": "#c9d1d9", "line": "#444c56", "band": "#2d333b", "back": "#0d1117"}}


def ends(values):
    """Returns the powers of ten, or two or five times such, that enclose the values."""
    def step(value, above):
        power = 10.0 ** math.floor(math.log10(value))
        steps = [power * k for k in (1, 2, 5, 10)]
        return next(s for s in steps if s >= value) if above else max(s for s in steps if s <= value)
    return step(min(values), False), step(max(values), True)


def ticks(low, high):
    """Returns the powers of ten from low to high; with under two of them, twos and fives too."""
    powers = [10.0 ** k for k in range(-3, 9)]
    few = [p for p in powers if low <= p <= high]
    return few if len(few) > 2 else [p * k for p in powers for k in (1, 2, 5) if low <= p * k <= high]


def panel(left, name, pairs, paper):
    """Returns the lines of a panel.  pairs: {plugin: [(measured, predicted)]}."""
    every = [v for of in pairs.values() for pair in of for v in pair]
    low, high = ends(every)
    scale = SIDE / math.log10(high / low)
    bottom = TOP + SIDE

    def x(v):
        return left + scale * math.log10(v / low)

    def y(v):
        return bottom - scale * math.log10(v / low)

    up = scale * math.log10(BAND)
    out = ['<path fill="%s" d="M%.1f %.1fL%.1f %.1fH%.1fV%.1fL%.1f %.1fH%.1fZ"/>' % (
        paper["band"], left, bottom - up, left + SIDE - up, TOP, left + SIDE, TOP + up, left + up, bottom, left)]
    for v in ticks(low, high):
        out.append('<path stroke="%s" d="M%.1f %dV%dM%d %.1fH%d"/>' % (
            paper["line"], x(v), TOP, bottom, left, y(v), left + SIDE))
        word = "%g" % v if v < 1e4 else "%gk" % (v / 1e3)
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (x(v), bottom + 16, word))
        out.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (left - 6, y(v) + 4, word))
    out.append('<path stroke="%s" d="M%d %dL%d %d"/>' % (paper["text"], left, bottom, left + SIDE, TOP))
    for plugin in COLOURS:
        dots = "".join("M%.1f %.1fh0" % (x(m), y(p)) for m, p in sorted(pairs.get(plugin, [])))
        out.append('<path stroke="%s" stroke-width="4" stroke-linecap="round" stroke-opacity="0.75" d="%s"/>'
                   % (COLOURS[plugin], dots))
    out.append('<text x="%.1f" y="%d" text-anchor="middle" font-weight="bold">%s</text>' % (
        left + SIDE / 2, TOP - 14, name))
    out.append('<text x="%.1f" y="%d" text-anchor="middle">measured, ms</text>' % (left + SIDE / 2, bottom + 34))
    out.append('<text transform="translate(%d %d) rotate(-90)" text-anchor="middle">predicted, ms</text>' % (
        left - 48, TOP + SIDE / 2))
    return out


def legend(pairs, paper):
    """Returns the lines of a legend below the panels, three cost models a row."""
    out = []
    for i, plugin in enumerate(p for p in COLOURS if pairs["mean_tpot_ms"].get(p)):
        left, top = LEFT + (i % 3) * 265, TOP + SIDE + 64 + 20 * (i // 3)
        of = pairs["mean_tpot_ms"][plugin]
        middle = 100 * statistics.median(abs(p / m - 1) for m, p in of)
        out.append('<circle cx="%d" cy="%d" r="5" fill="%s"/>' % (left, top - 4, COLOURS[plugin]))
        out.append('<text x="%d" y="%d">%s: %d runs, TPOT %.1f %%</text>' % (left + 10, top, plugin, len(of), middle))
    out.append('<text x="%d" y="%d" fill-opacity="0.8">Percent: median error of the time per output token. '
               'Band: errors of up to 20 %%.</text>' % (LEFT - 5, TOP + SIDE + 108))
    return out


def picture(paper):
    runs = scores.read().values()
    pairs = {metric: {} for metric in scores.METRICS}
    for run in runs:
        for key in run:
            if key != "is":
                pairs[key[1]].setdefault(key[0], []).append(run[key])
    height = TOP + SIDE + 122
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" '
           'fill="none" role="img">' % (WIDTH, height),
           "<title>Measured against predicted times of published serving runs, by cost model</title>",
           '<path fill="%s" d="M0 0H%dV%dH0Z"/>' % (paper["back"], WIDTH, height), '<g fill="%s">' % paper["text"]]
    names = {"mean_tpot_ms": "Time per output token (TPOT)", "mean_ttft_ms": "Time to first token (TTFT)"}
    for i, metric in enumerate(names):
        out += panel(LEFT + i * (SIDE + GAP), names[metric], pairs[metric], paper)
    return "\n".join(out + legend(pairs, paper) + ["</g>", "</svg>", ""])


NUMBER = re.compile(r"-?\d+\.?\d*")


def differences(shown, today):
    """Returns pairs of numbers that differ by more than rounding, or of texts that differ."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", today):
        return [("the shown picture", "another than today's")]
    both = zip(NUMBER.findall(shown), NUMBER.findall(today))
    return [pair for pair in both if abs(float(pair[0]) - float(pair[1])) > 0.11]


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check:
        sys.exit(__doc__)
    found = 0
    for name, paper in PAPER.items():
        path = os.path.join(arguments[-1], "measured-%s.svg" % name)
        if check:
            with open(path, encoding="utf-8") as file:
                for shown, today in differences(file.read(), picture(paper)):
                    print("%s: %s, now %s" % (path, shown, today))
                    found = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(picture(paper))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
