"""A join without an index, for which SQLite builds an index in each run."""
from support import *

TITLE = 'SQLite builds an index in each run'
PROBLEM = """
A join compares a column without an index. SQLite builds an index before each run and discards it
afterward.
"""
SAYS = """
How many rows the index has, or how many rows of a whole table each run passes.
"""
REMEDY = """
An index on the compared column.
"""
REPORTS = []
VARIATIONS = ['join', 'scan']
SQL = True
unavailable = needs_root


def program(path, end, variation):
    c = create(path)
    c.execute("INSERT INTO item WITH n(i) AS (SELECT 201 UNION ALL SELECT i + 1 FROM n "
              "WHERE i < 2200) SELECT i, i, 'item ' || i FROM n")
    join = "SELECT count(*) FROM item AS a, item AS b WHERE a.hits = b.hits AND a.id < 40"
    scan = "SELECT id FROM item WHERE name = 'item 7'"
    for _ in until(end, 0.1):
        c.execute(join if variation == "join" else scan).fetchall()


# SQLite counts the steps between rows, which are one less than the rows.
def check(case):
    if case.name.endswith("(join)"):
        case.finding("automaticIndex", "note")
        case.says("builds an index of about 2,199 rows in each run")
    else:
        case.finding("fullScan", "note")
        case.says("passes 2,199 rows of a whole table per run")


if __name__ == "__main__":
    main(globals())
