#!/usr/bin/env python3
"""Compares `poolgauge top --sql` with counts and times that programs measure. Requires root.

    sql-accuracy.py POOLGAUGE [PROGRAM…] [--levels full] [--seconds S] [--python PATH]
                    [--traced PATH]

Each program runs a query that takes a few milliseconds, a point read and an insert in turn, and
attempts inserts while another connection holds the lock. It counts its calls and its SQLITE_BUSY
errors, and measures the time of its statements. A row shows the numbers of the program and of the
trace. Calls and SQLITE_BUSY errors must be equal. The mean time of the long query must be within
10% (timed, if at least 100 calls were timed) or 5% (full).

The programs are C, shell (sqlite3), Python, apsw, SQLAlchemy, Django (with its test server), Ruby,
PHP, engine and GRDB. Programs that are not installed are skipped. --python specifies an interpreter
with apsw, SQLAlchemy and Django. --traced specifies the benchmark TracedProgram, which uses pools of
this engine and of GRDB.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

LONG = "SELECT sum(length(b)) FROM long_table"
POINT = "SELECT b FROM point WHERE a = ?"
INSERT = "INSERT INTO log(b) VALUES(?)"
KINDS = {"long": "long_table", "point": "point", "insert": "log"}
ROWS = 40000
BUSY = 5

C = r"""
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static double used[3];
static long calls[3];
static void run(sqlite3_stmt *statement, int kind, int value) {
    if (kind) sqlite3_bind_int(statement, 1, value);
    double start = now();
    while (sqlite3_step(statement) == SQLITE_ROW) {}
    used[kind] += now() - start;
    calls[kind]++;
    sqlite3_reset(statement);
}
int main(int count, char **arguments) {
    sqlite3 *c, *other;
    sqlite3_stmt *s[3];
    const char *texts[3] = {"LONG", "POINT", "INSERT"};
    sqlite3_open(arguments[1], &c);
    sqlite3_open(arguments[1], &other);
    sqlite3_exec(c, "PRAGMA synchronous = OFF", 0, 0, 0);
    for (int k = 0; k < 3; k++) sqlite3_prepare_v2(c, texts[k], -1, &s[k], 0);
    puts("ready");
    fflush(stdout);
    getchar();
    double end = now() + atof(arguments[2]);
    for (int i = 1; now() < end; i++) for (int k = 0; k < 3; k++) run(s[k], k, i % 1000);
    sqlite3_exec(other, "BEGIN IMMEDIATE", 0, 0, 0);
    int busy = 0;
    for (int i = 0; i < BUSY; i++) {
        sqlite3_bind_int(s[2], 1, i);
        calls[2]++;
        busy += sqlite3_step(s[2]) == SQLITE_BUSY;
        sqlite3_reset(s[2]);
    }
    sqlite3_exec(other, "COMMIT", 0, 0, 0);
    printf("{\"long\": [%ld, %f, 0], \"point\": [%ld, %f, 0], \"insert\": [%ld, %f, %d]}\n",
        calls[0], used[0], calls[1], used[1], calls[2], used[2], busy);
    fflush(stdout);
    while (getchar() > 0) {}
}
"""

# `run(kind, text, values)` and `attempt()`, which returns whether the insert encountered a lock.
LOOP = """
import json, sys, time
calls, used, busy = {k: 0 for k in texts}, {k: 0.0 for k in texts}, 0
print("ready", flush=True)
sys.stdin.readline()
end, i = time.perf_counter() + float(sys.argv[2]), 0
while time.perf_counter() < end:
    i += 1
    for kind, text in texts.items():
        start = time.perf_counter()
        run(text, () if kind == "long" else (i % 1000 + 1,))
        used[kind] += time.perf_counter() - start
        calls[kind] += 1
hold()
for i in range(BUSY):
    calls["insert"] += 1
    busy += attempt()
release()
print(json.dumps({k: [calls[k], used[k], busy if k == "insert" else 0] for k in texts}), flush=True)
sys.stdin.read()
"""

PYTHON = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
d = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
c.execute("PRAGMA synchronous = OFF")
c.execute("SELECT 1 FROM point").fetchone()
def run(text, values): c.execute(text, values).fetchall()
def hold(): d.execute("BEGIN IMMEDIATE")
def release(): d.execute("COMMIT")
def attempt():
    try: c.execute(texts["insert"], (1,))
    except sqlite3.OperationalError: return 1
    return 0
"""

APSW = """
import apsw, sys
c, d = apsw.Connection(sys.argv[1]), apsw.Connection(sys.argv[1])
c.execute("PRAGMA synchronous = OFF")
c.execute("SELECT 1 FROM point LIMIT 1").fetchall()
def run(text, values): c.execute(text, values).fetchall()
def hold(): d.execute("BEGIN IMMEDIATE")
def release(): d.execute("COMMIT")
def attempt():
    try: c.execute(texts["insert"], (1,))
    except apsw.BusyError: return 1
    return 0
"""

