"""The rows of a sweep's stores, but those of `log`, as sorted lines.

store.py rows FILE...            what they hold, one after another
store.py sql FILE STATEMENT      the rows of one statement, '|' between cells
store.py journal FILE            changes all rows, and ends before the commit
store.py disorder FILE TO        a copy in which two rows are in each other's place
"""
import os
import sqlite3
import sys


def rows(path):
    db = sqlite3.connect(path)
    for table in ("study", "point", "result"):
        lines = [repr(row) for row in db.execute(f"SELECT * FROM {table}")]
        for line in sorted(lines):
            print(table, line)


def sql(path, statement):
    db = sqlite3.connect(path)
    for row in db.execute(statement):
        print("|".join("" if cell is None else str(cell) for cell in row))
    db.commit()


def journal(path):
    db = sqlite3.connect(path, isolation_level=None)
    # With a small cache the changes are in the file before the commit.
    db.execute("PRAGMA cache_size = 1")
    db.execute("BEGIN")
    db.execute("UPDATE result SET warning = hex(zeroblob(50000))")
    os._exit(0)


def disorder(path, to):
    """Changes the order of rows in a page of the table `result`, which has few and long ones."""
    whole = bytearray(open(path, "rb").read())
    for at in range(4096, len(whole), 4096):
        if whole[at] == 10 and 2 <= int.from_bytes(whole[at + 3:at + 5], "big") <= 6:
            first, second = at + 8, at + 10
            whole[first:second], whole[second:second + 2] = whole[second:second + 2], whole[first:second]
            break
    open(to, "wb").write(whole)


if sys.argv[1] == "rows":
    for path in sys.argv[2:]:
        rows(path)
elif sys.argv[1] == "journal":
    journal(sys.argv[2])
elif sys.argv[1] == "disorder":
    disorder(sys.argv[2], sys.argv[3])
else:
    sql(sys.argv[2], sys.argv[3])
