"""Workers that outlive their server."""
import os
import time

from support import *

TITLE = 'Workers that outlive their server'
PROBLEM = """
A server was killed, and its workers continue to run. They hold connections, and sometimes
locks, that nobody expects.
"""
SAYS = """
That the parents of the workers have ended.
"""
REMEDY = """
End the workers; let workers end with their parent.
"""
REPORTS = [
    "https://github.com/open-gsd/gsd-pi/issues/1826",
    "https://github.com/marketcalls/openalgo/issues/2031",
]
VARIATIONS = ['']

def program(path, end, _):
    create(path).close()
    if os.fork() == 0:
        for _ in range(3):
            if os.fork() == 0:
                c = connect(path, None)
                for _ in until(end, 0.05):
                    c.execute("SELECT count(*) FROM item").fetchall()
                os._exit(0)
        os._exit(0)
    os.wait()
    time.sleep(max(0, end - time.time()))


def check(case):
    case.finding("orphans", "note")
    case.says("The parents of 3 of")


if __name__ == "__main__":
    main(globals())
