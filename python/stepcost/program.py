"""Finds the program `stepcost` and runs it.

The program is $STEPCOST, or what tools/demo.sh built where this package is in the
source tree, or the one on the PATH, in this order.
"""
import functools
import os
import shutil
import subprocess
from typing import Dict, List, Optional, Sequence, Tuple

PREFIX = "stepcost: "


class Error(Exception):
    """The program refused or failed.

    exit_code is the program's: 2 for the command line and the INI, 3 for the
    content of files, 4 for a plugin.  result is the Result of the arms that did
    not fail, or None.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.result = None


def _source_tree() -> str:
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find() -> Tuple[str, Dict[str, str]]:
    """Returns the path of the program, and the environment that it needs."""
    environment = dict(os.environ)
    given = os.environ.get("STEPCOST")
    if given:
        path = shutil.which(given)
        if not path:
            raise Error("STEPCOST = %s: there is no such program" % given, 2)
        return path, environment
    tree = _source_tree()
    built = os.path.join(tree, "build-demo", "stepcost")
    if os.access(built, os.X_OK):
        environment.setdefault("STEPCOST_PLUGIN_PATH", os.path.join(tree, "build-demo", ".libs"))
        environment.setdefault("STEPCOST_DATA_PATH", tree)
        return built, environment
    path = shutil.which("stepcost")
    if not path:
        raise Error("the program stepcost is not installed: put it on the PATH, or name it in STEPCOST", 2)
    return path, environment


def _messages(text: str) -> List[str]:
    """Returns the messages of a standard error: one begins with the program's name."""
    found: List[str] = []
    for line in text.splitlines():
        if line.startswith(PREFIX) or not found:
            found.append(line[len(PREFIX):] if line.startswith(PREFIX) else line)
        else:
            found[-1] += "\n" + line
    return found


def call(arguments: Sequence[str], folder: Optional[str] = None) -> Tuple[str, List[str], int]:
    """Runs `stepcost ARGUMENTS`; returns its output, its messages and its exit code."""
    path, environment = find()
    for word in arguments:
        if "\0" in word:
            raise Error("%r: no argument of a program has a byte of 0" % word, 2)
        try:
            os.fsencode(word)
        except UnicodeEncodeError:
            raise Error("%r: no argument of a program has half of a character" % word, 2) from None
    done = subprocess.run([path, *arguments], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    return done.stdout, _messages(done.stderr), done.returncode


def ask(arguments: Sequence[str]) -> str:
    """Returns the output of `stepcost ARGUMENTS`; raises Error if it fails."""
    output, messages, code = call(arguments)
    if code:
        raise Error("\n".join(messages) or "exit code %d" % code, code)
    return output


@functools.lru_cache(maxsize=None)
def has_option(command: str, option: str) -> bool:
    """Returns True if the help of a command names an option."""
    return any(line.split()[:1] == [option] for line in ask(["help", *command.split()]).splitlines())