ALCHEMY = """
import sqlite3, sys
from sqlalchemy import create_engine, text as sql, exc
e = create_engine("sqlite:///" + sys.argv[1], isolation_level="AUTOCOMMIT", connect_args={"timeout": 0})
c, d = e.connect(), e.connect()
c.exec_driver_sql("PRAGMA synchronous = OFF")
c.exec_driver_sql("SELECT 1 FROM point LIMIT 1").fetchall()
def run(text, values):
    result = c.exec_driver_sql(text, values)
    if result.returns_rows: result.fetchall()
def hold(): d.exec_driver_sql("BEGIN IMMEDIATE")
def release(): d.exec_driver_sql("COMMIT")
def attempt():
    try: c.exec_driver_sql(texts["insert"], (1,))
    except exc.OperationalError: return 1
    return 0
"""

# The view runs one statement of each kind. A wrapper around Django's statements measures the times.
DJANGO = """
import json, sys, time, threading
import django
from django.conf import settings
path, port = sys.argv[1], sys.argv[2]
settings.configure(
    DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="k", USE_TZ=False,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path,
                           "CONN_MAX_AGE": None, "OPTIONS": {"timeout": 0}}})
django.setup()
from django.db import connection, models
from django.http import HttpResponse
from django.urls import path as route
class Point(models.Model):
    a = models.IntegerField(primary_key=True)
    b = models.TextField()
    class Meta: app_label, db_table, managed = "shop", "point", False
class Log(models.Model):
    b = models.IntegerField()
    class Meta: app_label, db_table, managed = "shop", "log", False
counts = {k: [0, 0.0, 0] for k in KINDS}
lock = threading.Lock()
def timed(execute, sql, params, many, context):
    kind = next((k for k, word in KINDS.items() if word in sql), None)
    start = time.perf_counter()
    try: return execute(sql, params, many, context)
    finally:
        if kind:
            with lock:
                counts[kind][0] += 1
                counts[kind][1] += time.perf_counter() - start
def view(request):
    with connection.execute_wrapper(timed):
        with connection.cursor() as cursor:
            cursor.execute("SELECT sum(length(b)) FROM long_table")
            cursor.fetchall()
        Point.objects.get(a=1 + counts["point"][0] % 1000)
        Log.objects.create(b=1)
    return HttpResponse("ok")
def stats(request): return HttpResponse(json.dumps(counts))
urlpatterns = [route("", view), route("stats", stats)]
from django.core.management import execute_from_command_line
execute_from_command_line(["x", "runserver", "127.0.0.1:" + port, "--noreload", "--nothreading"])
"""

RUBY = """
require 'sqlite3'
require 'json'
c = SQLite3::Database.new(ARGV[0])
d = SQLite3::Database.new(ARGV[0])
c.execute("PRAGMA synchronous = OFF")
texts = TEXTS
calls = {}; used = {}; busy = 0
texts.each_key { |k| calls[k] = 0; used[k] = 0.0 }
def now() = Process.clock_gettime(Process::CLOCK_MONOTONIC)
puts "ready"; $stdout.flush; $stdin.gets
finish = now + ARGV[1].to_f
i = 0
while now < finish
  i += 1
  texts.each do |kind, text|
    start = now
    c.execute(text, kind == :long ? [] : [i % 1000 + 1])
    used[kind] += now - start
    calls[kind] += 1
  end
end
d.execute("BEGIN IMMEDIATE")
BUSY.times do
  calls[:insert] += 1
  begin
    c.execute(texts[:insert], [1])
  rescue SQLite3::BusyException
    busy += 1
  end
end
d.execute("COMMIT")
puts JSON.generate(texts.keys.to_h { |k| [k, [calls[k], used[k], k == :insert ? busy : 0]] })
$stdout.flush
$stdin.read
"""

PHP = """<?php
$c = new SQLite3($argv[1]);
$d = new SQLite3($argv[1]);
$c->exec("PRAGMA synchronous = OFF");
$s = [];
$texts = TEXTS;
foreach ($texts as $k => $t) { $s[$k] = $c->prepare($t); $calls[$k] = 0; $used[$k] = 0.0; }
echo "ready\\n"; flush(); fgets(STDIN);
$end = hrtime(true) + $argv[2] * 1e9;
for ($i = 1; hrtime(true) < $end; $i++) foreach ($s as $k => $statement) {
    $start = hrtime(true);
    if ($k != "long") $statement->bindValue(1, $i % 1000 + 1);
    $result = $statement->execute();
    if ($k != "insert") while ($result->fetchArray()) {}
    $result->finalize();
    $used[$k] += (hrtime(true) - $start) / 1e9;
    // execute() steps a query and resets it. The first fetch executes the query again.
    $calls[$k] += $k == "insert" ? 1 : 2;
}
$d->exec("BEGIN IMMEDIATE");
$busy = 0;
for ($i = 0; $i < BUSY; $i++) {
    $calls["insert"]++;
    $s["insert"]->bindValue(1, 1);
    if (!@$s["insert"]->execute()) $busy++;
    // execute() does not reset a statement that failed.
    @$s["insert"]->reset();
}
$d->exec("COMMIT");
$found = [];
foreach ($s as $k => $_) $found[$k] = [$calls[$k], $used[$k], $k == "insert" ? $busy : 0];
echo json_encode($found), "\\n"; flush();
stream_get_contents(STDIN);
"""


