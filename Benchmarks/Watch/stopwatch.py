#!/usr/bin/env python3
"""Compares the reports of `poolgauge top` with measurements that the watched programs make.

    stopwatch.py shares [--runs 20] [--seconds 30]       a write lock held for 5, 20 and 60% of the time
    stopwatch.py commits [--seconds 10]                  commits per second of a busy writer
    stopwatch.py tables [--seconds 10]                   frames by table of a writer
    stopwatch.py cost [--processes 300] [--seconds 30]   processor time with many attached processes
    stopwatch.py throughput [--pairs 100] [--seconds 1]  a writer and a reader, with and without top
    stopwatch.py all                                     all comparisons with their defaults (25 minutes)

`--command` specifies the program. The default is ".build/release/poolgauge top". Each comparison
prints the load averages of the machine before and after it. The exit status is 1 if a bound is
missed. The bounds are 19 of 20 shares within 2 points, commits within 1%, frames by table within
5% of all frames, 3% of a core, and 99% of the throughput.
"""

import argparse
import ctypes
import json
import mmap
import os
import random
import shlex
import signal
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from datetime import datetime


def connect(path):
    return sqlite3.connect(path, isolation_level=None, timeout=30)


def create(path):
    connection = connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    connection.close()


def start(function, *arguments):
    """Runs a function in a new process, and returns the process ID and a pipe with the result."""
    output, result = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(output)
        stop = []
        signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
        with os.fdopen(result, "w") as pipe:
            pipe.write(json.dumps(function(stop, *arguments)))
        os._exit(0)
    os.close(result)
    return pid, os.fdopen(output)


def finish(process):
    os.kill(process[0], signal.SIGTERM)
    with process[1] as pipe:
        text = pipe.read()
    os.waitpid(process[0], 0)
    return json.loads(text)


def begin_top(command, path, seconds):
    return subprocess.Popen(
        shlex.split(command) + [path, "--format", "json", "--for", f"{seconds:g}s"],
        stdout=subprocess.PIPE,
    )


def end_top(process):
    output, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"top ended with status {process.returncode}")
    return json.loads(output)


def top(command, path, seconds):
    return end_top(begin_top(command, path, seconds))


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def holder(stop, path, share):
    """Holds the write lock for a share of the time, and returns the times at which it held the lock.

    BEGIN acquires the lock within 50 µs. COMMIT releases the lock as its last step, after its sync.
    """
    connection = connect(path)
    held = []
    while not stop:
        cycle = random.uniform(0.05, 0.15)
        connection.execute("BEGIN IMMEDIATE")
        begin = time.time()
        connection.execute("INSERT INTO t(x) VALUES (1)")
        time.sleep(cycle * share)
        connection.execute("COMMIT")
        held.append((begin, time.time()))
        time.sleep(cycle * (1 - share))
    return held


def shares(arguments):
    inside = {}
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory() as folder:
            parts = []
            for share in (0.05, 0.2, 0.6):
                path = os.path.join(folder, f"{share}.sqlite")
                create(path)
                process = start(holder, path, share)
                parts.append((share, process, begin_top(arguments.command, path, arguments.seconds)))
            for share, process, watching in parts:
                report = end_top(watching)
                held = finish(process)
                end = moment(report["time"])
                begin = end - report["window"]["seconds"]
                overlap = sum(max(0, min(e, end) - max(b, begin)) for b, e in held)
                truth = overlap / (end - begin)
                entry = next((p for p in report["processes"] if p["pid"] == process[0]), None)
                shown = entry["share"]["writer"] if entry else {"value": 0, "error": 0}
                difference = shown["value"] - truth
                inside.setdefault(share, []).append(difference)
                print(
                    f"{share:.2f}: true {truth:.4f} shown {shown['value']:.4f} ± {shown['error']:.4f}"
                    f" difference {difference:+.4f} samples {report['window']['samples']}"
                    f" processor {report['window']['processorShare']:.4f}",
                    flush=True,
                )
    passes = True
    for share, differences in inside.items():
        good = sum(abs(difference) <= 0.02 for difference in differences)
        passes = passes and good >= 0.95 * len(differences)
        print(
            f"{share:.2f}: {good} of {len(differences)} within 0.02, mean"
            f" {statistics.mean(differences):+.4f}, root mean square"
            f" {statistics.mean(d * d for d in differences) ** 0.5:.4f},"
            f" largest {max(map(abs, differences)):.4f}"
        )
    return passes


