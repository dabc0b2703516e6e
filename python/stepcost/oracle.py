"""Prices batches under one cost model: `stepcost oracle` behind a pipe."""
import json
import subprocess
from typing import Any, Dict, List, Optional, Sequence

from .program import Error, find


class Oracle:
    """A cost model that is ready to price.

    price() takes the requests of a batch as SGLang has them, pairs of new tokens and
    tokens that have KV already; ask() takes any question of doc/oracle.md.  A batch that
    cannot be priced raises Error, and the next one may be asked.
    """

    def __init__(self, config: str, arm: Optional[str] = None) -> None:
        path, environment = find()
        arguments = [path, "oracle", config] + (["--arms", arm] if arm else [])
        self._program = subprocess.Popen(arguments, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True, bufsize=1)
        self.about: Dict[str, Any] = self._read()
        self.arm: str = self.about["arms"][0]["name"]

    def _read(self) -> Any:
        assert self._program.stdout
        line = self._program.stdout.readline()
        if not line:
            raise Error("stepcost oracle ended", self._program.wait() or 4)
        return json.loads(line)

    def ask(self, question: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the answer to one question, of the first arm."""
        assert self._program.stdin
        self._program.stdin.write(json.dumps(dict(question, arm=self.arm)) + "\n")
        self._program.stdin.flush()
        answer: Dict[str, Any] = self._read()
        if "error" in answer:
            raise Error(answer["error"], answer["code"])
        return answer

    def price(self, reqs: Sequence[Sequence[int]]) -> Dict[str, Any]:
        """reqs: [extend_length, past_kv_length] each; the answer has `seconds`."""
        return self.ask({"reqs": [list(r) for r in reqs]})

    def scheduled(self, rows: Sequence[Sequence[int]]) -> Dict[str, Any]:
        """rows: [num_computed_tokens, num_scheduled_tokens, num_prompt_tokens] each."""
        return self.ask({"scheduled": [list(r) for r in rows]})

    def close(self) -> None:
        for pipe in (self._program.stdin, self._program.stdout):
            if pipe:
                pipe.close()
        self._program.wait()

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


def oracle(config: str, arm: Optional[str] = None) -> Oracle:
    """Opens the cost model of an arm, by default the first one."""
    return Oracle(config, arm)


__all__: List[str] = ["Oracle", "oracle"]
