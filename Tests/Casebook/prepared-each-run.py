"""Values in the text of statements, which SQLite then prepares for each run."""
from support import *

TITLE = 'Each run of a statement is prepared again'
PROBLEM = """
A program writes values into the text of its statements, or its library keeps no prepared statements.
SQLite parses and plans each run, which can take longer than the run itself.
"""
SAYS = """
How often per second the statement is prepared.
"""
REMEDY = """
Bound values, and a cache of statements.
"""
REPORTS = []
VARIATIONS = ['text', 'schema']
SQL = True
unavailable = needs_root


def program(path, end, variation):
    c = create(path)
    for number, _ in enumerate(until(end, 0.003)):
        if variation == "text":
            c.execute(f"SELECT name FROM item WHERE id = {number}").fetchall()
        else:
            # Each change of the schema, also of temporary tables, invalidates the statements.
            c.execute("CREATE TEMP TABLE scratch (id)")
            c.execute("SELECT name FROM item WHERE id = ?", (number,)).fetchall()
            c.execute("DROP TABLE scratch")


def check(case):
    case.expect(any(f["kind"] == "prepared" for f in case.findings), "no finding")
    case.says("`SELECT name FROM item WHERE id = ?`")
    if case.name.endswith("(text)"):
        case.says("is prepared for each run")
    counters = case.statement("SELECT name FROM item")["counters"]
    key = "preparations" if case.name.endswith("(text)") else "repreparations"
    case.expect(counters[key] >= 0.9 * counters["runs"], f"{key}: {counters}")


if __name__ == "__main__":
    main(globals())
