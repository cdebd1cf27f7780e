"""One query for each row of another query."""
import os
import time

from support import *

TITLE = 'One query for each row of another query'
PROBLEM = """
A page loads a list, and then runs one query for each of its rows. Each query is fast, and all
together are slow.
"""
SAYS = """
How many times the query runs per execution of the other one.
"""
REMEDY = """
A join, or WHERE … IN (…).
"""
REPORTS = []
VARIATIONS = ['']
SQL = True
unavailable = needs_root

def program(path, end, _):
    c = create(path)
    for _ in until(end, 0.03):
        for (row,) in c.execute("SELECT id FROM item ORDER BY id DESC LIMIT 25").fetchall():
            c.execute("SELECT name FROM item WHERE id = ?", (row,)).fetchall()


def check(case):
    case.finding("repeated", "note")
    case.says("25 × `SELECT name FROM item WHERE id = ?` per execution of `SELECT id FROM item")


if __name__ == "__main__":
    main(globals())
