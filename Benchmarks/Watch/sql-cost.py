#!/usr/bin/env python3
"""Measures the cost of `poolgauge top --sql` for the programs that it traces, as root.

    sql-cost.py POOLGAUGE [--pairs N] [--seconds S]

Each program reads rows of a WAL database by key in a tight loop: one row or 51 rows, in C and with
Python's sqlite3. For each level, loops without and with a trace run in alternating pairs. A row
shows the median processor time of a read in each, in microseconds, and the median of the ratios.
The processor time of a loop includes that of its probes. Unlike the loop's rate, it depends little
on other programs. `--sql-limit 100%` keeps the trace from pausing; the last level, "default", is
light with the default limit of 5 %.
"""

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

LOOP = r"""
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
int main(int count, char **arguments) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    sqlite3_open(arguments[1], &database);
    double seconds = atof(arguments[2]);
    int rows = atoi(arguments[3]);
    sqlite3_prepare_v2(database, "SELECT * FROM p WHERE a BETWEEN ?1 AND ?2", -1, &statement, 0);
    double used = now(CLOCK_PROCESS_CPUTIME_ID), end = now(CLOCK_MONOTONIC) + seconds;
    long calls = 0;
    while ((calls & 63) || now(CLOCK_MONOTONIC) < end) {
        int first = (int)(calls * 7919 % 9000);
        sqlite3_bind_int(statement, 1, first);
        sqlite3_bind_int(statement, 2, first + rows - 1);
        while (sqlite3_step(statement) == SQLITE_ROW) {}
        sqlite3_reset(statement);
        calls++;
    }
    printf("%f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - used) / calls * 1e6);
}
"""

PYTHON = """
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1])
seconds, rows = float(sys.argv[2]), int(sys.argv[3])
used = time.process_time()
end = time.perf_counter() + seconds
calls = 0
while calls & 63 or time.perf_counter() < end:
    first = calls * 7919 % 9000
    c.execute("SELECT * FROM p WHERE a BETWEEN ? AND ?", (first, first + rows - 1)).fetchall()
    calls += 1
print((time.process_time() - used) / calls * 1e6)
"""


def cost(command, top):
    """Returns the processor time of one read of a loop, with a trace unless `top` is None."""
    loop = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    trace = None
    if top:
        words = [str(loop.pid) if word == "PID" else word for word in top]
        trace = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    answer = loop.communicate()[0]
    if trace:
        trace.terminate()
        trace.wait()
    return float(answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing needs root")
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/cost.sqlite"
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE p(a INTEGER PRIMARY KEY, b)")
        rows = ((i, "x" * 20) for i in range(10000))
        database.executemany("INSERT INTO p VALUES(?, ?)", rows)
        database.commit()
        with open(folder + "/loop.c", "w") as file:
            file.write(LOOP)
        program = folder + "/loop"
        subprocess.run(
            ["cc", "-O2", "-o", program, folder + "/loop.c", "-lsqlite3"], check=True
        )
        top = [options.poolgauge, "top", path, "--follow", "--for", str(options.seconds + 30)]
        unlimited = ["--sql-limit", "100%"]
        levels = {
            "light": top + ["--sql=light"] + unlimited,
            "timed": top + ["--sql=timed"] + unlimited,
            "full": top + ["--sql=full", "--pid", "PID"] + unlimited,
            "default": top + ["--sql=light"],
        }
        print(f"{'program':<8} {'rows':>4} {'level':<8} {'none':>8} {'traced':>8} {'ratio':>6}")
        for name, start in [("C", [program]), ("Python", [sys.executable, "-c", PYTHON])]:
            for count in [1, 51]:
                command = start + [path, str(options.seconds), str(count)]
                for level, words in levels.items():
                    pairs = []
                    for pair in range(options.pairs):
                        order = [None, words] if pair % 2 == 0 else [words, None]
                        found = {bool(top): cost(command, top) for top in order}
                        pairs.append((found[False], found[True]))
                        time.sleep(0.2)
                    none = statistics.median(pair[0] for pair in pairs)
                    traced = statistics.median(pair[1] for pair in pairs)
                    ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
                    print(
                        f"{name:<8} {count:>4} {level:<8} {none:>8.2f} {traced:>8.2f} {ratio:>6.2f}",
                        flush=True,
                    )


main()
