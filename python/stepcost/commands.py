"""The commands of the program as functions.

config   the name of a shipped configuration, the path of an INI, or a dict of its
         sections: {"model": {"config": "llama-3.1-8b"}, ...}
arms     one or a list of: a name in the configuration, a class derived from CostModel
keys     keys={"workload.seed": 7}, or workload__seed=7
options  every other keyword is an option of the command, as in `stepcost help
         COMMAND`: why=True is --why, seeds=5 is --seeds 5, a list repeats the option
"""
import contextlib
import os
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

from . import program
from .cost_model import CostModel, serve
from .result import Result

Config = Union[str, "os.PathLike[str]", Mapping[str, Mapping[str, Any]]]
Arm = Union[str, Type[CostModel]]
Arms = Union[Arm, Sequence[Arm]]


def _word(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.strip() != "" and name.isprintable()


def _ini(sections: Mapping[str, Mapping[str, Any]]) -> Tuple[str, List[str]]:
    """Returns a file of the sections alone, and the command line of their keys, so that no
    value is read as another line, and paths are relative to the caller's folder."""
    words: List[str] = []
    for section, keys in sections.items():
        if not _is_name(section) or "]" in section:
            raise program.Error("%r is no name of a section" % (section,), 2)
        if not isinstance(keys, Mapping):
            raise program.Error("[%s] is %r: give a dict of its keys" % (section, keys), 2)
        for key, value in keys.items():
            if not _is_name(key) or "=" in key:
                raise program.Error("%r is no name of a key in [%s]" % (key, section), 2)
            words += ["--set", "%s.%s=%s" % (section, key, _word(value))]
    return "".join("[%s]\n" % section for section in sections), words


_SECTIONS = ("model", "hardware", "engine", "workload", "slo", "tables", "autoscaler", "failures")


def _options(options: Mapping[str, Any]) -> List[str]:
    """Returns the command line of keys, as section__key=value, and of options."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        section, found, key = name.partition("__")
        if found:
            words += ["--set", "%s.%s=%s" % (section, key, _word(value))]
            continue
        if "_" in name and name.partition("_")[0] in _SECTIONS:
            raise TypeError("%s: a key of the INI has two underscores behind its section: %s"
                            % (name, name.replace("_", "__", 1)))
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [option, _word(each)]
    return words


def _metrics(bounds: Mapping[str, Any]) -> str:
    return ",".join("%s=%s" % item for item in bounds.items())


@contextlib.contextmanager
def _prepared(command: str, config: Config, arms: Optional[Arms], keys: Optional[Mapping[str, Any]],
              options: Mapping[str, Any]) -> Iterator[Tuple[List[str], str]]:
    """Yields the command line, and a folder that lives as long as the classes are served."""
    if isinstance(arms, (str, type)):
        arms = [arms]
    models = [arm for arm in arms or [] if not isinstance(arm, str)]
    for model in models:
        if not (isinstance(model, type) and issubclass(model, CostModel)):
            raise TypeError("arms: %r is neither a name nor a class derived from CostModel" % (model,))
    with tempfile.TemporaryDirectory(prefix="stepcost-") as folder, serve(models) as served:
        settings: List[str] = []
        if isinstance(config, Mapping):
            text, settings = _ini(config)
            path = os.path.join(folder, "config.ini")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            config = path
        if os.fspath(config).startswith("-"):
            raise program.Error("%r is no configuration, but an option: give it as a keyword" % config, 2)
        words = [*command.split(), os.fspath(config), *settings, *_options(options)]
        given = dict(keys or {}, **{"cost_model:%s.plugin" % name: path for name, path in served})
        for key, value in given.items():
            words += ["--set", "%s=%s" % (key, _word(value))]
        names: Dict[Any, str] = dict(zip(models, (name for name, _ in served)))
        if arms:
            words += ["--arms", ",".join(names.get(arm, arm) for arm in arms)]
        yield words, folder


def _command(command: str, config: Config, arms: Optional[Arms], keys: Optional[Mapping[str, Any]],
             options: Mapping[str, Any]) -> Result:
    with _prepared(command, config, arms, keys, options) as (words, folder):
        page = os.path.join(folder, "page.html")
        if program.has_option(command, "--html") and "html" not in options:
            words += ["--html", page]
        output, messages, code = program.call([*words, "--format", "json"])
        html = None
        if os.path.exists(page):
            with open(page, encoding="utf-8") as file:
                html = file.read()
    result = Result(output, messages, html) if output.lstrip().startswith("{") else None
    if code > 1 or result is None:
        error = program.Error("\n".join(messages) or "%s: exit code %d" % (command, code), code)
        error.result = result
        raise error
    return result


def run(config: Config, arms: Optional[Arms] = None, *, keys: Optional[Mapping[str, Any]] = None,
        **options: Any) -> Result:
    """Simulates one arm."""
    return _command("run", config, arms, keys, options)


def compare(config: Config, arms: Optional[Arms] = None, *, keys: Optional[Mapping[str, Any]] = None,
            **options: Any) -> Result:
    """Runs several cost models on the same requests; why=True explains the differences."""
    return _command("compare", config, arms, keys, options)


def capacity(config: Config, slo: Mapping[str, Any], arms: Optional[Arms] = None, *,
             keys: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Finds the highest rate that meets bounds such as {"ttft_p99_ms": 500}; try_=[...] compares
    ways to serve."""
    return _command("capacity", config, arms, keys, dict(options, slo=_metrics(slo)))


def validate(config: Config, measured: Union[str, Sequence[str]], arms: Optional[Arms] = None, *,
             keys: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Compares predictions with measured serving runs."""
    return _command("validate", config, arms, keys, dict(options, measured=measured))


Files = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


def _files(steps: Files) -> List[str]:
    return [os.fspath(steps)] if isinstance(steps, (str, os.PathLike)) else [os.fspath(file) for file in steps]


def eval(config: Config, steps: "Union[str, os.PathLike[str]]",  # pylint: disable=redefined-builtin
         arms: Optional[Arms] = None, *, keys: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Prices the steps of a file under every arm: a row for each step and arm."""
    return _command("eval", config, arms, keys, dict(options, steps=os.fspath(steps)))


def score(config: Config, steps: Files, arms: Optional[Arms] = None, *,
          keys: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Scores every arm on measured steps: a row for each arm."""
    return _command("score", config, arms, keys, dict(options, steps=_files(steps)))


def fit(config: Config, steps: Files, knobs: Union[str, Sequence[str]], arms: Optional[Arms] = None, *,
        keys: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Fits knobs such as ["mfu_prefill=0.5:0.1..1"] to measured steps: a row for each knob.
    result["better"] tells whether the fit is nearer on steps that it has not seen."""
    names = knobs if isinstance(knobs, str) else ",".join(knobs)
    return _command("fit", config, arms, keys, dict(options, steps=_files(steps), knobs=names))


def arena(config: Config = "arena", arms: Optional[Arms] = None, *, keys: Optional[Mapping[str, Any]] = None,
          **options: Any) -> Result:
    """Ranks cost models on sets of measured steps and serving runs: a row for each set and arm.
    with_=["mine.so"] adds plugins; result["overall"] is the order over all sets."""
    return _command("arena", config, arms, keys, options)


def recommend(config: Config, gpus: int, slo: Mapping[str, Any], arms: Optional[Arms] = None, *,
              keys: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Finds the best configuration of that many GPUs within bounds: a row for each arm."""
    return _command("recommend", config, arms, keys, dict(options, gpus=gpus, slo=_metrics(slo)))


def sweep(config: Config, axes: Mapping[str, Any], store: Union[str, "os.PathLike[str]"],
          arms: Optional[Arms] = None, *, keys: Optional[Mapping[str, Any]] = None,
          **options: Any) -> Result:
    """Runs all combinations of axes such as {"workload.request_rate": [5, 10]}.  The rows are in
    the store, a file, and a sweep that was stopped goes on from it."""
    axis = ["%s=%s" % (key, of if isinstance(of, str) else ",".join(map(_word, of))) for key, of in axes.items()]
    options = dict(options, store=os.fspath(store), axis=axis, quiet=True)
    with _prepared("sweep", config, arms, keys, options) as (words, _):
        program.ask(words)
    return Result(program.ask(["sweep", "show", os.fspath(store), "--format", "json"]), [])
