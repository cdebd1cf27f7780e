"""One long statement locks writers out."""
import threading
import time

from support import *

TITLE = 'One long statement locks writers out'
PROBLEM = """
A purge or a migration executes one statement for seconds, in autocommit mode. Others fail, and
there is no BEGIN to search for.
"""
SAYS = """
Who holds the lock, and which statement it executes, although it began before the trace; and who
waits.
"""
REMEDY = """
A faster statement, or smaller batches.
"""
REPORTS = [
    "https://github.com/home-assistant/core/issues/117263",
]
VARIATIONS = ['wal', 'delete', 'thread']
SQL = True
unavailable = needs_root


def program(path, end, variation):
    end += 4  # The statement outlasts the reports.
    create(path, "wal" if variation == "thread" else variation).close()
    insert_in_child(path, end, timeout=0.4, pause=0.1)
    if variation == "thread":
        worker = threading.Thread(target=update, args=(path, end))
        worker.start()
        worker.join()
    else:
        update(path, end)


def update(path, end):
    c = connect(path, None)
    c.set_progress_handler(lambda: time.time() > end, 100_000)
    try:
        c.execute("UPDATE item SET hits = (WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                  "WHERE i < 900000000) SELECT max(i) FROM n) WHERE id = 1")
    except sqlite3.OperationalError:
        pass


def check(case):
    statement = "UPDATE item SET hits = (WITH n"
    running = [s for s in case.report["current"] if s["isRunning"] and s["sql"].startswith(statement)]
    case.expect(len(running) == 1 and running[0]["isLowerBound"], "the statement is not known")
    case.expect(running[0]["seconds"] > 1, "its age is not that of the trace")
    case.says("has been executing `" + statement, "for at least", "Make the statement faster")
    case.never_says("BEGIN without COMMIT", "idle in a transaction", "is not known")


if __name__ == "__main__":
    main(globals())
