"""A commit waits for a reader that has finished."""
import os
import time

from support import *

TITLE = 'A commit waits for a reader that has finished'
PROBLEM = """
With a rollback journal, a cursor that was not closed keeps a shared lock. A writer cannot
commit, and nobody else can read.
"""
SAYS = """
Who holds the pending lock, and for which readers it waits.
"""
REMEDY = """
Close the cursor; or use WAL mode, in which readers do not block a writer.
"""
REPORTS = [
    "https://sqlite.org/lockingv3.html",
]
VARIATIONS = ['']

def program(path, end, _):
    create(path, "delete").close()
    if os.fork() == 0:
        reader = connect(path, None)
        cursor = reader.execute("SELECT * FROM item")
        cursor.fetchone()
        time.sleep(max(0, end - time.time()))
        os._exit(0)
    time.sleep(0.3)
    c = connect(path, None, timeout=60)
    c.set_progress_handler(lambda: time.time() > end, 1000)
    c.execute("UPDATE item SET hits = 1")


def check(case):
    case.finding("exclusive", "warning")
    case.says("pending lock", "is waiting for readers to finish")


if __name__ == "__main__":
    main(globals())
