"""Faults that a law found in a configuration, and the comparison of two answers."""
import math

from law_runs import first_difference, is_refused, message_of


class Result:
    """The faults that a law found in a configuration, and the exceptions that it used."""

    def __init__(self):
        self.faults, self.exceptions = [], []
        self.says = True  # 0: the program refused the question, so nothing was compared

    def silent(self):
        self.says = False
        return self

    def expect(self, holds, what, *details):
        if not holds:
            self.faults.append("%s: %s" % (what, ", ".join("%.60s" % (x,) for x in details)) if details else what)
        return bool(holds)


def both_refused(result, a, b):
    """Whether there is nothing to compare; one refusal alone is a fault."""
    if not is_refused(a) and not is_refused(b):
        return False
    too_fast = "total_us = 0" in a.errors + b.errors
    result.silent().expect(too_fast or is_refused(a) == is_refused(b), "one of them is refused", message_of(a), message_of(b))
    return True


def near(a, b, relative=1e-9, absolute=1e-12):
    return math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def same(result, what, a, b):
    """Two answers are the same bytes, except `identity`."""
    result.expect(a.code == b.code, what + ": exit codes", a.code, b.code, message_of(b))
    for kind, x, y in [("document", a.document, b.document)] + [(n, a.files[n], b.files.get(n)) for n in a.files]:
        found = None if x == y else first_difference(x, y) if kind == "document" else other_line(x, y)
        if found:
            result.expect(False, "%s: another %s: %s" % (what, kind, found))


def other_line(a, b):
    for i, (x, y) in enumerate(zip((a or "").splitlines(), (b or "").splitlines())):
        if x != y:
            return "line %d: %.100s, %.100s" % (i + 1, x, y)
    return "%d bytes, %d bytes" % (len(a or ""), len(b or ""))


def arms_of(answer):
    return {a["name"]: a for a in (answer.document or {}).get("arms", []) if isinstance(a, dict)}
