"""Asks whether pages say the same error of a cost model on a set.

    python3 tools/field_pages.py PAGE...

A figure is in the output of `stepcost arena` ("SET: n of N runs", and a line
for each model), or in a table that has the sets in its header.  Prints where pages
differ, and exits with 1 then, or if fewer than two pages have a figure.
"""
import collections
import re
import sys

HEAD = re.compile(r"^(\S+(?: (?:TTFT|TPOT|E2EL))?): \d+ of \d+ (?:runs|steps), ")


def of_arena(lines):
    """(set, model) -> mean error in percent, one digit."""
    name = None
    for line in lines:
        head = HEAD.match(line)
        name = head.group(1) if head else None if line.startswith("```") else name
        columns = line.split()
        if name and not head and columns and not line.startswith("  ") and columns[0] != "arm":
            figures = [c for c in columns[1:] if re.fullmatch(r"\d+\.\d", c)]
            if len(figures) >= 2:  # macro, mean
                yield (name, columns[0]), float(figures[1])


def of_tables(lines):
    sets = None
    for line in lines:
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            sets = None
        elif cells[0] == "model":
            sets = cells[1:]
        elif sets and not set(line) <= set("|-: "):
            for name, cell in zip(sets, cells[1:]):
                figure = re.match(r"(\d+\.\d) %", cell)
                if figure:
                    yield (name, cells[0].strip("`")), float(figure.group(1))


def main(pages):
    said = collections.defaultdict(dict)
    for page in pages:
        with open(page, encoding="utf-8") as f:
            lines = f.read().split("\n")
        for figures in (of_arena(lines), of_tables(lines)):
            for key, figure in figures:
                said[key].setdefault(figure, set()).add(page)
    both = 0
    wrong = 0
    for (name, model), by_figure in sorted(said.items()):
        both += len(set.union(*by_figure.values())) > 1
        if len(by_figure) > 1:
            wrong += 1
            print("%s on %s:" % (model, name), *("%s says %.1f %%" % (", ".join(sorted(where)), figure)
                                                  for figure, where in sorted(by_figure.items())))
    print("%d figures, %d of them on more than one page" % (len(said), both))
    return 1 if wrong or not both else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
