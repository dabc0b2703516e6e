"""Names that other files see, and what to call the thing instead.

names.py TREE: looks through src/, include/ and plugins/, and prints each function,
struct, enum or file that has a word of t/lib/names.list in its name.  Exit code 1:
there is one.
"""
import os
import re
import sys

DECLARED = re.compile(r"^(?:extern |static inline )*[a-z][\w \t*]*?\b([a-z]\w*)\(|"
                      r"^(?:struct|enum|union) (\w+) \{", re.M)


def load(path):
    with open(path, encoding="utf8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if line.strip() and line[0] != "#"]
    return dict(rows)


def names(path):
    yield 1, os.path.basename(path).rsplit(".", 1)[0]
    with open(path, encoding="utf8") as f:
        text = f.read()
    for m in DECLARED.finditer(text):
        yield text.count("\n", 0, m.start()) + 1, m.group(1) or m.group(2)


def findings(tree, instead):
    for room in ("src", "include", "plugins"):
        for folder, _, files in os.walk(os.path.join(tree, room)):
            for path in sorted(os.path.join(folder, f) for f in files if f.endswith(".h")):
                for line, name in names(path):
                    for word in name.lower().split("_"):
                        if word in instead:
                            yield f"{path}:{line}: {name}: write {instead[word]}"


def main():
    bad = list(findings(sys.argv[1], load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.list"))))
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
