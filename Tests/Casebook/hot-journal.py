"""A read-only program fails after a crash."""
import os
import time

from support import *

TITLE = 'A read-only program fails after a crash'
PROBLEM = """
A process was killed inside a transaction and left a rollback journal. A program that can only
read cannot roll it back, and fails with SQLITE_READONLY_ROLLBACK.
"""
SAYS = """
An alarm: the hot journal, who can roll it back, and not to delete it.
"""
REMEDY = """
Open the database once with a program that can write; keep the journal next to it.
"""
REPORTS = [
    "https://github.com/sqlitebrowser/sqlitebrowser/issues/3385",
]
VARIATIONS = ['delete', 'persist', 'truncate']

def program(path, end, mode):
    c = create(path, mode)
    c.execute("INSERT INTO item WITH n(i) AS (SELECT 201 UNION ALL SELECT i + 1 FROM n WHERE "
              "i < 3000) SELECT i, 0, hex(randomblob(100)) FROM n")
    c.close()
    if os.fork() == 0:
        d = connect(path, mode)
        d.execute("PRAGMA cache_size = 10")
        d.execute("BEGIN")
        d.execute("UPDATE item SET name = 'half'")
        os.kill(os.getpid(), 9)
    os.wait()
    time.sleep(max(0, end - time.time()))


def check(case):
    case.finding("hotJournal", "alarm")
    case.says("connections that can only read fail", "SQLITE_READONLY_ROLLBACK")


if __name__ == "__main__":
    main(globals())
