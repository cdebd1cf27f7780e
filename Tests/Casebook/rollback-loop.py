"""A retry loop looks like one long transaction."""
import os
import time

from support import *

TITLE = 'A retry loop looks like one long transaction'
PROBLEM = """
A program takes the write lock for 0.3 s, rolls back, and starts again at once. Samples find the
lock each time, but no transaction is long.
"""
SAYS = """
That the lock was found at each sample, and may have been released in between.
"""
REMEDY = """
The samples alone do not show more: trace SQL, which shows each transaction.
"""
REPORTS = []
VARIATIONS = ['wal', 'delete']

def program(path, end, mode):
    c = create(path, mode)
    for _ in until(end):
        c.execute("BEGIN IMMEDIATE")
        c.execute("UPDATE item SET hits = 1")
        time.sleep(0.3)
        c.execute("ROLLBACK")


def check(case):
    case.says("may have released the lock between samples")
    case.never_says("idle in a transaction", "for at least 3", "for at least 4")
    for process in case.report["processes"]:
        for lock in process["locks"]:
            if lock["kind"] in ("writer", "reserved"):
                case.expect(not lock["isContinuous"], "the lock is called continuous")
    case.expect(all(e["seconds"] < 1 for e in case.report["episodes"]), "a long episode")


if __name__ == "__main__":
    main(globals())
