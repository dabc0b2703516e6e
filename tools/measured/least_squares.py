"""Levenberg-Marquardt on the residuals of targets.py; refit.py describes it."""
import json
import math
import subprocess

from files import STEPCOST
from targets import CLIENT, START, Logged, Served, Steps

SCALE = 0.05
STEP, REACH, RIDGE = 0.1, 0.4, 3e-3
SEEDS = 3
MOST_ITERATIONS = 24
DAMPING, MOST_DAMPING = 0.03, 30
SMALL = 1e-3    # a fit ends after two gains below this, or at MOST_DAMPING
# Hardly any served run depends on these coefficients; emc_fp8 and those of A100
# only affect runs that no model explains.  So only prefill steps determine them.
KERNELS_ONLY = ("ec_a100", "ec_fp8", "ec_fp8_l40s", "ep_a100", "emc_a100",
                "emc_l40s", "emc_fp8", "emc_fp8_l40s", "arw_a100", "arw_l40s",
                "arb", "arb_a100", "arb_l40s", "arh", "etile")


def described():
    text = subprocess.run([STEPCOST, "plugins", "describe", "smooth_roofline",
                           "--format", "json"], capture_output=True,
                          text=True).stdout
    return json.loads(text)["knobs"]


def solve(a, b):
    n = len(b)
    m = [a[i][:] + [b[i]] for i in range(n)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[p] = m[p], m[i]
        for r in range(i + 1, n):
            f = m[r][i] / m[i][i]
            for c in range(i, n + 1):
                m[r][c] -= f * m[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][c] * x[c] for c in range(i + 1, n))) / m[i][i]
    return x


def cost_of(residuals, x, prior):
    robust = sum(w * 2 * SCALE ** 2 * (math.sqrt(1 + (r / SCALE) ** 2) - 1)
                 for r, w in residuals)
    return robust + RIDGE * sum((a - b) ** 2 for a, b in zip(x, prior))


def normal(residuals, jacobian, x, prior):
    n = len(x)
    a = [[0.0] * n for _ in range(n)]
    b = [0.0] * n
    for (r, w), row in zip(residuals, jacobian):
        w /= math.sqrt(1 + (r / SCALE) ** 2)
        some = [j for j in range(n) if row[j]] if w else []
        for j in some:
            b[j] -= w * row[j] * r
            for k in some:
                a[j][k] += w * row[j] * row[k]
    for j in range(n):
        a[j][j] += RIDGE
        b[j] -= RIDGE * (x[j] - prior[j])
    return a, b


