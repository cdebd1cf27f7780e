"""One long statement locks writers out."""
import os
import time

from support import *

TITLE = 'One long statement locks writers out'
PROBLEM = """
A purge or a migration executes one statement for seconds, in autocommit mode. Others fail, and
there is no BEGIN to search for.
"""
SAYS = """
Who holds the lock, that the process is busy rather than idle, and who waits.
"""
REMEDY = """
A faster statement, or smaller batches.
"""
REPORTS = [
    "https://github.com/home-assistant/core/issues/117263",
]
VARIATIONS = ['wal', 'delete']

def program(path, end, mode):
    create(path, mode).close()
    insert_in_child(path, end, timeout=0.4, pause=0.1)
    c = connect(path, None)
    c.set_progress_handler(lambda: time.time() > end, 100_000)
    try:
        c.execute("UPDATE item SET hits = (WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                  "WHERE i < 900000000) SELECT max(i) FROM n) WHERE id = 1")
    except sqlite3.OperationalError:
        pass


def check(case):
    kinds = {f["kind"] for f in case.findings}
    case.expect(kinds & {"longWriter", "exclusive"}, "no finding about the holder")
    case.says("of a core", "Make the statement faster")
    case.never_says("BEGIN without COMMIT", "idle in a transaction")


if __name__ == "__main__":
    main(globals())
