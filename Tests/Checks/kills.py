#!/usr/bin/env python3
"""Kills Poolgauge while programs run that it has started, and checks that the programs are unharmed.

    kills.py POOLGAUGE [--kills 200] [--seed N]

Each time, `top`, `check`, `capture`, or `record` starts a program with threads, child processes, and
connections that open and close, and is killed with SIGKILL between 0 and 1.5 seconds later. The program
must then continue to read and write, end with its own exit status, and leave an intact database with all
committed rows. Its descriptors and its memory must not grow after the kill.
"""
import argparse
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

PROGRAM = r"""
import os, sqlite3, sys, threading, time
path, progress, stop = sys.argv[1:]
done = [0, 0, 0]
def connect():
    c = sqlite3.connect(path, isolation_level=None, timeout=20)
    c.execute("PRAGMA synchronous = OFF")
    return c
def work(number):
    c = connect()
    while not os.path.exists(stop):
        c.execute("INSERT INTO log (worker) VALUES (?)", (number,))
        done[number] += 1
        c.execute("SELECT count(*) FROM log WHERE id > ?", (done[number],)).fetchall()
        if done[number] % 50 == 0:
            c.close()
            c = connect()
        time.sleep(0.001)
threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for thread in threads: thread.start()
while not os.path.exists(stop):
    # A child process inherits the library in the middle of statements of other threads.
    child = os.fork()
    if child == 0:
        if done[2] % 2: os.execv(sys.executable, [sys.executable, "-c",
            "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=20).execute('SELECT 1')", path])
        os._exit(0)  # another thread may have held SQLite's mutexes during the fork
    assert os.waitpid(child, 0)[1] == 0
    done[2] += 1
    pages = int(open("/proc/self/statm").read().split()[1])
    with open(progress + ".new", "w") as file:
        file.write(f"{done[0] + done[1]} {done[2]} {len(os.listdir('/proc/self/fd'))} {pages}")
    os.rename(progress + ".new", progress)
    time.sleep(0.01)
for thread in threads: thread.join()
sqlite3.connect(path).execute("CREATE TABLE finished AS SELECT ? AS count", (done[0] + done[1],)).connection.commit()
sys.exit(7)
"""


def numbers(path):
    try:
        return [int(word) for word in path.read_text().split()]
    except OSError:
        return None


def wait(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def attempt(binary, kind, delay, folder):
    """Returns what went wrong, or None."""
    path, progress, stop = folder / "app.sqlite", folder / "progress", folder / "stop"
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, worker INTEGER)")
    db.close()
    script = folder / "program.py"
    script.write_text(PROGRAM)
    commands = {
        "top": ["top"], "check": ["check"],
        "capture": ["capture", path, "-o", folder / "app.yaml", "--no-check"],
        "record": ["record", "-o", folder / "app.rec"],
    }
    program = [sys.executable, script, path, progress, stop]
    status = folder / "status"
    # The shell remains, so that the exit status of the program is known after the kill.
    shell = ["sh", "-c", '"$@"; echo $? > "$0"', status, *program]
    poolgauge = subprocess.Popen(
        [binary, *commands[kind], "--", *shell], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(delay)
    poolgauge.send_signal(signal.SIGKILL)
    poolgauge.wait()
    if not wait(lambda: numbers(progress), 10):
        # The kill came before the program started.
        running = subprocess.run(["pgrep", "-f", str(script)], capture_output=True).returncode == 0
        stop.touch()
        wait(status.exists, 10)
        return "the program did not run" if running and not numbers(progress) else None
    first = numbers(progress)
    if not wait(lambda: numbers(progress)[0] > first[0] + 40 and numbers(progress)[1] > first[1] + 5, 20):
        stop.touch()
        return f"the program stopped after {first}, {numbers(progress)}"
    before = numbers(progress)
    time.sleep(0.5)
    after = numbers(progress)
    stop.touch()
    if not wait(lambda: status.exists() and status.read_text().strip(), 20):
        return "the program did not end"
    if status.read_text().strip() != "7":
        return f"exit status {status.read_text().strip()}"
    if after[2] > before[2] + 4:
        return f"descriptors: {before[2]}, later {after[2]}"
    if after[3] > before[3] + 512:
        return f"memory: {before[3]} pages, later {after[3]}"
    db = sqlite3.connect(path)
    if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        return "the database is damaged"
    if db.execute("SELECT count(*) FROM log").fetchone() != db.execute("SELECT count FROM finished").fetchone():
        return "rows are missing"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    wrong, ran = 0, {}
    for number in range(options.kills):
        kind, delay = ["top", "check", "capture", "record"][number % 4], chance.uniform(0, 1.5)
        with tempfile.TemporaryDirectory(prefix="kills-", ignore_cleanup_errors=True) as folder:
            problem = attempt(options.binary, kind, delay, pathlib.Path(folder))
            if (pathlib.Path(folder) / "progress").exists():
                ran[kind] = ran.get(kind, 0) + 1
        if problem:
            wrong += 1
            print(f"{number}: {kind} killed after {delay:.3f} s: {problem}", flush=True)
    print(f"{options.kills} kills, {sum(ran.values())} of them while the program ran {ran}: {wrong} wrong")
    sys.exit(wrong > 0 or not ran)


main()