def database(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE long_table(a INTEGER PRIMARY KEY, b TEXT)")
    connection.execute("CREATE TABLE point(a INTEGER PRIMARY KEY, b TEXT)")
    connection.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, b)")
    rows = [(i, "x" * (i % 50)) for i in range(1, ROWS + 1)]
    connection.executemany("INSERT INTO long_table VALUES(?, ?)", rows)
    connection.executemany("INSERT INTO point VALUES(?, ?)", rows[:1100])
    connection.commit()
    connection.close()


class Program:
    """A program that runs on request and then prints its counts."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError("the program did not start")
        self.pid = self.process.pid

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Shell:
    """The shell, which cannot loop. It reads each statement from its input and measures its time."""

    def __init__(self, path, seconds, folder):
        self.process = subprocess.Popen(
            ["sqlite3", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self.process.pid
        self.seconds = seconds
        self.ask("PRAGMA synchronous = OFF;")

    def ask(self, text):
        self.process.stdin.write(text + "\n.print done\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()).strip() != "done":
            lines.append(line)
        return lines

    def run(self):
        counts = {k: [0, 0.0, 0] for k in KINDS}
        end = time.perf_counter() + self.seconds
        self.ask(".timer on")
        texts = {"long": LONG, "point": POINT.replace("?", "7"), "insert": INSERT.replace("?", "7")}
        while time.perf_counter() < end:
            for kind, text in texts.items():
                for line in self.ask(text + ";"):
                    if line.startswith("Run Time"):
                        counts[kind][0] += 1
                        counts[kind][1] += float(line.split()[3])
        return counts

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Django:
    def __init__(self, python, path, seconds, folder):
        file = folder + "/site.py"
        with open(file, "w") as output:
            output.write(f"KINDS = {KINDS!r}\n" + DJANGO)
        self.port = 18500 + os.getpid() % 1000
        self.process = subprocess.Popen(
            [python, file, path, str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.pid = self.process.pid
        self.seconds = seconds
        for _ in range(100):
            try:
                self.get("")
                break
            except OSError:
                time.sleep(0.1)
        self.before = json.loads(self.get("stats"))

    def get(self, page):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{page}") as answer:
            return answer.read()

    def run(self):
        end = time.perf_counter() + self.seconds
        while time.perf_counter() < end:
            self.get("")
        after = json.loads(self.get("stats"))
        return {k: [a - b for a, b in zip(after[k], self.before[k])] for k in KINDS}

    def end(self):
        self.process.terminate()
        self.process.wait()


def programs(options, path, folder):
    """Returns a function for each installed program that starts the program."""
    texts = {"long": LONG, "point": POINT, "insert": INSERT}
    seconds = str(options.seconds)

    def script(head):
        code = f"texts = {texts!r}\nBUSY = {BUSY}\n" + head + LOOP
        return lambda: Program([options.python, "-c", code, path, seconds])

    def has(module):
        return subprocess.run(
            [options.python, "-c", "import " + module], capture_output=True
        ).returncode == 0

    found = {}
    if shutil.which("cc"):
        source = C.replace('"LONG"', f'"{LONG}"').replace('"POINT"', f'"{POINT}"')
        source = source.replace('"INSERT"', f'"{INSERT}"').replace("< BUSY;", f"< {BUSY};")
        pathlib.Path(folder + "/loop.c").write_text(source)
        subprocess.run(
            ["cc", "-O2", "-o", folder + "/loop", folder + "/loop.c", "-lsqlite3"], check=True
        )
        found["C"] = lambda: Program([folder + "/loop", path, seconds])
    if shutil.which("sqlite3"):
        found["shell"] = lambda: Shell(path, options.seconds, folder)
    found["Python"] = script(PYTHON)
    if has("apsw"):
        found["apsw"] = script(APSW)
    if has("sqlalchemy"):
        found["SQLAlchemy"] = script(ALCHEMY)
    if has("django"):
        found["Django"] = lambda: Django(options.python, path, options.seconds, folder)
    if shutil.which("ruby"):
        items = ", ".join(f"{k}: {t!r}" for k, t in texts.items())
        code = RUBY.replace("TEXTS", "{" + items + "}").replace("BUSY.", f"{BUSY}.")
        if subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode == 0:
            found["Ruby"] = lambda: Program(["ruby", "-e", code, path, seconds])
    if shutil.which("php"):
        items = ", ".join(f'"{k}" => "{t}"' for k, t in texts.items())
        pathlib.Path(folder + "/loop.php").write_text(
            PHP.replace("TEXTS", "[" + items + "]").replace("< BUSY", f"< {BUSY}")
        )
        found["PHP"] = lambda: Program(["php", folder + "/loop.php", path, seconds])
    if options.traced:
        words = [path, seconds, *texts.values(), str(BUSY)]
        found["engine"] = lambda: Program([options.traced, "engine", *words])
        found["GRDB"] = lambda: Program([options.traced, "GRDB", *words])
    return found


def has_probes(pid):
    """Returns whether a trace has set probes, in addition to its links to three tracepoints."""
    folder = pathlib.Path(f"/proc/{pid}/fd")
    try:
        links = [os.readlink(file) for file in folder.iterdir()]
    except OSError:
        return False
    return sum("bpf" in link and "link" in link for link in links) > 3


def trace(options, path, level, pid):
    """Starts a trace, and returns when its probes are set."""
    command = [options.poolgauge, "top", path, "--format", "json", "--for", "60s", f"--sql={level}"]
    # With a limit, only part of the calls is counted.
    command += ["--sql-limit", "none"]
    top = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(1200):
        if top.poll() is not None:
            sys.exit(f"top ended: {top.stderr.read()}")
        if has_probes(top.pid):
            break
        time.sleep(0.05)
    time.sleep(2)
    return top


def report(top):
    time.sleep(0.5)
    top.send_signal(signal.SIGINT)
    output, errors = top.communicate()
    if not output.startswith("{"):
        sys.exit(f"no report: {errors}")
    return json.loads(output)


def shown(found, kind):
    """Returns the totals of all statements of a kind."""
    word = KINDS[kind]
    verb = "INSERT" if kind == "insert" else "SELECT"
    own = [s for s in found.get("statements") or []
           if s["sql"].startswith(verb) and word in s["sql"]
           and not ("sqlite_" in s["sql"])]
    calls = sum(s["calls"] for s in own)
    timed = sum(s["timed"] for s in own)
    mean = sum(s.get("mean", 0) * s["calls"] for s in own) / calls if calls and timed else None
    return calls, timed, mean, sum(s["busy"] for s in own)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--levels", default="full")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--traced", help="the benchmark TracedProgram")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing requires root")
    # In a background command of a shell, SIGINT is ignored, and `top` would not end early.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"load average {os.getloadavg()[0]:.1f}; times in µs, by the program and by the trace")
    print(f"{'program':<11} {'level':<6} {'kind':<7} {'calls':>9} {'traced':>9} {'busy':>8} {'timed':>7}"
          f" {'own':>9} {'trace':>9} {'error':>7}")
    misses = rows = 0
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/accuracy.sqlite"
        database(path)
        for name, start in programs(options, path, folder).items():
            if options.programs and name not in options.programs:
                continue
            for level in options.levels.split(","):
                program = start()
                top = trace(options, path, level, program.pid)
                own = program.run()
                found = report(top)
                program.end()
                hidden = (found.get("tracing") or {}).get("notVisible") or []
                for entry in hidden:
                    print(f"{name:<11} {level:<6} not visible: {entry['reason']}")
                for kind in KINDS:
                    calls, timed, mean, busy = shown(found, kind)
                    own_calls, own_seconds, own_busy = own[kind]
                    good = calls == own_calls and busy == own_busy
                    if level == "timed":
                        good = busy == own_busy and calls == own_calls
                    text = ""
                    if mean is not None:
                        error = mean / (own_seconds / max(1, own_calls - own_busy)) - 1
                        text = f"{own_seconds / max(1, own_calls - own_busy) * 1e6:>9.1f} {mean * 1e6:>9.1f} {error * 100:>6.1f}%"
                        limit = 0.05 if level == "full" else 0.1
                        if kind == "long" and timed >= 100:
                            good = good and abs(error) <= limit
                    rows += 1
                    misses += not good
                    print(f"{name:<11} {level:<6} {kind:<7} {own_calls:>9} {calls:>9} {own_busy:>3} {busy:>4}"
                          f" {timed:>7} {text}{'' if good else '  MISS'}", flush=True)
                lost = (found.get("tracing") or {}).get("lost")
                if lost:
                    print(f"{name:<11} {level:<6} lost {lost} events")
    print(f"{rows - misses} of {rows} rows within their bounds; load average {os.getloadavg()[0]:.1f}")


main()
