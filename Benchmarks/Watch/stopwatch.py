#!/usr/bin/env python3
"""Compares what `poolgauge top` reports with what programs measure themselves.

    stopwatch.py shares [--runs 20] [--seconds 30]     a write lock held 5, 20 and 60 % of the time
    stopwatch.py commits [--seconds 10]                commits per second of a busy writer
    stopwatch.py cost [--processes 300]                processor time with many attached processes
    stopwatch.py throughput [--pairs 10]               a writer and a reader, with and without top

`--command` names the program; ".build/release/poolgauge top" by default.
"""

import argparse
import json
import os
import random
import shlex
import signal
import sqlite3
import statistics
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
    """Runs a function in a process; returns its number and the pipe with its result."""
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
        shlex.split(command) + [path, "--format", "json", "--for", f"{seconds}s"],
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
    """Holds the lock to write for a share of the time; returns when it did."""
    connection = connect(path)
    held = []
    while not stop:
        cycle = random.uniform(0.05, 0.15)
        connection.execute("BEGIN IMMEDIATE")
        begin = time.time()
        connection.execute("INSERT INTO t(x) VALUES (1)")
        time.sleep(cycle * share)
        connection.execute("COMMIT")
        end = time.time()
        held.append((begin, end))
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
    for share, differences in inside.items():
        good = sum(abs(difference) <= 0.02 for difference in differences)
        print(
            f"{share:.2f}: {good} of {len(differences)} within 0.02, mean"
            f" {statistics.mean(differences):+.4f}, largest {max(map(abs, differences)):.4f}"
        )


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


def reader(stop, path):
    connection = connect(path)
    count = 0
    while not stop:
        connection.execute("SELECT max(id) FROM t").fetchone()
        count += 1
    return count


def commits(arguments):
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
            print(f"commits: true {truth} shown {shown} ratio {shown / max(truth, 1):.4f}", flush=True)


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
            f" {window['samplesPerSecond']:.1f} samples/s, {window['samples']} samples"
        )


def throughput(arguments):
    ratios = {"writer": [], "reader": []}
    for pair in range(arguments.pairs):
        rates = {}
        for watched in random.sample([True, False], 2):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "app.sqlite")
                create(path)
                watching = None
                if watched:
                    watching = subprocess.Popen(
                        shlex.split(arguments.command) + [path, "--follow", "--format", "json"],
                        stdout=subprocess.DEVNULL,
                    )
                    time.sleep(1)
                processes = start(writer, path, 0), start(reader, path)
                time.sleep(arguments.seconds)
                rates[watched] = len(finish(processes[0])), finish(processes[1])
                if watching:
                    watching.terminate()
                    watching.wait()
        for index, name in enumerate(("writer", "reader")):
            ratios[name].append(rates[True][index] / rates[False][index])
        print(f"pair {pair}: writer {ratios['writer'][-1]:.3f} reader {ratios['reader'][-1]:.3f}", flush=True)
    for name, values in ratios.items():
        print(f"{name}: median ratio {statistics.median(values):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("comparison", choices=["shares", "commits", "cost", "throughput"])
    parser.add_argument("--command", default=".build/release/poolgauge top")
    parser.add_argument("--seconds", type=int, default=None)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--processes", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.seconds is None:
        arguments.seconds = 30 if arguments.comparison == "shares" else 10
    globals()[arguments.comparison](arguments)


if __name__ == "__main__":
    sys.exit(main())
