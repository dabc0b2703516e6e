r"""Plain English: finds words and constructions that stop a reader.

words.py FILE...        tells each finding in these files; exit code 1 if there is one
words.py --tree         looks through the whole tree
words.py --lengths      prints the mean length of the sentences of each page
words.py --examples     each entry of the list finds its own example, and not what
                        the example becomes
--kind text|comment     looks at one of the two kinds only

Two kinds of prose are read.  "text" is what a user reads: Markdown without its
blocks of code, and the string literals of src, plugins and include.  "comment" is
what a developer reads: the comments of C, shell, INI and Python, and Python's
docstrings.

words.list   the words, each with what to write instead and an example
words.allow  findings that are meant, each with a reason
Both files are beside this one.

A page also has a limit on the words of each sentence, and one on their mean.
"""
import argparse
import io
import os
import re
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
TREES = ["bench", "doc", "etc", "fuzz", "include", "plugins", "python", "src", "t", "tools"]
COMMENTED = (".c", ".h", ".inc", ".ini", ".sh", ".t", ".py")
SPOKEN = ("src/", "plugins/", "include/")  # a user reads their strings
PAGES = re.compile(r"(doc/)?[^/]*\.md$")  # the length of their sentences counts
LONGEST, MEAN = 40, 18  # words of a sentence in a page


class Unit:
    """A stretch of prose: the text has the line breaks of the file.  running: it
    is a paragraph or an item of a list, no heading and no cell of a table."""

    def __init__(self, kind, line, text, running=True):
        self.kind, self.line, self.text, self.running = kind, line, text, running

    def line_of(self, offset):
        return self.line + self.text.count("\n", 0, offset)


def blank(text):
    """The same text with everything but line breaks as blanks."""
    return re.sub(r"[^\n]", " ", text)


# ---- Markdown ----


def plain(text):
    """A stretch of Markdown without marks; code is one word."""
    text = re.sub(r"``.+?``|`[^`]+`", lambda m: "x" * len(m[0]) if "\n" not in m[0] else re.sub(r"[^\n]", "x", m[0]), text)
    text = re.sub(r"\]\([^)\s]*\)", lambda m: blank(m[0]), text)
    return re.sub(r"[*_\[\]]", " ", text)


def markdown(source):
    """Paragraphs, headings, items of lists, and cells of tables."""
    source = re.sub(r"<!--.*?-->", lambda m: blank(m[0]), source, flags=re.S)
    units, start, held, fenced = [], 0, [], False

    def flush():
        if held:
            units.append(Unit("text", start, plain("\n".join(held))))
            held.clear()

    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            flush()
        elif fenced or not line.strip():
            flush()
        elif line.startswith("#"):
            flush()
            units.append(Unit("text", number, plain(line.lstrip("# ")), running=False))
        elif line.lstrip().startswith("|"):
            flush()
            for cell in re.split(r"(?<!\\)\|", plain(line)):
                units.append(Unit("text", number, cell, running=False))
        else:
            if re.match(r"\s*([-*+]|\d+\.) ", line):
                flush()
                line = re.sub(r"^\s*([-*+]|\d+\.) ", "", line)
            if not held:
                start = number
            held.append(line)
    flush()
    return units


# ---- C ----

C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def c_comment(text):
    text = re.sub(r"^/[*/]|\*/$", "  ", text)
    return re.sub(r"^([ \t]*)(\*|//)(?=[ \t]|$)", r"\1 ", text, flags=re.M)


def c_string(text):
    return re.sub(r"\\[nt]", "  ", text[1:-1])


def c_units(source, strings):
    """Comments, lines // of one block together, and strings, joined as C joins them."""
    units, last, kind = [], None, None
    for token in C_TOKEN.finditer(source):
        text, line = token[0], source.count("\n", 0, token.start()) + 1
        if text[0] == "'":
            continue
        between = source[last:token.start()] if last is not None else "-"
        joined = not between.strip() and (text[0] == kind == '"' or text[:2] == kind == "//" and between.count("\n") == 1)
        kind, last = '"' if text[0] == '"' else text[:2], token.end()
        if kind == '"':
            begin = source.rfind("\n", 0, token.start()) + 1
            if not strings or source[begin:token.start()].lstrip().startswith("#"):
                continue
            text, of = c_string(text), "text"
            between = re.sub(r"[^\n]", "", between)
        else:
            text, of = c_comment(text), "comment"
        if joined and units:
            units[-1].text += between + text
        else:
            units.append(Unit(of, line, text))
    return units