def writer(stop, path, pause):
    connection = connect(path)
    connection.execute("PRAGMA synchronous = NORMAL")
    times = []
    while not stop:
        connection.execute("INSERT INTO t(x) VALUES (zeroblob(100))")
        times.append(time.time())
        if pause:
            time.sleep(pause)
    return times


def commits(arguments):
    passes = True
    for pause in (0.001, 0):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.sqlite")
            create(path)
            process = start(writer, path, pause)
            report = top(arguments.command, path, arguments.seconds)
            times = finish(process)
            end = moment(report["time"])
            begin = end - report["window"]["seconds"]
            truth = sum(begin <= at < end for at in times)
            shown = report["wal"]["commits"]
            passes = passes and abs(shown - truth) <= 0.01 * truth
            print(f"commits: true {truth} shown {shown} ratio {shown / max(truth, 1):.4f}", flush=True)
    return passes


def clerk(stop, path):
    """Writes to two tables and an index without checkpoints, and returns the frames of each."""
    connection = connect(path)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    time.sleep(2)
    while not stop:
        connection.execute("BEGIN")
        for _ in range(random.randrange(1, 20)):
            row = random.random(), "n" * random.randrange(300)
            connection.execute("INSERT INTO orders(day, note) VALUES (?, ?)", row)
        connection.execute("INSERT INTO log VALUES (zeroblob(?))", (random.randrange(9000),))
        connection.execute("COMMIT")
        time.sleep(0.005)
    names = dict(connection.execute("SELECT pageno, name FROM dbstat"))
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    frames = {}
    with open(path + "-wal", "rb") as log:
        content = log.read()
    for offset in range(32, len(content) - size - 23, size + 24):
        name = names.get(struct.unpack_from(">I", content, offset)[0], "")
        frames[name] = frames.get(name, 0) + 1
    return frames


def tables(arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "app.sqlite")
        create(path)
        connection = connect(path)
        connection.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY, day, note)")
        connection.execute("CREATE INDEX orders_by_day ON orders(day)")
        connection.execute("CREATE TABLE log(x)")
        connection.close()
        process = start(clerk, path)
        watching = begin_top(arguments.command, path, arguments.seconds + 4)
        time.sleep(arguments.seconds + 2)
        truth = finish(process)
        report = end_top(watching)
    shown = {
        "sqlite_schema" if table["kind"] == "schema" else table["name"]: table["frames"]
        for table in report["tables"]
    }
    total = sum(truth.values())
    passes = True
    for name in sorted(truth, key=truth.get, reverse=True):
        difference = (shown.get(name, 0) - truth[name]) / total
        passes = passes and abs(difference) <= 0.05
        print(
            f"{name or 'unknown'}: true {truth[name]} shown {shown.get(name, 0)}"
            f" difference {100 * difference:+.2f} % of all frames"
        )
    print(f"read and unknown: {report['tablesCoverage']}")
    return passes


def attached(path, count):
    pids = []
    for _ in range(count):
        output, ready = os.pipe()
        pid = os.fork()
        if pid == 0:
            connection = connect(path)
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM t").fetchone()
            os.write(ready, b"x")
            time.sleep(3600)
            os._exit(0)
        os.read(output, 1)
        os.close(output)
        os.close(ready)
        pids.append(pid)
    return pids


def cost(arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "app.sqlite")
        create(path)
        pids = attached(path, arguments.processes)
        process = start(writer, path, 0.05)
        try:
            report = top(arguments.command, path, arguments.seconds)
        finally:
            finish(process)
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        window = report["window"]
        print(
            f"{len(report['processes'])} processes: {window['processorShare']:.4f} of a core,"
            f" {window['samplesPerSecond']:.1f} samples/s, {window['samples']} samples,"
            f" {window.get('listSamples')} with readers"
        )
        return window["processorShare"] < 0.03


def counting(stop, path, counters, index, synchronous):
    """Writes or reads without a pause, and counts the operations in shared memory."""
    connection = connect(path)
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    # A store of eight aligned bytes is atomic.
    counts = (ctypes.c_uint64 * 2).from_buffer(counters)
    count = 0
    while not stop:
        if index == 0:
            connection.execute("INSERT INTO t(x) VALUES (zeroblob(100))")
        else:
            connection.execute("SELECT max(id) FROM t").fetchone()
        count += 1
        counts[index] = count
    return count


def processor_seconds(pids):
    seconds = []
    for pid in pids:
        with open(f"/proc/{pid}/schedstat") as file:
            seconds.append(int(file.read().split()[0]) / 1e9)
    return seconds


