#!/usr/bin/env python3
"""Kills recorders at random moments, and checks how much their recordings lack.

    recording-kills.py POOLGAUGE [--kills N] [--seed N]

A program writes to a database. In turn, `record` records this database every 100 ms, and `run`
records a run, which has ten samples per second. Each recorder is killed with SIGKILL between 1.5 and
5 seconds after its first sample. Its recording must pass SQLite's integrity check, `report` must
read it, and the last sample must be at most a second older than the kill. Every third recording is
continued and killed again.
"""

import argparse
import os
import pathlib
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BOUND = 1.0


def write(path, stop):
    """Writes to a database until the event is set."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
    while not stop.is_set():
        connection.execute("INSERT INTO t VALUES (randomblob(200))")
        time.sleep(0.005)
    connection.close()


def samples(path):
    """Returns the number of samples, and the time of the last one in seconds."""
    if not path.exists() or path.stat().st_size == 0:
        return 0, None
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        count, last = connection.execute("SELECT count(*), max(time_ms) FROM sample").fetchone()
    except sqlite3.OperationalError:
        return 0, None
    finally:
        connection.close()
    return count, None if last is None else last / 1000


def kill_once(options, folder, number, generator):
    """Returns the length of the missing end of a recording, in seconds, or a problem."""
    path = folder / f"{number - number % 3}.rec"
    before = samples(path)[0]
    command = [options.poolgauge, "record", "app.sqlite", "--interval", "100ms", "--output"]
    if number % 2:
        command = [options.poolgauge, "run", "ycsb-c", "--arm", "pool", "--duration", "60s",
                   "--progress", "never", "--record"]
    process = subprocess.Popen(command + [str(path)], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while samples(path)[0] <= before:
        if process.poll() is not None or time.monotonic() > end:
            return f"{number}: the recorder wrote no sample"
        time.sleep(0.02)
    time.sleep(generator.uniform(1.5, 5))
    process.send_signal(signal.SIGKILL)
    killed = time.time()
    process.wait()
    count, last = samples(path)
    connection = sqlite3.connect(path)
    check = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    if check != "ok":
        return f"{number}: {check}"
    report = subprocess.run([options.poolgauge, "report", str(path)], capture_output=True, text=True)
    if report.returncode:
        return f"{number}: report: {report.stderr}"
    if count <= before:
        return f"{number}: no sample survived"
    return killed - last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    problems, lost = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["TMPDIR"] = name
        stop = threading.Event()
        writer = threading.Thread(target=write, args=(folder / "app.sqlite", stop))
        writer.start()
        try:
            for number in range(options.kills):
                found = kill_once(options, folder, number, generator)
                if isinstance(found, str):
                    problems.append(found)
                    continue
                lost.append(found)
                if found > BOUND:
                    problems.append(f"{number}: the last {found:.2f} s are missing")
        finally:
            stop.set()
            writer.join()
    if lost:
        print(f"{len(lost)} kills: missing median {statistics.median(lost):.2f} s, "
              f"max {max(lost):.2f} s (bound {BOUND} s)")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems or not lost else 0)


if __name__ == "__main__":
    main()
