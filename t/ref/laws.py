#!/usr/bin/env python3
"""Random configurations over all sections and keys, and laws that hold for all of
them: additions that change nothing, the same answer twice, sums, scales, monotony.

usage: laws.py STEPCOST [--seed S] [--cases N] [--first N] [--law NAME] [--command NAME]
               [--seconds N] [--found FOLDER] [--replay FILE...]

Prints TAP; a violation is printed as an INI from which the keys are left out that it
does not need.  --found writes it into that folder, too, and --replay checks such
files.  --cases 0 does not end.  Exit code 1: a law is broken."""
import argparse
import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import law_cases
import law_checks
import law_rules
import law_runs

ATTEMPTS = 14   # at a configuration that is not refused
SHRINKING = 250  # runs of the program


class Asked:
    """Answers of the program in one case: a question that was asked is not asked again."""

    def __init__(self, program, tables):
        self.program, self.tables, self.known = program, tables, {}

    def __call__(self, command, c, options=(), text=None, again=False):
        key = (command, text or c.text(), tuple(options))
        if again or key not in self.known:
            answer = self.program.ask(command, c, options, text)
            if again:
                return answer
            self.known[key] = answer
        return self.known[key]


def accepted(rng, program, tables):
    """A random configuration that the program simulates; None: there was none."""
    c = law_cases.draw(rng, tables)
    for _ in range(ATTEMPTS):
        ask = Asked(program, tables)
        base = ask("run", c)
        if not law_runs.is_refused(base):
            return c, ask
        c = law_cases.without_refused(c, law_runs.message_of(base), rng)
        if c is None:
            break
    return None, None


class Case:
    """A configuration, a law, a command, and what the law tries."""

    def __init__(self, c, law, command, how):
        self.c, self.law, self.command, self.how = c, law, command, how

    def check(self, ask):
        try:
            return law_rules.LAWS[self.law].check(self.c, self.how, self.command, ask)
        except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError) as e:
            result = law_checks.Result()
            result.expect(False, "an answer cannot be read: %r" % e)
            return result
        except subprocess.TimeoutExpired:
            result = law_checks.Result()
            result.expect(False, "no end")
            return result

    def text(self, faults=()):
        head = "; law %s\n; command %s\n; how %s\n" % (self.law, self.command, json.dumps(self.how))
        return head + "".join("; broken: %s\n" % " ".join(f.split())[:400] for f in faults[:2]) + self.c.text()


def read_case(path):
    with open(path) as f:
        text = f.read()
    told = {}
    for line in text.splitlines():
        for word in ("law", "command", "how"):
            if line.startswith("; %s " % word):
                told[word] = line[len(word) + 3:]
    return Case(law_cases.read(text), told["law"], told["command"], json.loads(told["how"]))


def kind_of(fault):
    """A fault without its figures, so that another is not taken for it."""
    return "".join("#" if x.isdigit() else x for x in fault)[:40]


def shrunk(case, faults, program, tables):
    """The case without each section and each key that the violation does not need."""
    kinds, end = {kind_of(f) for f in faults}, program.runs + SHRINKING

    def still(c):
        found = Case(c, case.law, case.command, case.how).check(Asked(program, tables)).faults
        return bool(kinds & {kind_of(f) for f in found})

    changed = True
    while changed and program.runs < end:
        changed = False
        for place in [(s, None) for s in case.c.sections] + case.c.items():
            c = case.c.copy()
            if place[1] is None:
                c.sections.pop(place[0], None)
            elif place[0] in c.sections:
                c.drop(*place)
            if program.runs < end and c.sections != case.c.sections and still(c):
                case, changed = Case(c, case.law, case.command, case.how), True
    return case


def weighted(rng, weights, names):
    names = sorted(names)
    return rng.choices(names, [weights[n] for n in names])[0]


