"""Large caches on many connections."""
import os

from support import *

TITLE = 'The caches of all connections exceed the memory'
PROBLEM = """
A program sets a large cache, which applies to each connection of its pool.
"""
SAYS = """
How much memory all caches may use, and how much there is.
"""
REMEDY = """
Dividing the cache by the number of connections.
"""
REPORTS = []
VARIATIONS = ['']
SQL = True
unavailable = needs_root


def program(path, end, _):
    create(path).close()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    connections = [connect(path, None) for _ in range(4)]
    for c in connections:
        c.execute(f"PRAGMA cache_size = -{memory // 1024 // 10}")
    for _ in until(end, 0.05):
        for c in connections:
            c.execute("SELECT count(*) FROM item").fetchall()


def check(case):
    case.finding("cacheMemory", "warning")
    case.says("The caches of 4 connections of")


if __name__ == "__main__":
    main(globals())
