#!/usr/bin/env python3
"""Writes what a released version of include/stepcost/plugin.h promises.

usage: tools/abi.py >t/abi/MAJOR.MINOR
       tools/abi.py --fields >src/report/abi_fields.inc

One line a fact, in the order of the header:
  constant NAME VALUE                       a number
  text NAME VALUE
  type NAME TYPE                            a typedef that is no struct
  struct NAME SIZE                          of the whole, in bytes
  member STRUCT NAME OFFSET SIZE TYPE

With --fields: a row of C a field, STRUCT(name) or FIELD(struct, name, type,
minor, meaning).  The compiler of stepcost then knows the offsets.

The parser knows the header's own style: typedef struct NAME { ... } NAME, one
type a declaration, pointers to functions.  The C compiler tells the numbers.
"""
import os
import re
import subprocess
import sys
import tempfile

HEADER = os.path.join(os.path.dirname(__file__), "..", "include", "stepcost", "plugin.h")


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def members(body):
    """(name, type) of each declarator."""
    for declaration in filter(None, map(one_line, body.split(";"))):
        function = re.fullmatch(r"(.*\(\*)(\w+)(\)\(.*\))", declaration)
        if function:
            yield function[2], function[1] + function[3]
            continue
        base, first = re.fullmatch(r"((?:const )?\w+)\b(.*)", declaration).groups()
        for declarator in first.split(","):
            pointers, name, array = re.fullmatch(r"([* const]*?)(\w+)(\[\w+\])?", declarator.strip()).groups()
            yield name, one_line("%s %s%s" % (base, pointers, array or ""))


def facts(header):
    """(word, name, type or None) in the order of the header."""
    pattern = re.compile(
        r"^#define (?P<constant>SC_[A-Z0-9_]+) \(?-?(?:0x)?[0-9]|"
        r'^#define (?P<text>SC_[A-Z0-9_]+) "|'
        r"^typedef struct (?P<struct>\w+) \{(?P<body>.*?)\n\} (?P=struct);|"
        r"^typedef (?P<returns>[^;{]*?)\(\*(?P<type>\w+)\)(?P<arguments>\([^;]*\));", re.M | re.S)
    for found in pattern.finditer(header):
        if found["struct"]:
            yield "struct", found["struct"], None
            for name, kind in members(found["body"]):
                yield "member", (found["struct"], name), kind
        elif found["type"]:
            yield "type", found["type"], one_line(found["returns"] + "(*)" + found["arguments"])
        else:
            word = "constant" if found["constant"] else "text"
            yield word, found[word], None


def program(all_facts):
    """C that prints the facts."""
    yield '#include "stepcost/plugin.h"\n#include <stdio.h>\nint main(void)\n{'
    for word, name, kind in all_facts:
        if word == "constant":
            yield 'printf("constant %s %%lld\\n", (long long)%s);' % (name, name)
        elif word == "text":
            yield 'printf("text %s %%s\\n", %s);' % (name, name)
        elif word == "type":
            yield 'puts("type %s %s");' % (name, kind)
        elif word == "struct":
            yield 'printf("struct %s %%zu\\n", sizeof(%s));' % (name, name)
        else:
            field = "((%s *)0)->%s" % name
            yield ('printf("member %s %s %%zu %%zu %s\\n", offsetof(%s, %s), sizeof(%s));'
                   % (*name, kind, *name, field))
    yield "return 0;\n}"


def since(comment, minor):
    """The minor version that a comment names; fields are only appended."""
    found = re.search(r"[Ss]ince 1\.([0-9]+)", comment)
    return int(found[1]) if found else minor


def meaning(comment):
    text = one_line(re.sub(r"\n\s*\* ?", " ", comment))
    text = re.sub(r"^[Ss]ince 1\.[0-9]+[:,.;]?", "", text).strip()
    return text.replace("\\", "\\\\").replace('"', '\\"')


def described(body, minor):
    """(name, type, minor, meaning) of each member, with the comment before its
    line or behind it."""
    before = ""
    for found in re.finditer(r"/\*(?P<comment>.*?)\*/|(?P<code>[^;/]+);[ \t]*(?:/\*(?P<behind>.*?)\*/)?", body, re.S):
        if found["comment"] is not None:
            before = found["comment"]
            minor = since(before, minor)
            continue
        for name, kind in members(found["code"] + ";"):
            yield name, kind, minor, meaning(found["behind"] or before)
        before = ""


def rows(text):
    pattern = re.compile(r"(?:/\*(?P<before>(?:[^*]|\*(?!/))*)\*/\s*)?^typedef struct (?P<name>\w+) \{(?P<body>.*?)\n\} (?P=name);", re.M | re.S)
    yield "/* Made by tools/abi.py --fields. */"
    for found in pattern.finditer(text):
        minor = since(found["before"] or "", 0)
        yield 'STRUCT(%s, %d, "%s")' % (found["name"], minor, meaning(found["before"] or ""))
        for row in described(found["body"], minor):
            yield 'FIELD(%s, %s, "%s", %d, "%s")' % (found["name"], *row)


def main():
    if sys.argv[1:] == ["--fields"]:
        with open(HEADER, encoding="utf-8") as f:
            print("\n".join(rows(f.read())))
        return
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    with open(HEADER, encoding="utf-8") as f:
        header = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(program(facts(header))))
        include = os.path.join(os.path.dirname(HEADER), "..")
        subprocess.run([os.environ.get("CC", "cc"), "-I", include, "-o", binary, source], check=True)
        subprocess.run([binary], check=True)


if __name__ == "__main__":
    main()
