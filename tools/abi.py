#!/usr/bin/env python3
"""Writes what a released version of include/stepcost/plugin.h promises.

usage: tools/abi.py >t/abi/MAJOR.MINOR
       tools/abi.py --fields >src/report/abi_fields.inc
       tools/abi.py --rust >etc/templates/rust/abi.rs

One line a fact, in the order of the header:
  constant NAME VALUE                       a number
  text NAME VALUE
  type NAME TYPE                            a typedef that is no struct
  struct NAME SIZE                          of the whole, in bytes
  member STRUCT NAME OFFSET SIZE TYPE

With --fields: a row of C a field, STRUCT(name) or FIELD(struct, name, type,
minor, meaning).  The compiler of stepcost then knows the offsets.  With --rust:
constants and structs for Rust, which checks the size of each.

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


def record():
    """The lines of t/abi/MAJOR.MINOR."""
    with open(HEADER, encoding="utf-8") as f:
        header = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(program(facts(header))))
        include = os.path.join(os.path.dirname(HEADER), "..")
        subprocess.run([os.environ.get("CC", "cc"), "-I", include, "-o", binary, source], check=True)
        return subprocess.run([binary], check=True, capture_output=True, encoding="utf-8").stdout


RUST = {"uint32_t": "u32", "int32_t": "i32", "uint64_t": "u64", "int64_t": "i64",
        "double": "f64", "char": "c_char", "void": "c_void"}


def rust_function(kind):
    returns, arguments = re.fullmatch(r"(.*?)\(\*\w*\)\((.*)\)", kind).groups()
    taken = [rust_type(re.sub(r"(?<=[ *])(?!const)\w+$", "", a.strip())) for a in arguments.split(",")]
    given = "" if returns.strip() == "void" else " -> " + rust_type(returns)
    return 'Option<unsafe extern "C" fn(%s)%s>' % (", ".join(taken), given)


def rust_type(kind):
    """Of a type as the record has it: "const sc_layers *const *"."""
    kind = re.sub(r"\bstruct ", "", kind.strip())
    if "(*" in kind:
        return rust_function(kind)
    array = re.fullmatch(r"(.*?) ?\[(\w+)\]", kind)
    if array:
        size = array[2] if array[2].isdigit() else array[2] + " as usize"
        return "[%s; %s]" % (rust_type(array[1]), size)
    const, base, pointers = re.fullmatch(r"(const )?(\w+) ?([* const]*)", kind).groups()
    rust = RUST.get(base, base)
    constant = bool(const)
    for pointer in re.findall(r"\*(?: ?const)?", pointers):
        rust = "*%s %s" % ("const" if constant else "mut", rust)
        constant = "const" in pointer
    return rust


def rust(lines, about):
    """about: the meaning of each struct's fields."""
    yield "//! Constants and structs of stepcost/plugin.h; made by tools/abi.py --rust."
    yield "#![allow(dead_code, non_camel_case_types)]"
    yield "use std::ffi::{c_char, c_void};"
    open_struct, size = None, 0
    for line in lines + ["end"]:
        word, *rest = line.split(" ", 5 if line.startswith("member") else 2)
        if word != "member" and open_struct:
            yield "}\nconst _: () = assert!(std::mem::size_of::<%s>() == %s);" % (open_struct, size)
            yield "impl %s {\n    /// 0 and NULL everywhere." % open_struct
            yield "    pub const NOTHING: Self = unsafe { std::mem::zeroed() };\n}"
            open_struct = None
        if word == "constant":
            yield "pub const %s: %s = %s;" % (rest[0], "i32" if "-" in rest[1] or rest[0] == "SC_OK" else "u32", rest[1])
        elif word == "text":
            yield 'pub const %s: &str = "%s";' % tuple(rest)
        elif word == "type":
            yield "pub type %s = %s;" % (rest[0], rust_type(rest[1]))
        elif word == "struct":
            open_struct, size = rest[:2]
            yield "#[repr(C)]\n#[derive(Clone, Copy)]\npub struct %s {" % open_struct
        elif word == "member":
            _, name, _, _, kind = rest
            if about.get((open_struct, name)):
                yield "    /// " + about[open_struct, name]
            yield "    pub %s: %s," % ("r#type" if name == "type" else name, rust_type(kind))


def main():
    wanted = sys.argv[1:]
    with open(HEADER, encoding="utf-8") as f:
        text = f.read()
    if wanted == ["--fields"]:
        print("\n".join(rows(text)))
    elif wanted == ["--rust"]:
        about = {}
        for row in rows(text):
            field = re.fullmatch(r'FIELD\((\w+), (\w+), ".*?", \d+, "(.*)"\)', row)
            if field:
                about[field[1], field[2]] = field[3].replace('\\"', '"')
        print("\n".join(rust(record().splitlines(), about)))
    elif wanted:
        sys.exit(__doc__)
    else:
        print(record(), end="")


if __name__ == "__main__":
    main()