class Fit:
    """The coefficients as parameters x, and the measurements for their fit."""

    def __init__(self, folder):
        knobs = [k for k in described() if k["type"] == "double"]
        self.names = [k["name"] for k in knobs] + list(CLIENT)
        self.range = ([(float(k["min"]), float(k["max"])) for k in knobs] +
                      [(0, 1e6)] * len(CLIENT))
        self.start = self.of({**START, **CLIENT})
        self.steps = Steps(folder)
        self.logged = Logged(folder)
        self.served = Served(folder, "whole", "seeds = %d\n" % SEEDS)
        self.once = Served(folder, "once", "seeds = 1\n")

    def of(self, values):
        return [self.parameter(n, values[n]) for n in self.names]

    @staticmethod
    def parameter(name, v):
        return math.log(v - 1 if name == "p" else v)

    def point(self, x):
        return {n: 1 + math.exp(v) if n == "p" else math.exp(v)
                for n, v in zip(self.names, x)}

    def clip(self, x):
        out = []
        for n, v, (lo, hi) in zip(self.names, x, self.range):
            least = self.parameter(n, lo) if lo > (n == "p") else -12
            out.append(min(self.parameter(n, hi), max(least, v)))
        return out

    def residuals(self, xs, kernels_alone):
        """Returns the residuals for each x: served runs, logged steps (both left out
        with kernels_alone), prefill steps."""
        points = [self.point(x) for x in xs]
        told = [self.steps] if kernels_alone else [self.served, self.logged,
                                                   self.steps]
        return [sum(of, []) for of in zip(*(t.residuals(points)
                                            for t in told))]

    def measured(self):
        """Returns the row of each residual of a served run, and a row of the same run
        for each residual of logged steps."""
        of = {r["run"]: r for r in self.served.row.values()}
        run = {key[0]: next(of[name] for name in of if key[0] in name)
               for key in self.logged.keys}
        return ([self.served.row[row] for row, _ in self.served.keys] +
                [run[key[0]] for key in self.logged.keys])

    def moved(self, x, j):
        up = x[:]
        up[j] += STEP
        if self.clip(up)[j] != up[j]:
            up[j] -= 2 * STEP
        return up

    def derivatives(self, x, kernels_alone):
        """Returns [residual][parameter] at x."""
        points = [x] + [self.moved(x, j) for j in range(len(x))]
        all_ = self.steps.residuals([self.point(p) for p in points],
                                    [None] + self.names)
        if not kernels_alone:
            tell = [j for j, n in enumerate(self.names)
                    if n not in KERNELS_ONLY]
            some = [self.point(points[j]) for j in [0] + [j + 1 for j in tell]]
            run = [a + b for a, b in zip(self.once.residuals(some),
                                         self.logged.residuals(some))]
            of = {j + 1: r for j, r in zip(tell, run[1:])}
            all_ = [of.get(j, run[0]) + r for j, r in enumerate(all_)]
        return [[(all_[j + 1][i][0] - all_[0][i][0]) / (points[j + 1][j] - x[j])
                 for j in range(len(x))] for i in range(len(all_[0]))]

    def improved(self, xs, prior, kernels_alone, left_out):
        """Moves each of xs to the minimum of its residuals, without those left out.
        A step that does not help is tried again with more damping."""
        def cost(i, r, x):
            kept = [(v, 0 if k in left_out[i] else w)
                    for k, (v, w) in enumerate(r)]
            return cost_of(kept, x, prior)

        rs = self.residuals(xs, kernels_alone)
        costs = [cost(i, r, x) for i, (r, x) in enumerate(zip(rs, xs))]
        damping, small = [DAMPING] * len(xs), [0] * len(xs)
        going, moved = list(range(len(xs))), True
        for k in range(MOST_ITERATIONS):
            if moved:
                mean = [sum(column) / len(going)
                        for column in zip(*(xs[i] for i in going))]
                jacobian = self.derivatives(mean, kernels_alone)
            tries = [self.solved(xs[i], rs[i], jacobian, prior, damping[i],
                                 left_out[i]) for i in going]
            moved, still = False, []
            for i, x, r in zip(going, tries, self.residuals(tries,
                                                            kernels_alone)):
                now = cost(i, r, x)
                gain = 1 - now / costs[i]
                damping[i] *= 1 / 3 if gain > 0 else 4
                if gain > 0:
                    xs[i], rs[i], costs[i], moved = x, r, now, True
                    small[i] = small[i] + 1 if gain < SMALL else 0
                if damping[i] < MOST_DAMPING and small[i] < 2:
                    still.append(i)
            print("; %s %d: %.5f, %d going on" %
                  ("kernels" if kernels_alone else "all", k,
                   sum(costs) / len(costs), len(still)), flush=True)
            going = still
            if not going:
                break
        return xs, rs

    def solved(self, x0, r0, jacobian, prior, damping, left_out):
        """Returns the x with the smallest linearised residuals, without those left
        out; no parameter moves farther than REACH from x0.  Damping holds back
        parameters that the residuals determine badly."""
        kept = [(r, 0 if i in left_out else w) for i, (r, w) in enumerate(r0)]
        x, now = x0[:], kept
        for _ in range(20):
            a, b = normal(now, jacobian, x, prior)
            for j in range(len(x)):
                hold = damping * a[j][j]
                a[j][j] += hold
                b[j] -= hold * (x[j] - x0[j])
            move = [max(-REACH, min(REACH, v + max(-.1, min(.1, e)) - o))
                    for v, e, o in zip(x, solve(a, b), x0)]
            x = self.clip([o + m for o, m in zip(x0, move)])
            move = [v - o for v, o in zip(x, x0)]
            now = [(r + sum(g * m for g, m in zip(row, move) if g), w)
                   for (r, w), row in zip(kept, jacobian)]
        return x

    def by_kernels(self):
        """Returns the coefficients from prefill steps alone, which the fit with
        served runs starts from.  Four digits are as many as they are accurate to."""
        xs, _ = self.improved([self.start], self.start, True, [()])
        return self.of({n: float("%.4g" % v)
                        for n, v in self.point(xs[0]).items()})
