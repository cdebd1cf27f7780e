"""No other program can open the database."""
import os
import time

from support import *

TITLE = 'No other program can open the database'
PROBLEM = """
A program uses PRAGMA locking_mode = EXCLUSIVE in WAL mode. It keeps the wal-index in its
memory, so its commits cannot be counted from outside.
"""
SAYS = """
Who excludes others, and that commits are unknown, rather than 0.
"""
REMEDY = """
locking_mode = NORMAL, if others need the database.
"""
REPORTS = [
    "https://sqlite.org/pragma.html#pragma_locking_mode",
]
VARIATIONS = ['two programs', 'one program']

def program(path, end, variation):
    if variation == "two programs" and os.fork() == 0:
        time.sleep(0.5)
        other = connect(path, None, timeout=0.2)
        for _ in until(end, 0.1):
            try:
                other.execute("SELECT count(*) FROM item").fetchall()
            except sqlite3.OperationalError:
                pass
        os._exit(0)
    c = connect(path, None)
    c.execute("PRAGMA locking_mode = EXCLUSIVE")
    c.execute("PRAGMA journal_mode = wal")
    c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    for _ in until(end, 0.02):
        c.execute("INSERT INTO item VALUES (NULL)")


def check(case):
    # Nobody else may need the database.
    level = "warning" if case.variation == "two programs" else "note"
    finding = case.finding("exclusive", level)
    case.expect("locking_mode" in finding["remedy"], "the remedy does not name locking_mode")
    case.says("commits and checkpoints are unknown")
    case.never_says("0/s commits")
    case.expect("commits" not in case.report["wal"], "commits are not unknown")


if __name__ == "__main__":
    main(globals())
