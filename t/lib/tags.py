"""Prints struct tags, enum tags and enumerators that several headers of src/
define: a file cannot include both, and a reader takes one for the other.

tags.py FOLDER
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

headers = defaultdict(set)
for path in sorted(Path(sys.argv[1]).rglob("*.h")):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    text = re.sub(r"^[ \t]*#.*(?:\\\n.*)*", "", text, flags=re.M)
    for kind, name in re.findall(r"\b(struct|union|enum)\s+(\w+)\s*\{", text):
        headers[kind + " " + name].add(str(path))
    for body in re.findall(r"\benum\b[^{};()=]*\{([^}]*)\}", text):
        for name in re.findall(r"(?:^|,)\s*(\w+)", body):
            headers[name].add(str(path))
for name, where in sorted(headers.items()):
    if len(where) > 1:
        print(name + ":", *sorted(where))
if len(headers) < 1000:
    print(f"only {len(headers)} names are found")
