#!/usr/bin/env python3
"""Measures recordings: size per hour, processor time, and the time to seek.

    recording-cost.py POOLGAUGE [--seconds S] [--pairs N]

1. `record` records a database that a program writes to, with 1 and 10 samples per second. `top
   --follow` watches it in the same way without recording. The difference of the processor times is
   the cost of recording, as a share of a core.
2. The samples of a recorded run are repeated until they cover an hour at ten samples per second. The
   time of `report` and the time to the first frame of `replay` (including the program's start) are
   measured at random positions.
"""

import argparse
import os
import pathlib
import random
import resource
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time


def write(path, stop):
    """Writes to a database until the event is set."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
    while not stop.is_set():
        connection.execute("INSERT INTO t VALUES (randomblob(200))")
        time.sleep(0.005)
    connection.close()


def processor_time(command, folder):
    """Runs a command, and returns its processor time and that of its helpers, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_recording(options, folder):
    for interval in ["1s", "100ms"]:
        costs, sizes = [], []
        for pair in range(options.pairs):
            path = folder / f"{interval}-{pair}.rec"
            common = ["--for", f"{options.seconds}s", "--interval", interval]
            with_recording = processor_time(
                [options.poolgauge, "record", "app.sqlite", "--output", str(path)] + common, folder)
            without = processor_time(
                [options.poolgauge, "top", "app.sqlite", "--follow"] + common, folder)
            costs.append((with_recording - without) / options.seconds)
            sizes.append(path.stat().st_size / options.seconds * 3600)
        print(f"record every {interval}: {statistics.median(costs):+.2%} of a core compared with "
              f"top --follow, {statistics.median(sizes) / 2**20:.1f} MiB per hour")


def repeat(path, seconds):
    """Repeats the samples of a recording until they cover a time."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN")
    first, last, count = db.execute("SELECT min(time_ms), max(time_ms), max(id) FROM sample").fetchone()
    span = last - first + 100
    copies = int(seconds * 1000 / span)
    for copy in range(1, copies + 1):
        offset, shift = copy * count, copy * span
        db.execute(f"INSERT INTO sample SELECT id + {offset}, source, time_ms + {shift}, "
                   f"base + {offset}, wait_ns, waiting, wal_bytes, busy, saturation, rate "
                   f"FROM sample WHERE id <= {count}")
        db.execute(f"INSERT INTO payload SELECT sample + {offset}, data FROM payload "
                   f"WHERE sample <= {count}")
    db.execute("COMMIT")
    return db.execute("SELECT count(*) FROM sample").fetchone()[0]


def timed(command, folder):
    start = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def measure_seeking(options, folder):
    path = folder / "run.rec"
    subprocess.run([options.poolgauge, "run", "reads-during-import", "--arm", "pool", "--duration",
                    f"{options.seconds}s", "--record", str(path), "--progress", "never"],
                   cwd=folder, stdout=subprocess.DEVNULL)
    size = path.stat().st_size
    print(f"run, 10 samples per second: {size / options.seconds * 3600 / 2**20:.1f} MiB per hour")
    count = repeat(path, 3600)
    reports = [timed([options.poolgauge, "report", str(path)], folder) for _ in range(3)]
    start = [timed([options.poolgauge, "themes", "list"], folder) for _ in range(5)]
    generator = random.Random(1)
    frames = [timed([options.poolgauge, "replay", str(path), "--from", f"{generator.randrange(3600)}s",
                     "--screenshot", "x.txt", "--after", "1ms"], folder) for _ in range(10)]
    print(f"{count} samples, {path.stat().st_size / 2**20:.0f} MiB: report "
          f"{statistics.median(reports):.2f} s, replay to the first frame at a random position "
          f"{statistics.median(frames) * 1000:.0f} ms (max {max(frames) * 1000:.0f} ms), of which "
          f"{statistics.median(start) * 1000:.0f} ms start the program")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["TMPDIR"] = name
        stop = threading.Event()
        writer = threading.Thread(target=write, args=(folder / "app.sqlite", stop))
        writer.start()
        try:
            measure_recording(options, folder)
        finally:
            stop.set()
            writer.join()
        measure_seeking(options, folder)


if __name__ == "__main__":
    main()
