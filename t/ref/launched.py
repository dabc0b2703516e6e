#!/usr/bin/env python3
"""Reads an emitted script as the server does: argparse made from the types of
etc/launch.csv takes its words, and the GPUs that it starts are those of the
script's first line.   launched.py LAUNCH_CSV ENGINE SCRIPT WORD..."""
import argparse
import csv
import json
import re
import sys


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise SystemExit("refused: " + message)


def parser_of(rows):
    parser = Parser(allow_abbrev=False)
    parser.add_argument("model", nargs="?")
    parser.add_argument("--port", type=int)
    takes = {"int": int, "float": float, "text": str, "json": json.loads}
    for row in rows:
        name = row["flag"]
        if row["type"] in takes:
            parser.add_argument(name, type=takes[row["type"]], dest=row["key"])
        elif row["type"] == "true":
            parser.add_argument(name, action="store_true", dest=row["key"])
        elif row["type"] == "switch":
            parser.add_argument(name, action=argparse.BooleanOptionalAction, dest=row["key"])
    return parser


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        rows = [row for row in csv.DictReader(f) if row["engine"] == sys.argv[2]]
    with open(sys.argv[3], encoding="utf-8") as f:
        head = f.read()
    command = next(row["flag"] for row in rows if row["type"] == "command").split()
    words = sys.argv[4:]
    words = words[len(command) - 1:]  # the command's own words
    given = vars(parser_of(rows).parse_args(words))
    size = {key: given.get(key) or 1 for key in
            ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")}
    gpus = size["tensor_parallel_size"] * size["pipeline_parallel_size"]
    if not given.get("attention_dp"):
        gpus *= size["data_parallel_size"]
    said = re.search(r"Start (\d+) of these.*, each on (\d+) GPU", head)
    if gpus != int(said[2]):
        raise SystemExit("the command starts %d GPUs, the script says %s" % (gpus, said[2]))
    print(int(said[1]) * gpus)


main()
