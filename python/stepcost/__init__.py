"""Compare cost models of LLM serving, from Python.

    import stepcost
    stepcost.compare("five-arms").frame()

    class Flat(stepcost.CostModel):
        def eval(self, step):
            return 1000 + 20 * step.tokens

    stepcost.compare("five-arms", arms=[Flat, "operators"])

Each function runs the program `stepcost`, reads its JSON and returns a Result.  A
program that refuses or fails raises Error, with its message and exit code.  The
package needs Python alone; Result.frame() is a pandas.DataFrame where pandas is
installed.  doc/python.md explains it.
"""
from .commands import (  # pylint: disable=redefined-builtin
    arena, capacity, compare, eval, fit, recommend, run, score, sweep, validate)
from .cost_model import CostModel, Setup, Step
from .oracle import Oracle, oracle
from .program import Error
from .result import Frame, Result

__all__ = ["CostModel", "Error", "Frame", "Oracle", "Result", "Setup", "Step", "arena", "capacity", "compare", "eval", "fit", "oracle",
           "recommend", "run", "score", "sweep", "validate"]