def members(group):
    """Returns the processes in a process group."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(name)) == group:
                found.append(int(name))
        except ProcessLookupError:
            pass
    return found


def measure(counters, pids, observers, seconds):
    """Returns the operations of the writer and the reader, per second and per processor second, and
    the processor share of the observers."""
    def reading():
        counts = list((ctypes.c_uint64 * 2).from_buffer(counters))
        used = processor_seconds(pids)
        return counts, time.monotonic(), used, sum(processor_seconds(observers))

    before = reading()
    time.sleep(seconds)
    after = reading()
    elapsed = after[1] - before[1]
    counts = [b - a for a, b in zip(before[0], after[0])]
    used = [b - a for a, b in zip(before[2], after[2])]
    rates = [c / elapsed for c in counts] + [c / u for c, u in zip(counts, used)]
    return rates, (after[3] - before[3]) / elapsed


def throughput(arguments):
    """Compares adjacent slices of one run, in which top runs or is stopped, in random order.

    Short slices cancel out slow changes of the machine. Operations per second of processor time do
    not depend on other programs. Their ratio shows the effect of top beyond its processor time.
    """
    passes = True
    for synchronous in ("FULL", "NORMAL"):
        passes = compare_slices(arguments, synchronous) and passes
    return passes


def compare_slices(arguments, synchronous):
    names = ("writer", "reader", "writer per core", "reader per core")
    ratios = {name: [] for name in names}
    totals = {True: [0] * 4, False: [0] * 4}
    shares = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = os.path.join(folder, "app.sqlite")
        create(path)
        counters = mmap.mmap(-1, 16)
        processes = [start(counting, path, counters, index, synchronous) for index in (0, 1)]
        watching = subprocess.Popen(
            shlex.split(arguments.command) + [path, "--follow", "--format", "json"],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            # Exclude the startup of top.
            time.sleep(5)
            observers = members(watching.pid)
            used = sum(processor_seconds(observers))
            time.sleep(10)
            share = (sum(processor_seconds(observers)) - used) / 10
            print(f"{synchronous}: top uses {100 * share:.2f} % of a core in 10 s", flush=True)
            for _ in range(arguments.pairs):
                found = {}
                for watched in random.sample((True, False), 2):
                    os.killpg(watching.pid, signal.SIGCONT if watched else signal.SIGSTOP)
                    # After top continues, its first report covers the time for which it was stopped.
                    time.sleep(0.3)
                    pids = [process[0] for process in processes]
                    found[watched], share = measure(counters, pids, observers, arguments.seconds)
                    totals[watched] = [a + b for a, b in zip(totals[watched], found[watched])]
                    if watched:
                        shares.append(share)
                for index, name in enumerate(names):
                    ratios[name].append(found[True][index] / found[False][index])
        finally:
            os.killpg(watching.pid, signal.SIGKILL)
            watching.wait()
            for process in processes:
                finish(process)
    print(f"{synchronous}: top uses {100 * statistics.mean(shares):.2f} % of a core in its slices")
    passes = True
    for index, name in enumerate(names):
        values = ratios[name]
        middle = statistics.median(values)
        medians = sorted(
            statistics.median(random.choices(values, k=len(values))) for _ in range(2000)
        )
        passes = passes and (middle >= 0.99 or name.endswith("core"))
        print(
            f"{synchronous}: {name}: {totals[False][index] / len(values):.0f}/s without,"
            f" {totals[True][index] / len(values):.0f}/s with top, median of {len(values)} ratios"
            f" {middle:.4f} (95%: {medians[50]:.4f} to {medians[1949]:.4f})",
            flush=True,
        )
    return passes


COMPARISONS = {
    "shares": (shares, 30),
    "commits": (commits, 10),
    "tables": (tables, 10),
    "cost": (cost, 30),
    "throughput": (throughput, 1),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("comparison", choices=[*COMPARISONS, "all"])
    parser.add_argument("--command", default=".build/release/poolgauge top")
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--folder", help="the folder for the databases of throughput (default: the temporary folder)")
    parser.add_argument("--processes", type=int, default=300)
    arguments = parser.parse_args()
    seconds = arguments.seconds
    passes = True
    for name in COMPARISONS if arguments.comparison == "all" else [arguments.comparison]:
        compare, default = COMPARISONS[name]
        arguments.seconds = default if seconds is None else seconds
        print(f"{name}: load averages {os.getloadavg()}", flush=True)
        is_met = compare(arguments)
        passes = passes and is_met
        print(f"{name}: load averages {os.getloadavg()}, {'met' if is_met else 'missed'}\n", flush=True)
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main())