# ---- shell, INI and Python ----


def shell(source):
    """Lines of comments together; a comment behind a command alone."""
    units, held = [], []
    for number, line in enumerate(source.split("\n") + [""], 1):
        whole = re.match(r"\s*#(?!!)(.*)", line)
        if whole:
            held.append(whole[1])
            continue
        if held:
            units.append(Unit("comment", number - len(held), "\n".join(held)))
            held = []
        behind = re.search(r"\s# (.*)", line)
        if behind and all(line[: behind.start()].count(quote) % 2 == 0 for quote in "'\""):
            units.append(Unit("comment", number, behind[1]))
    return units


def ini(source):
    """Lines of comments together; a line ;KEY = VALUE is a setting left out."""
    units = []
    for number, line in enumerate(source.split("\n"), 1):
        note = re.match(r"\s*;(?!\s*[\w.:]+ *=)(.*)", line) or re.match(r".*?\s;\s(.*)", line)
        if note and units and units[-1].line + units[-1].text.count("\n") + 1 == number:
            units[-1].text += "\n" + note[1]
        elif note:
            units.append(Unit("comment", number, note[1]))
    return units


def python(source):
    units, before = [], tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            text, line = token.string.lstrip("#"), token.start[0]
            ended = units and units[-1].line + units[-1].text.count("\n") + 1 == line
            if ended and not token.line[: token.start[1]].strip() and not token.string.startswith("#!"):
                units[-1].text += "\n" + text
            elif not token.string.startswith("#!"):
                units.append(Unit("comment", line, text))
        elif token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING):
            units.append(Unit("comment", token.start[0], re.sub(r'^[a-z]*"""|"""$', "", token.string)))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type
    return units


def units_of(path, source):
    if path.endswith(".md"):
        return markdown(source)
    if path.endswith((".c", ".h", ".inc")):
        return c_units(source, path.startswith(SPOKEN))
    if path.endswith(".py"):
        return python(source)
    if path.endswith(".ini"):
        return ini(source)
    return shell(source)


# ---- sentences ----

# A full stop ends a sentence, but not behind an abbreviation or an initial.
SENTENCE = re.compile(r"(?:[^.?!]|[.?!](?!\s|$|[\"')]+(?:\s|$))|(?<=\b(?:vs|eg|ie|cf))\.|(?<=e\.g|i\.e)\.)+[.?!]*[\"')]*", re.S)


def sentences(unit):
    """(offset, text, words) of each sentence."""
    for match in SENTENCE.finditer(unit.text):
        words = re.findall(r"[^\s—–·|/=+×-][^\s]*", match[0])
        if words:
            yield match.start() + len(match[0]) - len(match[0].lstrip()), match[0].strip(), len(words)


def lengths_of(units):
    """Mean and greatest number of words of the sentences in running text."""
    counts = [n for unit in units if unit.running for _, _, n in sentences(unit)]
    return sum(counts) / max(1, len(counts)), max(counts, default=0)


# ---- the list ----


class Entry:
    def __init__(self, pattern):
        self.source = pattern
        self.pattern = re.compile(re.sub(r" ", r"\\s+", pattern), re.I | re.M)
        self.write, self.example, self.becomes = "", "", ""


