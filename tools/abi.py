#!/usr/bin/env python3
"""Writes what a released version of include/stepcost/plugin.h promises.

usage: tools/abi.py >t/abi/MAJOR.MINOR

One line a fact, in the order of the header:
  constant NAME VALUE                       a number
  text NAME VALUE
  type NAME TYPE                            a typedef that is no struct
  struct NAME SIZE                          of the whole, in bytes
  member STRUCT NAME OFFSET SIZE TYPE
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


def main():
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
