"""A slow call inside a transaction."""
import os
import time

from support import *

TITLE = 'A slow call inside a transaction'
PROBLEM = """
A handler writes, calls a slow service, and then commits (an ORM flushes early). Others wait for
the lock, or fail after their busy timeout.
"""
SAYS = """
Who waits for whom, how long the transaction was open, and between which statements it executed
none.
"""
REMEDY = """
The slow work before BEGIN or after COMMIT.
"""
REPORTS = []
VARIATIONS = ['wal', 'delete']
SQL = True
unavailable = needs_root

def program(path, end, mode):
    create(path, mode).close()
    insert_in_child(path, end, timeout=0.25, pause=0.05)
    c = connect(path, None)
    for _ in until(end, 0.1):
        c.execute("BEGIN IMMEDIATE")
        c.execute("SELECT count(*) FROM item").fetchall()
        time.sleep(0.8)
        c.execute("UPDATE item SET hits = 1 WHERE id = 1")
        c.execute("COMMIT")


def check(case):
    finding = case.finding("busy", "warning")
    case.expect("before BEGIN or after COMMIT" in finding["remedy"], "no remedy for the gap")
    case.says("after waiting about", "executed no statement for 80")


if __name__ == "__main__":
    main(globals())
