""""database is locked" at once, without a busy timeout."""
import os
import time

from support import *

TITLE = '"database is locked" at once, without a busy timeout'
PROBLEM = """
A driver opens connections with a busy timeout of 0. Each write that meets another one fails at
once.
"""
SAYS = """
That the executions failed without waiting, who held the lock, and that no busy timeout is set.
"""
REMEDY = """
PRAGMA busy_timeout on each connection.
"""
REPORTS = []
VARIATIONS = ['wal', 'delete']
SQL = True
unavailable = needs_root

def program(path, end, mode):
    create(path, mode).close()
    if os.fork() == 0:
        c = connect(path, None)
        for _ in until(end, 0.05):
            c.execute("BEGIN IMMEDIATE")
            c.execute("UPDATE item SET hits = 1 WHERE id = 1")
            time.sleep(0.05)
            c.execute("COMMIT")
        os._exit(0)
    c = connect(path, None, timeout=0)
    counts = {"failed": 0, "done": 0}
    for _ in until(end, 0.01):
        try:
            c.execute("UPDATE item SET hits = 2 WHERE id = 2")
            counts["done"] += 1
        except sqlite3.OperationalError:
            counts["failed"] += 1
    report(**counts)


def check(case):
    finding = case.finding("busy", "warning")
    case.expect("busy_timeout" in finding["remedy"], "the remedy is not a busy timeout")
    case.says("without waiting", "has no busy timeout")
    update = case.statement("UPDATE item SET hits")
    case.expect(update["busy"] > 0, "no failures")


if __name__ == "__main__":
    main(globals())