def entries():
    """Blocks of words.list: a pattern, and below it `write` and `example`."""
    found = []
    with open(os.path.join(HERE, "words.list"), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            if not line.startswith("\t"):
                found.append(Entry(line))
                continue
            key, _, value = line.strip().partition(": ")
            if key == "write":
                found[-1].write = value
            elif key == "example":
                found[-1].example, _, found[-1].becomes = value.partition(" -> ")
            else:
                sys.exit(f"words.list: neither write nor example: {line}")
    return found


def rows(name, fields):
    """The rows of a list beside this file: fields between tabs."""
    found = []
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                row = line.split("\t")
                if len(row) != fields or not all(row):
                    sys.exit(f"{name}: {fields} fields between tabs: {line}")
                found.append(tuple(row))
    return found


class Allowed:
    """Findings that are meant: words.allow, rows FILE, WORDS AROUND IT, REASON."""

    def __init__(self):
        self.rows = rows("words.allow", 3)
        self.used = set()

    def covers(self, path, unit, start, end):
        for row in self.rows:
            if row[0] != path:
                continue
            around = re.compile(r"\s+".join(re.escape(w) for w in row[1].split()))
            for match in around.finditer(unit.text):
                if match.start() <= start and end <= match.end():
                    self.used.add(row)
                    return True
        return False


# ---- findings ----


def findings(path, source, listed, allowed, kind=None):
    """(kind, line, message) of each finding."""
    units = units_of(path, source)
    if PAGES.match(path) and kind != "comment" and lengths_of(units)[0] > MEAN:
        yield "text", 1, f"{lengths_of(units)[0]:.1f} words in a sentence on average (at most {MEAN})"
    for unit in units:
        if kind and unit.kind != kind:
            continue
        for entry in listed:
            for match in entry.pattern.finditer(unit.text):
                if not allowed.covers(path, unit, match.start(), match.end()):
                    begin, end = max(0, match.start() - 25), match.end() + 25
                    around = " ".join(unit.text[begin:end].split())
                    yield unit.kind, unit.line_of(match.start()), f'"{around}": write {entry.write}'
        if PAGES.match(path):
            for offset, text, words in sentences(unit):
                if words > LONGEST and not allowed.covers(path, unit, offset, offset + len(text)):
                    yield unit.kind, unit.line_of(offset), f"a sentence of {words} words (at most {LONGEST}): {' '.join(text.split())[:60]}..."


def tree():
    """The files that are looked through, relative to the top of the tree."""
    found = [name for name in os.listdir(".") if name.endswith(".md")]
    for top in TREES:
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [os.path.join(folder, name) for name in names if name.endswith(COMMENTED + (".md",))]
    return sorted(found)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def look_through(listed, kind):
    """Returns the faults of the whole tree, and the number of its files."""
    allowed, wrong = Allowed(), []
    paths = tree()
    for path in paths:
        for _, line, message in findings(path, read(path), listed, allowed, kind):
            wrong.append(f"{path}:{line}: {message}")
    wrong += [f"words.allow: no longer needed: {' '.join(row)}" for row in allowed.rows if row not in allowed.used]
    return wrong, len(paths)


def lengths():
    for path in tree():
        if PAGES.match(path):
            mean, longest = lengths_of(units_of(path, read(path)))
            print(f"{mean:5.1f} words in a sentence of {path}, the longest {longest}")


def examples(listed):
    bad = 0
    for entry in listed:
        good = entry.write and entry.becomes and entry.pattern.search(entry.example) and not entry.pattern.search(entry.becomes)
        if not good:
            print(f"words.list: {entry.source}: the example is not found, or what it becomes is, or a line is missing")
            bad = 1
    print(len(listed), "entries")
    return bad or not listed


def main():
    parser = argparse.ArgumentParser(usage="words.py [--kind KIND] [--tree | --lengths | --examples | FILE...]")
    parser.add_argument("--kind", choices=["text", "comment"])
    for option in ["tree", "lengths", "examples"]:
        parser.add_argument("--" + option, action="store_true")
    parser.add_argument("file", nargs="*")
    given = parser.parse_args()
    listed = entries()
    if given.examples:
        return examples(listed)
    if given.lengths:
        lengths()
        return 0
    if given.tree:
        wrong, n = look_through(listed, given.kind)
        print("\n".join(wrong + [f"{n} files"]))
        return 1 if wrong or n < 900 else 0
    allowed, bad = Allowed(), 0
    for path in given.file:
        path = os.path.relpath(path)
        for _, line, message in findings(path, read(path), listed, allowed, given.kind):
            print(f"{path}:{line}: {message}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
