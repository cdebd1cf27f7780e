#!/usr/bin/env python3
"""Measures the cost of `poolgauge top --sql` for the programs that it traces. Requires root.

    sql-cost.py POOLGAUGE [PROGRAM…] [--levels full,default] [--pairs N] [--seconds S] [--python PATH]

Programs in C and Python (`sqlite3`) read one row or 51 rows of a WAL database by key in a tight
loop. Django answers requests in a loop without a network. Each request reads ten objects by their
keys and writes one object. Loops without and with a trace alternate in pairs.

A row shows the median processor time of a read in microseconds, without and with the trace, and the
median of the ratios. The processor time of a loop includes its probes. Unlike its rate, it depends
little on other programs. The level "full" has no limit, and "default" has the limit of 5%.
"""

import argparse
import os
import pathlib
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
    sqlite3_step(statement);
    sqlite3_reset(statement);
    getchar();
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
c.execute("SELECT * FROM p WHERE a = 1").fetchall()
sys.stdin.readline()
used = time.process_time()
end = time.perf_counter() + seconds
calls = 0
while calls & 63 or time.perf_counter() < end:
    first = calls * 7919 % 9000
    c.execute("SELECT * FROM p WHERE a BETWEEN ? AND ?", (first, first + rows - 1)).fetchall()
    calls += 1
print((time.process_time() - used) / calls * 1e6)
"""


DJANGO = """
import sys, time
import django
from django.conf import settings
settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="k", USE_TZ=False,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": sys.argv[1],
                           "CONN_MAX_AGE": None}})
django.setup()
from django.db import connection, models
from django.http import JsonResponse
from django.test import Client
from django.urls import path
class P(models.Model):
    a = models.IntegerField(primary_key=True)
    b = models.TextField()
    class Meta: app_label, db_table, managed = "shop", "p", False
number = 0
def view(request):
    global number
    number += 1
    found = [P.objects.get(a=(number * 7919 + i * 13) % 9000).b for i in range(10)]
    P.objects.filter(a=number % 9000).update(b="x" * 20)
    return JsonResponse({"found": found})
urlpatterns = [path("", view)]
with connection.cursor() as cursor: cursor.execute("PRAGMA synchronous = OFF")
client = Client()
seconds = float(sys.argv[2])
client.get("/")
sys.stdin.readline()
used = time.process_time()
end = time.perf_counter() + seconds
requests = 0
while time.perf_counter() < end:
    client.get("/")
    requests += 1
print((time.process_time() - used) / requests * 1e6)
"""


def has_probes(pid):
    """Returns whether a trace has set probes, in addition to its links to three tracepoints."""
    folder = pathlib.Path(f"/proc/{pid}/fd")
    try:
        links = [os.readlink(file) for file in folder.iterdir()]
    except OSError:
        return False
    return sum("bpf" in link and "link" in link for link in links) > 3


def cost(command, top):
    """Returns the processor time of a read in a loop, with a trace unless `top` is `None`."""
    loop = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    time.sleep(0.5)
    trace = None
    if top:
        trace = subprocess.Popen(top, stdout=subprocess.DEVNULL)
        # The probes are set after the libraries are calibrated.
        while not has_probes(trace.pid):
            if trace.poll() is not None:
                sys.exit("top ended")
            time.sleep(0.05)
        time.sleep(1.5)
    answer = loop.communicate("\n")[0]
    if trace:
        trace.terminate()
        trace.wait()
    return float(answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("programs", nargs="*", help="C, Python or Django (default: all)")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with Django")
    parser.add_argument("--levels", default="full,default")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing requires root")
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
        top = [options.poolgauge, "top", path, "--follow", "--for", f"{options.seconds + 30:g}s"]
        levels = {
            "full": top + ["--sql", "--sql-limit", "none"],
            "default": top + ["--sql"],
        }
        print(f"{'program':<8} {'rows':>4} {'level':<8} {'none':>8} {'traced':>8} {'ratio':>6}")
        loops = [
            ("C", [program], [1, 51]), ("Python", [options.python, "-c", PYTHON], [1, 51]),
        ]
        if subprocess.run([options.python, "-c", "import django"], capture_output=True).returncode:
            print("Django is not installed")
        else:
            loops.append(("Django", [options.python, "-c", DJANGO], [10]))
        for name, start, counts in loops:
            if options.programs and name not in options.programs:
                continue
            for count in counts:
                command = start + [path, str(options.seconds), str(count)]
                for level in options.levels.split(","):
                    words = levels[level]
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