def draw_case(rng, program, tables, a):
    laws = [n for n, law in law_rules.LAWS.items() if not a.command or a.command in law.commands]
    law = a.law or weighted(rng, law_rules.SHARES, laws)
    command = a.command or weighted(rng, law_runs.DRAWN, law_rules.LAWS[law].commands)
    c, ask = accepted(rng, program, tables)
    if c is None:
        return None, None, law, command
    how = law_rules.LAWS[law].choose(rng, c, tables, command, ask)
    return (None if how is None else Case(c, law, command, how)), ask, law, command


class Count:
    """Cases by law and command, exceptions by name, violations."""

    def __init__(self):
        self.cases, self.exceptions, self.not_said, self.bad = (collections.Counter() for _ in range(4))
        self.kinds = set()

    def print(self, program, began):
        for (law, command), n in sorted(self.cases.items()):
            print("# %-12s %-10s %5d cases, %d broken" % (law, command, n, self.bad[law, command]))
        for name, n in sorted(self.exceptions.items()):
            print("# exception %s, %d times: %s" % (name, n, law_rules.EXCEPTIONS[name]))
        print("# %d cases of %d kinds of additions, %d without a question or refused; %d runs, %.0f s" % (
            sum(self.cases.values()), len(self.kinds), sum(self.not_said.values()), program.runs,
            time.monotonic() - began))


def report(case, faults, program, tables, a, name):
    small = shrunk(case, faults, program, tables)
    faults = small.check(Asked(program, tables)).faults or faults
    text = small.text(faults)
    print("# %s\n%s# ----" % (name, "".join("#   %s\n" % line for line in text.splitlines())), flush=True)
    if a.found:
        os.makedirs(a.found, exist_ok=True)
        with open(os.path.join(a.found, name + ".ini"), "w") as f:
            f.write(text)


def one_case(i, a, program, tables, count):
    rng = random.Random("%d %d" % (a.seed, i))
    case, ask, law, command = draw_case(rng, program, tables, a)
    if case is None:
        count.not_said[law, command] += 1
        return
    result = case.check(ask)
    if not result.says and not result.faults:
        count.not_said[law, command] += 1
        return
    count.cases[law, command] += 1
    count.exceptions.update(result.exceptions)
    if law == "neutral":
        count.kinds.add(case.how["kind"])
    if result.faults:
        count.bad[law, command] += 1
        report(case, result.faults, program, tables, a, "%s-%d-%d" % (law, a.seed, i))


def replay(a, program, tables, count):
    for path in a.replay:
        case = read_case(path)
        result = case.check(Asked(program, tables))
        count.cases[case.law, case.command] += 1
        if result.faults:
            count.bad[case.law, case.command] += 1
            print("# %s: %s" % (path, "; ".join(result.faults[:3])), flush=True)


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("program")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cases", type=int, default=100)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--law", choices=sorted(law_rules.LAWS))
    p.add_argument("--command", choices=sorted(law_runs.COMMANDS))
    p.add_argument("--seconds", type=float, default=0)
    p.add_argument("--found")
    p.add_argument("--replay", nargs="*", default=[])
    return p.parse_args()


def main():
    a = arguments()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    began, count = time.monotonic(), Count()
    with tempfile.TemporaryDirectory() as folder:
        program = law_runs.Program(os.path.abspath(a.program), folder, root)
        tables = law_cases.Tables(program.path)
        if a.replay:
            paths = [f for x in a.replay for f in (sorted(glob.glob(x + "/*.ini")) if os.path.isdir(x) else [x])]
            a.replay = paths
            replay(a, program, tables, count)
        i = a.first
        while not a.replay and (not a.cases or i < a.first + a.cases):
            if a.seconds and time.monotonic() - began > a.seconds:
                break
            one_case(i, a, program, tables, count)
            i += 1
        count.print(program, began)
    bad = sum(count.bad.values())
    print("%s 1 - laws of %d configurations, seed %d\n1..1" % ("not ok" if bad else "ok", sum(count.cases.values()), a.seed))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
