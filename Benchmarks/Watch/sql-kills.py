#!/usr/bin/env python3
"""Kills `poolgauge top --sql` at random moments, and checks what they leave behind. Requires root.

    sql-kills.py POOLGAUGE [--kills N] [--seed N]

Programs read and write a database in a loop: one that continues, one that forks, one that replaces
itself with `exec`, one that loads SQLite late, and short-lived ones. Each `top` is killed with
SIGKILL between 0 and 3 seconds after its start. A second later, none of its links may remain in the
kernel. At the end, all programs must still run, and their counters must have increased after
each kill.

Afterward, one `top` watches programs that fork, replace themselves, load SQLite late, or end
half a second after they opened the database. It must report each of their calls.
"""

import argparse
import ctypes
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

LOOP = """
import os, sqlite3, sys, time
path, count, kind = sys.argv[1:4]
def loop(end=None):
    c = sqlite3.connect(path, timeout=30, isolation_level=None)
    calls = 0
    while end is None or time.monotonic() < end:
        c.execute("SELECT b FROM point WHERE a = ?", (calls % 100,)).fetchall()
        if calls % 20 == 0:
            c.execute("UPDATE point SET b = b + 1 WHERE a = ?", (calls % 100,))
        calls += 1
        if calls % 50 == 0:
            with open(count, "w") as file: file.write(str(time.monotonic()))
        time.sleep(0.0005)
if kind == "steady": loop()
while True:
    end = time.monotonic() + 0.3
    if kind == "fork":
        child = os.fork()
        if child == 0:
            loop(end)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status: sys.exit(f"the child failed: {status}")
    elif kind == "exec":
        loop(end)
        os.execv(sys.executable, [sys.executable, "-c", os.environ["LOOP"]] + sys.argv[1:])
"""

# A program that loads SQLite after its start, in a new process about every 300 ms.
LATE = """
import sys, time, subprocess, os
path, count, kind = sys.argv[1:4]
code = '''
import sys, time
time.sleep(0.1)
import sqlite3
path, count = sys.argv[1:3]
c = sqlite3.connect(path, timeout=30, isolation_level=None)
for i in range(100):
    c.execute("SELECT b FROM point WHERE a = ?", (i,)).fetchall()
with open(count, "w") as file: file.write(str(time.monotonic()))
'''
while True:
    subprocess.run([sys.executable, "-c", code, path, count], check=True)
"""


# Programs that call SQLite a known number of times, in a child, before and after `exec`, or late. They
# wait until the probes are set.
CALLS = 500
LOOPS = {"fork": 3, "exec": 2, "late": 1, "once": 1}
FINITE = """
import os, sys, time
path, kind, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
def loop():
    import sqlite3
    c = sqlite3.connect(path, timeout=30, isolation_level=None)
    c.execute("PRAGMA user_version").fetchall()
    time.sleep(0.5)  # The probes are set after the process opened the database.
    for i in range(calls): c.execute("SELECT b, 1 FROM point WHERE a = ?", (i % 100,)).fetchall()
    c.close()
if kind == "fork":
    loop()
    child = os.fork()
    loop()
    if child == 0: os._exit(0)
    os.waitpid(child, 0)
elif kind == "exec":
    loop()
    os.execv(sys.executable, [sys.executable, "-c", os.environ["FINITE"], path, "once", str(calls)])
elif kind == "late":
    import time
    time.sleep(1)
    loop()
else: loop()
"""


def link_count():
    """Returns the number of links in the kernel, each of which sets probes in one process."""
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = (ctypes.c_uint32 * 36)()
    count = 0
    while True:
        # BPF_LINK_GET_NEXT_ID, on x86_64 or arm64
        call = 321 if os.uname().machine == "x86_64" else 280
        if libc.syscall(call, 31, attributes, ctypes.sizeof(attributes)) != 0:
            return count
        attributes[0] = attributes[1]
        attributes[1] = 0
        count += 1


def changing_programs(poolgauge, path):
    """Traces programs that change while they are traced, and returns the failures."""
    top = subprocess.Popen(
        [
            poolgauge, "top", path, "--for", "8s", "--sql", "--format", "json",
            # A trace that pauses counts only part of the calls.
            "--sql-limit", "none",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    time.sleep(1.5)
    if top.poll() is not None:
        return [f"top failed: {top.stderr.read().strip()}"]
    programs = {
        kind: subprocess.Popen(
            [sys.executable, "-c", FINITE, path, kind, str(CALLS)],
            env={**os.environ, "FINITE": FINITE},
        )
        for kind in LOOPS
    }
    codes = {kind: program.wait() for kind, program in programs.items()}
    failures = [f"{kind} ended with {code}" for kind, code in codes.items() if code]
    output, errors = top.communicate()
    if top.returncode:
        return failures + [f"top failed: {errors.strip()}"]
    statements = json.loads(output)["statements"]
    calls = sum(one["calls"] for one in statements if "SELECT b, ?" in one["sql"])
    expected = CALLS * sum(LOOPS.values())
    print(f"fork, exec, late load and exit: {calls:,} of {expected:,} calls reported")
    if calls != expected:
        failures.append(f"calls were not reported: {json.loads(output)['tracing']}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing requires root")
    chance = random.Random(options.seed)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/app.sqlite"
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE point(a INTEGER PRIMARY KEY, b INTEGER)")
        database.executemany("INSERT INTO point VALUES(?, 0)", [(i,) for i in range(100)])
        database.commit()
        environment = {**os.environ, "LOOP": LOOP}
        programs = {}
        for kind in ("steady", "fork", "exec", "late"):
            code = LATE if kind == "late" else LOOP
            programs[kind] = subprocess.Popen(
                [sys.executable, "-c", code, path, f"{folder}/{kind}", kind], env=environment,
                start_new_session=True,
            )
        time.sleep(1)
        try:
            probed, longest = 0, 0.0
            before = link_count()
            for number in range(options.kills):
                command = [options.poolgauge, "top", path, "--follow", "--sql"]
                top = subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
                )
                time.sleep(chance.uniform(0, 3))
                if top.poll() is not None:
                    failures.append(f"kill {number}: top had ended: {top.stderr.read().strip()}")
                    continue
                probed += link_count() > before
                top.send_signal(signal.SIGKILL)
                start = time.monotonic()
                top.wait()
                while link_count() > before and time.monotonic() < start + 5:
                    time.sleep(0.01)
                seconds = time.monotonic() - start
                longest = max(longest, seconds)
                if seconds > 1:
                    failures.append(f"kill {number}: {link_count() - before} links after {seconds:.1f} s")
                killed = time.monotonic()
                for kind, program in programs.items():
                    while time.monotonic() < killed + 5:
                        try:
                            if float(pathlib.Path(f"{folder}/{kind}").read_text()) > killed:
                                break
                        except (OSError, ValueError):
                            pass
                        time.sleep(0.02)
                    else:
                        failures.append(f"kill {number}: {kind} made no progress")
                    if program.poll() is not None:
                        failures.append(f"kill {number}: {kind} ended with {program.returncode}")
            print(
                f"{options.kills} kills, {probed} of them with probes set; probes were removed"
                f" within {longest * 1000:.0f} ms"
            )
            failures += changing_programs(options.poolgauge, path)
        finally:
            for program in programs.values():
                if program.poll() is None:
                    os.killpg(program.pid, signal.SIGKILL)
                program.wait()
    for failure in failures:
        print(failure)
    print("nothing remained" if not failures else f"{len(failures)} failures")
    sys.exit(bool(failures))


main()
