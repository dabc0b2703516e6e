"""Cost models that are Python classes.

The program loads a cost model as a shared object.  serve() lends it a plugin that
starts bridge.py; that passes each line of the exec protocol (doc/exec-protocol.md)
to a thread of this process, where the class answers.  So a class may be defined in
a notebook and use variables of it.  Each arm, and each search of `capacity`, has an
instance of its own.
"""
import contextlib
import json
import os
import re
import shutil
import socket
import tempfile
import threading
from typing import Any, Dict, Iterator, List, Sequence, Tuple, Type, Union

from . import program

Answer = Union[float, int, Dict[str, Any]]
MESSAGE_MOST = 1000


class Setup:
    """The first line of the protocol: model, hardware, parallel, engine,
    tables and knobs, each as in doc/exec-protocol.md."""

    def __init__(self, line: Dict[str, Any]) -> None:
        self.model: Dict[str, Any] = line["model"]
        self.hardware: Dict[str, Any] = line["hardware"]
        self.parallel: Dict[str, Any] = line["parallel"]
        self.engine: Dict[str, Any] = line["engine"]
        self.tables: List[Dict[str, Any]] = line.get("tables", [])
        self.knobs: Dict[str, Any] = line["knobs"]


class Step:
    """An engine step: its chunks of prompts and its decodes.

    prefill_new, prefill_ctx  of each chunk: tokens computed now, tokens in the KV cache before
    prefill_last              of each chunk: 1 if it completes its prompt; None if unknown
    decode_ctx                of each decode: tokens in the KV cache before
    decode_new                of each decode: tokens verified; None if all are 1
    sampled                   sequences that emit a token
    step, flags               index of the step; 1 if it is replayed from a captured graph
    """

    def __init__(self, line: Dict[str, Any]) -> None:
        self.step: int = line["step"]
        self.flags: int = line["flags"]
        self.sampled: int = line["sampled"]
        self.prefill_new: List[int] = line["prefill_new"]
        self.prefill_ctx: List[int] = line["prefill_ctx"]
        self.prefill_last = line.get("prefill_last")
        self.decode_ctx: List[int] = line["decode_ctx"]
        self.decode_new = line.get("decode_new")

    @property
    def tokens(self) -> int:
        """Returns the number of tokens that the step computes."""
        return sum(self.prefill_new) + (sum(self.decode_new) if self.decode_new else len(self.decode_ctx))


class CostModel:
    """The base of cost models: override eval(), which must be a function of the step."""

    def __new__(cls, *setup: Any, **named: Any) -> "CostModel":
        if not setup and not named:
            raise TypeError("give the class %s, not %s(): stepcost makes the instance, with the set-up of a run"
                            % (cls.__name__, cls.__name__))
        return super().__new__(cls)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def eval(self, step: Step) -> Answer:
        """Returns the time of the step in microseconds, or a dict with total_us and
        other members of doc/exec-protocol.md."""
        raise NotImplementedError("%s has no eval()" % type(self).__name__)


def arm_name(model: Type[CostModel]) -> str:
    """Returns the name of the arm of a class: MyModel is my_model."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model.__name__).lower()


def _answer(value: Answer) -> Dict[str, Any]:
    price = value.get("total_us") if isinstance(value, dict) else value
    # numpy.bool_ is no bool, but its class is called bool or bool_.
    if not hasattr(type(price), "__float__") and not hasattr(type(price), "__index__") or type(price).__name__.startswith("bool"):
        raise TypeError("eval() returned %r: the time of a step is a number of microseconds" % (price,))
    return value if isinstance(value, dict) else {"total_us": float(value)}


def _reason(error: BaseException) -> Dict[str, Any]:
    """sys.exit() in a class ends no thread in silence: it is an error as others are.  Its text is
    one line that every reader of JSON takes, and shorter than an answer may be."""
    try:
        text = str(error)
    except BaseException:  # pylint: disable=broad-except
        text = "its text cannot be made"
    line = "; ".join(text.replace("\0", "\\0").split("\n"))[:MESSAGE_MOST]
    return {"error": "%s: %s" % (type(error).__name__, line.encode(errors="backslashreplace").decode())}


def _answers(instance: CostModel, steps: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Prices steps up to the first that fails."""
    results: List[Dict[str, Any]] = []
    for step in steps:
        try:
            results.append(_answer(instance.eval(Step(step))))
        except BaseException as error:  # pylint: disable=broad-except
            results.append(_reason(error))
            break
    return results


def _serve_one(connection: socket.socket, model: Type[CostModel]) -> None:
    """Answers the lines of one instance until the program closes it."""
    with connection, connection.makefile("rw", encoding="utf-8", newline="\n") as lines:
        instance = None
        for line in lines:
            try:
                given = json.loads(line)
                if instance is None:
                    instance = model(Setup(given))
                    reply: Dict[str, Any] = {"ready": max(given.get("protocols", [1]))}
                elif "steps" in given:
                    reply = {"results": _answers(instance, given["steps"])}
                else:
                    reply = _answer(instance.eval(Step(given)))
                text = json.dumps(reply, allow_nan=False)
            except BaseException as error:  # pylint: disable=broad-except
                text = json.dumps(_reason(error))
            try:
                lines.write(text + "\n")
                lines.flush()
            except OSError:
                return


def _accept(listener: socket.socket, model: Type[CostModel]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # closed by serve()
            return
        threading.Thread(target=_serve_one, args=(connection, model), daemon=True).start()


def _plugin() -> str:
    """Returns the path of the plugin that starts bridge.py, beside the other plugins."""
    folder = next(p["folder"] for p in json.loads(program.ask(["plugins", "list", "--format", "json"]))
                  if p["name"] == "exec")
    for place in (os.path.join(folder, "python"), os.path.join(os.path.dirname(folder), "python", ".libs")):
        path = os.path.join(place, "python_class.so")
        if os.path.exists(path):
            return path
    raise program.Error("python_class.so is not beside the plugins in %s" % folder, 2)


@contextlib.contextmanager
def _short(folder: str) -> Iterator[str]:
    """Yields a short path of a folder: the name of a socket has 107 bytes at most."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield "/proc/self/fd/%d" % number
    finally:
        os.close(number)


@contextlib.contextmanager
def serve(models: Sequence[Type[CostModel]]) -> Iterator[List[Tuple[str, str]]]:
    """Serves classes; yields (arm, path of its plugin) for each of them."""
    with contextlib.ExitStack() as stack:
        found: List[Tuple[str, str]] = []
        source = _plugin() if models else ""
        for model in models:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="stepcost-"))
            path = shutil.copy(source, folder)
            shutil.copy(os.path.join(os.path.dirname(__file__), "bridge.py"), folder)
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(stack.enter_context(_short(folder)) + "/socket")
            listener.listen()
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
            threading.Thread(target=_accept, args=(listener, model), daemon=True).start()
            found.append((arm_name(model), path))
        yield found
