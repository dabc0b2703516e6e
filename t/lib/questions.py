"""Prints functions with a question as their name, as is_late() or arm_has_pool(),
that may change their subject: an argument points to a struct that is not const.

questions.py FOLDER
"""
import re
import sys
from pathlib import Path

QUESTION = r"(?:\w+_)?(?:is|has|are|was|needs|knows|takes)_\w+"
n = 0
for path in sorted(Path(sys.argv[1]).rglob("*.[ch]")):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    for name, args in re.findall(rf"^(?:static )?(?:inline )?int ({QUESTION})\(([^;{{]*?)\)\s*[;{{]", text, flags=re.M):
        n += 1
        for arg in args.split(","):
            if re.match(r"\s*struct (?!problem\b)\w+ \*", arg):
                print(f"{path}: {name}({' '.join(arg.split())}): const is missing")
if n < 300:
    print(f"only {n} questions are found")
