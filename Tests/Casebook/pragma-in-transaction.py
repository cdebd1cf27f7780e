"""PRAGMA foreign_keys inside a transaction, which has no effect."""
from support import *

TITLE = 'Foreign keys are not enforced although they were switched on'
PROBLEM = """
A library begins a transaction before the program executes PRAGMA foreign_keys = ON. SQLite then
ignores the pragma without an error, and rows that refer to nothing are stored.
"""
SAYS = """
That the pragma was executed, and is not in force.
"""
REMEDY = """
Executing the pragma before BEGIN.
"""
REPORTS = [
    "https://github.com/chroma-core/chroma/pull/6641",
    "https://github.com/sqlitebrowser/sqlitebrowser/issues/980",
]
VARIATIONS = ['']
SQL = True
unavailable = needs_root


def program(path, end, _):
    create(path).close()
    for _ in until(end, 0.2):
        c = connect(path, None)
        c.execute("BEGIN")
        c.execute("PRAGMA foreign_keys = ON")
        c.execute("UPDATE item SET hits = 1 WHERE id = 1")
        c.execute("COMMIT")


def check(case):
    case.finding("inactivePragma", "warning")
    case.says("PRAGMA foreign_keys = ON was executed without an error", "foreign_keys is off")


if __name__ == "__main__":
    main(globals())
