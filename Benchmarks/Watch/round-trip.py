#!/usr/bin/env python3
"""Captures presets that another process runs, and compares the results. Requires root.

    round-trip.py POOLGAUGE [PRESET…] [--seconds S] [--journal wal|delete] [--blocks N] [--no-verdict]

Each preset runs with a connection for each worker (`library: raw`), as in most programs that use
SQLite. It first runs in another process while `poolgauge capture` traces it. Then the original and
the captured scenario run alternately on the same rows, in pairs (`--runs`).

A row for each kind of transaction shows rates, medians and 99th percentiles of the original and of
the capture (medians of the runs), and the values that miss their bounds. The median of the ratios
within the pairs must be within 10% for rates, and within 20% for medians. The ranges of p99 in the
runs must overlap. The share of time that writing workers spend in transactions must be within 5
points. A closed loop must have the same number of workers. Times are response times of closed loops
and service times of open loads. `compare --arms queue,pool` must reach the same verdict for both
scenarios.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PRESETS = [
    "pgbench-simple-update", "pgbench-tpcb", "pgbench-select-only", "sysbench-point-select",
    "sysbench-read-only", "sysbench-read-write", "ycsb-a", "ycsb-b",
]


def run(options, scenario, database, seconds, changes=(), in_place=False):
    """Starts a run of the arm `present`, and returns the process."""
    command = [
        options.poolgauge, "run", scenario, "--arm", "present", "--format", "json",
        "--duration", f"{seconds}s", "--progress", "never",
    ] + list(changes)
    if database:
        command += ["--database", database] + (["--in-place"] if in_place else [])
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result(process):
    output, errors = process.communicate()
    if not output.startswith("{"):
        sys.exit(f"the run failed: {errors}")
    return json.loads(output)["runs"][0]


def operations(run):
    """Returns the median, the p99 and the time in nanoseconds for each kind of transaction."""
    found = []
    for name, client in run["clients"].items():
        for operation, own in (client.get("operations") or {"": client}).items():
            if not own.get("throughput"):
                continue
            found.append(
                {
                    "name": f"{name} {operation}".strip(),
                    "rate": own["throughput"],
                    "open": client.get("targetRate") is not None,
                    "workers": client.get("fairness", {}).get("workers", 1),
                    "response p50": own["response"].get("p50"),
                    "response p99": own["response"].get("p99"),
                    "service p50": own["service"].get("p50"),
                    "service p99": own["service"].get("p99"),
                    "service": own["service"]["mean"],
                }
            )
    return found


def is_write(scenario_text, name):
    """Returns whether an operation writes, judging by its name or the name of its client."""
    words = ("update", "insert", "delete", "writes", "tpcb", "modify", "both", "replace", "pay")
    return any(word in name for word in words)


def summary(runs):
    """Returns the medians of operations over all runs, sorted by descending number of calls."""
    all_runs = [operations(run) for run in runs]
    merged = []
    for operation in all_runs[0]:
        same = [o for one in all_runs for o in one if o["name"] == operation["name"]]
        entry = {"name": operation["name"], "open": operation["open"]}
        for key in operation.keys() - entry.keys():
            values = [o[key] for o in same if o[key] is not None]
            entry[key] = statistics.median(values) if values else None
            entry[key + "s"] = values
        merged.append(entry)
    return sorted(merged, key=lambda o: (is_write("", o["name"]), -o["rate"]))


def write_share(operations, run):
    """The share of their time that the workers of writing clients spend in write transactions."""
    writes = [o for o in operations if is_write("", o["name"])]
    writers = {name for name in run["clients"] for o in writes if o["name"].startswith(name)}
    workers = sum(run["clients"][name].get("fairness", {}).get("workers", 1) for name in writers)
    return sum(o["rate"] * o["service"] for o in writes) / 1e9 / max(1, workers)


def has_probes(pid):
    """Returns whether a trace has set probes, in addition to its links to three tracepoints."""
    folder = pathlib.Path(f"/proc/{pid}/fd")
    try:
        links = [os.readlink(file) for file in folder.iterdir()]
    except OSError:
        return False
    return sum("bpf" in link and "link" in link for link in links) > 3


def wait_for_trace(process):
    """Waits until a capture has set its probes."""
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"the capture failed: {process.stderr.read()}")
        if has_probes(process.pid):
            time.sleep(1.5)
            return
        time.sleep(0.05)
    sys.exit("the capture did not start")


def verdict(options, scenario, database, metrics, changes=()):
    command = [
        options.poolgauge, "compare", scenario, "--arms", "queue,pool", "--blocks",
        str(options.blocks), "--duration", "1s", "--format", "json", "--progress", "never",
        "--primary", ",".join(metrics),
    ] + list(changes)
    if database:
        command += ["--database", database]
    output = subprocess.run(command, capture_output=True, text=True)
    if not output.stdout.startswith("{"):
        return ["failed: " + output.stderr.strip()], []
    found = json.loads(output.stdout)
    words = {"better": "pool", "worse": "queue", "same": "none", "inconclusive": "none"}
    pairs = [p for p in found["pairs"] if p["a"] == "queue" and p["b"] == "pool"]
    by_metric = {p["metric"]: p for p in pairs}
    text = [
        words[by_metric[m]["verdict"]] if m in by_metric else "not measured" for m in metrics
    ]
    ratios = [by_metric[m].get("ratio") if m in by_metric else None for m in metrics]
    return text, ratios


def metrics(runs, kinds=None):
    """Returns the primary metrics, readers first, and their kinds.

    They are the throughput of closed loops and the p90 of open ones, or the specified kinds. Blocks
    of a second contain too few samples for p99.
    """
    found = []
    for name, client in sorted(runs[0]["clients"].items(), key=lambda c: is_write("", c[0])):
        if client.get("throughput"):
            kind = "response.p90" if client.get("targetRate") is not None else "throughput"
            if kinds and len(found) < len(kinds):
                kind = kinds[len(found)]
            found.append((name, kind))
    return [f"{name}.{kind}" for name, kind in found], [kind for _, kind in found]


def number(value):
    return "–" if value is None else f"{value:,.0f}"


def micro(value):
    return "–" if value is None else f"{value / 1000:,.1f}"


def round_trip(options, preset, folder):
    shape = f"arms.present={{library: raw, journal: {options.journal}}}"
    changes = ["--set", shape]
    if options.journal == "wal":
        changes += ["--set", "arms.queue={type: queue, journal: wal}"]
    base = f"{folder}/{preset}.sqlite"
    # Copy the preset, because `--database` accepts scenario files but not presets.
    original = f"{folder}/original.yaml"
    shutil.copy(pathlib.Path(__file__).resolve().parents[2] / f"scenarios/{preset}.yaml", original)
    made = subprocess.run(
        [options.poolgauge, "run", original, "--arm", "present", "--duration", "200ms", "--keep"]
        + changes,
        capture_output=True, text=True, env={**os.environ, "TMPDIR": folder},
    )
    kept = list(pathlib.Path(folder).glob("poolgauge-*/database.sqlite"))
    if not kept:
        sys.exit(f"no database was created: {made.stderr}")
    source = subprocess.run(["sqlite3", kept[0], "PRAGMA wal_checkpoint(TRUNCATE)"],
                            capture_output=True)
    del source
    shutil.copy(kept[0], base)
    shutil.rmtree(kept[0].parent)

    live = f"{folder}/live-{preset}.sqlite"
    scenario = f"{folder}/{preset}.yaml"
    shutil.copy(base, live)
    capture = subprocess.Popen(
        [options.capture or options.poolgauge, "capture", live, "--for",
         f"{options.capture_seconds}s", "--no-check",
         "--output", scenario, "--force"] + options.capture_flags,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    wait_for_trace(capture)
    traced = run(options, original, live, options.capture_seconds + 1, changes, in_place=True)
    output, errors = capture.communicate()
    traced = result(traced)
    if capture.returncode != 0:
        print(f"{preset}: the capture failed: {errors}")
        return False
    # Alternate, because the speed of a machine changes over minutes.
    originals, captures = [], []
    for _ in range(options.runs):
        originals.append(result(run(options, original, base, options.seconds, changes)))
        captures.append(result(run(options, scenario, base, options.seconds)))
    before, after = summary(originals), summary(captures)
    beside = summary([traced])
    isRight = True
    print(f"\n{preset}, {options.journal}: {len(before)} kinds, captured {len(after)}")
    head = f"  {'transaction':<38} {'rate/s':>19} {'p50 µs':>19} {'p99 µs':>19}  misses"
    print(head + "    (while traced: rate, p50)")
    used = []
    for old in before:
        rest = [o for o in after if o["name"] not in used
                and is_write("", o["name"]) == is_write("", old["name"])]
        if not rest:
            print(f"  {old['name']}: not captured")
            isRight = False
            continue
        new = min(rest, key=lambda o: abs(o["rate"] - old["rate"]))
        used.append(new["name"])
        # The response time of an open load includes its delayed start, which a capture cannot measure.
        kind = "service" if old["open"] else "response"
        for one in [old, new] + [o for o in beside if o["name"] == old["name"]]:
            for key in ("p50", "p50s", "p99", "p99s"):
                one[key] = one[f"{kind} {key}"]
        misses = []
        # The workers of an open load limit nothing unless the load saturates them.
        if not old["open"] and (new["open"] or new["workers"] != old["workers"]):
            misses.append("workers")
        # The speed of a machine changes between two pairs of runs, but less within a pair.
        def ratio(key):
            return statistics.median(b / a for a, b in zip(old[key], new[key]))
        if abs(ratio("rates") - 1) > 0.1:
            misses.append(f"rate {ratio('rates'):.2f}")
        if abs(ratio("p50s") - 1) > 0.2:
            misses.append(f"p50 {ratio('p50s'):.2f}")
        if old["p99s"] and new["p99s"]:
            if min(new["p99s"]) > max(old["p99s"]) or max(new["p99s"]) < min(old["p99s"]):
                misses.append("p99")
        isRight = isRight and not misses
        during = [o for o in beside if o["name"] == old["name"]]
        print(
            f"  {new['name'][:38]:<38} {number(old['rate']):>9} {number(new['rate']):>9}"
            f" {micro(old['p50']):>9} {micro(new['p50']):>9}"
            f" {micro(old['p99']):>9} {micro(new['p99']):>9}  {' '.join(misses) or 'none'}"
            + "".join(f"    ({number(o['rate'])}, {micro(o['p50'])})" for o in during)
        )
    extra = [o["name"] for o in after if o["name"] not in used]
    if extra:
        print(f"  also captured: {', '.join(extra)}  MISS")
        isRight = False
    shares = write_share(before, originals[0]) * 100, write_share(after, captures[0]) * 100
    isClose = abs(shares[0] - shares[1]) <= 5
    isRight = isRight and isClose
    print(f"  write share {shares[0]:.1f}%, captured {shares[1]:.1f}%" + ("" if isClose else "  MISS"))
    if options.verdict:
        names, kinds = metrics(originals)
        old, old_ratios = verdict(options, original, base, names, changes)
        new, new_ratios = verdict(options, scenario, base, metrics(captures, kinds)[0])
        isSame = old == new
        isRight = isRight and isSame
        print(f"  verdict {old} {old_ratios}, captured {new} {new_ratios}"
              + ("" if isSame else "  MISS"))
    if options.keep:
        shutil.copy(scenario, f"{options.keep}/{preset}-{options.journal}.yaml")
    for name in pathlib.Path(folder).glob("*.sqlite*"):
        name.unlink()
    sys.stdout.flush()
    return isRight


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("presets", nargs="*")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--capture-seconds", type=int, default=9)
    parser.add_argument("--journal", choices=["wal", "delete"], default="wal")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--no-verdict", dest="verdict", action="store_false")
    parser.add_argument("--values", dest="capture_flags", action="store_const",
                        const=["--values"], default=[])
    parser.add_argument("--keep", help="a folder for the captured scenarios")
    parser.add_argument("--capture", help="another poolgauge for the capture")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing requires root")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    print(f"load average {os.getloadavg()[0]:.1f}")
    presets = options.presets or PRESETS
    right = 0
    for preset in presets:
        with tempfile.TemporaryDirectory() as folder:
            right += round_trip(options, preset, folder)
    print(f"\n{right} of {len(presets)} within all bounds; load average {os.getloadavg()[0]:.1f}")


main()
