"""Writes fail at once although a busy timeout is set."""
import os
import time

from support import *

TITLE = 'Writes fail at once although a busy timeout is set'
PROBLEM = """
Transactions read and then write (Django, Rails, and most ORMs begin them as DEFERRED). If
another connection writes in between, the write fails with SQLITE_BUSY within a millisecond,
whatever the busy timeout.
"""
SAYS = """
One finding: how many executions failed, that the transaction had read before it wrote, and that
a busy timeout cannot help.
"""
REMEDY = """
BEGIN IMMEDIATE for transactions that write.
"""
REPORTS = [
    "https://github.com/python/cpython/issues/124510",
    "https://github.com/chatmail/core/pull/4063",
    "https://github.com/mozilla/application-services/pull/4764",
]
VARIATIONS = ['wal', 'delete']
SQL = True
unavailable = needs_root

def program(path, end, mode):
    create(path, mode).close()
    for child in range(2):
        if os.fork() == 0:
            work(path, end, mode, False)
            os._exit(0)
    work(path, end, mode, True)


def work(path, end, mode, prints):
    c = connect(path, None, timeout=20)
    done = failed = 0
    for _ in until(end):
        try:
            c.execute("BEGIN")
            c.execute("SELECT hits FROM item WHERE id = 1").fetchall()
            time.sleep(0.004)
            c.execute("UPDATE item SET hits = hits + 1 WHERE id = 1")
            c.execute("COMMIT")
            done += 1
        except sqlite3.OperationalError:
            failed += 1
            if c.in_transaction:
                c.execute("ROLLBACK")
    if prints:
        report(done=done, failed=failed)


def check(case):
    finding = case.finding("upgrade", "warning")
    case.expect("BEGIN IMMEDIATE" in finding["remedy"], "the remedy is not BEGIN IMMEDIATE")
    case.says("had read", "A busy timeout cannot help")
    update = case.statement("UPDATE item")
    case.expect(update["upgrades"] == update["busy"] > 0, "the counts differ")
    share = case.counts["failed"] / (case.counts["failed"] + case.counts["done"])
    case.expect(abs(update["busy"] / update["calls"] - share) < 0.2, "the share is wrong")
    case.never_says("was not traced")


if __name__ == "__main__":
    main(globals())
