"""Reads fail with "database table is locked"."""
import os
import time

from support import *

TITLE = 'Reads fail with "database table is locked"'
PROBLEM = """
Connections of one process are opened with cache=shared. Readers and writers of one table then
fail at once with SQLITE_LOCKED, also in WAL mode, and the busy timeout does not apply.
"""
SAYS = """
The share of executions that fail with SQLITE_LOCKED_SHAREDCACHE, and that the connections share
a cache.
"""
REMEDY = """
Remove cache=shared.
"""
REPORTS = [
    "https://github.com/mattn/go-sqlite3/issues/632",
    "https://github.com/umbraco/Umbraco-CMS/pull/23960",
]
VARIATIONS = ['wal']
SQL = True
unavailable = needs_root

def program(path, end, _):
    import threading
    create(path).close()
    counts = {"reads": 0, "locked": 0}

    def open_shared():
        return sqlite3.connect(f"file:{path}?cache=shared", uri=True, isolation_level=None,
                               timeout=5, check_same_thread=False)

    def write():
        c = open_shared()
        for _ in until(end, 0.02):
            try:
                c.execute("BEGIN IMMEDIATE")
                c.execute("UPDATE item SET hits = 1 WHERE id = 3")
                time.sleep(0.03)
                c.execute("COMMIT")
            except sqlite3.OperationalError:
                if c.in_transaction:
                    c.execute("ROLLBACK")

    thread = threading.Thread(target=write)
    thread.start()
    c = open_shared()
    for _ in until(end, 0.005):
        counts["reads"] += 1
        try:
            c.execute("SELECT count(*) FROM item WHERE hits = 1").fetchall()
        except sqlite3.OperationalError:
            counts["locked"] += 1
    thread.join()
    report(**counts)


def check(case):
    finding = case.finding("failures", "warning")
    case.expect("cache=shared" in finding["remedy"], "the remedy is not to remove cache=shared")
    case.says("SQLITE_LOCKED_SHAREDCACHE", "failed")
    read = case.statement("SELECT count")
    share = case.counts["locked"] / case.counts["reads"]
    case.expect(abs(read["failed"] / read["calls"] - share) < 0.15, "the share is wrong")


if __name__ == "__main__":
    main(globals())
