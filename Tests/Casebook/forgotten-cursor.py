"""The log grows because a cursor was never closed."""
import os
import time

from support import *

TITLE = 'The log grows because a cursor was never closed'
PROBLEM = """
A program fetches some rows of a query and forgets the cursor. Its read transaction stays open,
so no checkpoint can reset the log, which grows without limit.
"""
SAYS = """
Which process pins the log, since when, and how many frames.
"""
REMEDY = """
Fetch all rows, or close the cursor. No restart is needed.
"""
REPORTS = [
    "https://github.com/status-im/nim-eth/pull/294",
    "https://github.com/stellar/stellar-core/pull/2040",
    "https://github.com/superseriousbusiness/gotosocial/issues/2808",
]
VARIATIONS = ['wal']

def program(path, end, _):
    create(path)
    if os.fork() == 0:
        reader = connect(path, None)
        cursor = reader.execute("SELECT * FROM item")
        cursor.fetchone()
        time.sleep(max(0, end - time.time()))
        os._exit(0)
    c = connect(path, None)
    for _ in until(end, 0.005):
        c.execute("UPDATE item SET hits = hits + 1")


def check(case):
    finding = case.finding("pinned", "warning")
    case.expect("close its cursors" in finding["remedy"], "the remedy is not to close cursors")
    case.says("pins the log")


if __name__ == "__main__":
    main(globals())
