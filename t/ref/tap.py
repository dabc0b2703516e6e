"""TAP for the tests that compute something a second time."""
import sys

n_tests = n_failed = 0


def ok(good, what, *details):
    """One test; the first details are said if it fails."""
    global n_tests, n_failed
    n_tests += 1
    if not good:
        n_failed += 1
    print("%s %d - %s" % ("ok" if good else "not ok", n_tests, what))
    for line in details[:8] if not good else ():
        print("#", line)


def done():
    print("1..%d" % n_tests)
    sys.exit(n_failed > 0)
