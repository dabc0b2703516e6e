#!/usr/bin/env python3
"""The keys that `stepcost help ini json` tells are those of `stepcost help ini`, with the
same defaults; exit code 1 if not.   usage: law_keys.py STEPCOST"""
import re
import subprocess
import sys

import json


def tell(*words):
    return subprocess.run([sys.argv[1], "help", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


text, section = {}, None
for line in tell("ini").splitlines():
    head = re.fullmatch(r"\[(\S+)\]", line)
    row = re.match(r"  ([a-z][a-z0-9_]*) +(?:= (\S+)|\(needed\))", line)
    if head:
        section = text.setdefault(head.group(1), {})
    elif row and section is not None:
        section[row.group(1)] = None if row.group(2) is None else row.group(2).replace("(empty)", "")
told = {s["name"]: {k["name"]: k["default"] for k in s["keys"]} for s in json.loads(tell("ini", "json"))["sections"]}
if told != text:
    for name in sorted(set(told) | set(text)):
        if told.get(name) != text.get(name):
            print(name, set((told.get(name) or {}).items()) ^ set((text.get(name) or {}).items()))
    sys.exit(1)
