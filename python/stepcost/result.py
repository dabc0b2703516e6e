"""The result of a command: the program's JSON, a table of it, and its page."""
import html
import json
from typing import Any, Dict, List

# The list in each command's JSON with a row for each line of its table.
ROWS = ("searches", "results", "steps", "arms", "knobs")
# A printed table is at most so wide, if its rows can be columns instead.
WIDTH = 100
# The longest text of a printed cell.
CELL = 24


class Frame(List[Dict[str, Any]]):
    """A list of rows, for an interpreter without pandas; each row is a dict."""

    def columns(self) -> List[str]:
        names: Dict[str, None] = {}
        for row in self:
            names.update(dict.fromkeys(row))
        return list(names)

    def __str__(self) -> str:
        """Returns a line for each row, or for each column if that is too wide."""
        names = self.columns()
        cells = [names] + [[_short(_cell(row.get(name))) for name in names] for row in self]
        text = _aligned(cells)
        if len(text.partition("\n")[0]) <= WIDTH:
            return text
        return _aligned([list(line) for line in zip(*cells)], first_left=True)


def _short(text: str) -> str:
    return text if len(text) <= CELL else text[:CELL - 3] + "..."


def _aligned(cells: List[List[str]], first_left: bool = False) -> str:
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return "\n".join(
        "  ".join(c.ljust(w) if first_left and i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths)))
        for line in cells)


def _cell(value: Any) -> str:
    return "-" if value is None else "%.6g" % value if isinstance(value, float) else str(value)


def _flat(value: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Returns the scalars of nested objects, with names such as support.verdict."""
    found: Dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, dict):
            found.update(_flat(inner, prefix + name + "."))
        elif not isinstance(inner, list):
            found[prefix + name] = inner
    return found


class Result:
    """The answer of a command.

    json      the program's JSON, as nested dicts and lists (doc/results.md)
    warnings  the messages that the program printed beside it
    html      the program's page, or None for a command without one
    """

    def __init__(self, text: str, warnings: List[str], html_page: "str | None" = None) -> None:
        self.json: Dict[str, Any] = json.loads(text)
        self.warnings = warnings
        self.html = html_page

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    def rows(self) -> Frame:
        """Returns a row for each arm, search or point, with scalars alone; of an arena, for
        each set and arm."""
        if self.json.get("command") == "arena":
            return Frame(dict({"set": of["name"]}, **_flat(row))
                         for of in self.json["sets"] + self.json["runs"] for row in of["arms"])
        of = next((self.json[name] for name in ROWS if isinstance(self.json.get(name), list)), [self.json])
        return Frame(_flat(row) for row in of)

    def frame(self, nested: bool = False) -> Any:
        """Returns rows() as a pandas.DataFrame, or as a Frame if pandas is not installed.

        Without nested=True it has the names and the metrics of the rows, and not
        what they consist of: knobs, hashes of tables, intervals.
        """
        rows = Frame({name: value for name, value in row.items() if nested or "." not in name}
                     for row in self.rows())
        try:
            import pandas  # pylint: disable=import-outside-toplevel
        except ImportError:
            return rows
        return pandas.DataFrame(list(rows))

    def _repr_html_(self) -> str:
        if self.html:
            return ('<iframe style="width:100%%;height:80vh;border:0" srcdoc="%s"></iframe>'
                    % html.escape(self.html, quote=True))
        rows = self.rows()
        names = [name for name in rows.columns() if "." not in name]
        lines = [[_cell(row.get(name)) for name in names] for row in rows]
        return "<table><tr>%s</tr>%s</table>" % (
            "".join("<th>%s</th>" % html.escape(name) for name in names),
            "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(cell) for cell in line) for line in lines))

    def __repr__(self) -> str:
        return "<stepcost %s: %d rows; frame() has them>" % (self.json.get("command", "result"), len(self.rows()))
