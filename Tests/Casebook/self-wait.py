"""A program waits for itself."""
import os
import time

from support import *

TITLE = 'A program waits for itself'
PROBLEM = """
Two threads of one process use two connections. One holds a write transaction while it does
other work; the other one waits and fails.
"""
SAYS = """
That the process waits for itself, and how long its connection holds the lock.
"""
REMEDY = """
One connection for all writes of the process, and no other work inside transactions.
"""
REPORTS = [
    "https://github.com/rails/rails/issues/51958",
]
VARIATIONS = ['0.8', '1.5']
WATCH = 4.0
def program(path, end, hold):
    import threading
    create(path).close()

    def keep():
        c = connect(path, None, check_same_thread=False)
        for _ in until(end, 0.2):
            c.execute("BEGIN IMMEDIATE")
            c.execute("UPDATE item SET hits = 1 WHERE id = 1")
            time.sleep(float(hold))
            c.execute("COMMIT")

    thread = threading.Thread(target=keep)
    thread.start()
    c = connect(path, None, timeout=0.5)
    for _ in until(end, 0.05):
        try:
            c.execute("UPDATE item SET hits = 2 WHERE id = 2")
        except sqlite3.OperationalError:
            pass
    thread.join()


def check(case):
    case.finding("selfWait", "warning")
    case.says("waits for itself")


if __name__ == "__main__":
    main(globals())
