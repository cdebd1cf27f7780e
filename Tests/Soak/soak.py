#!/usr/bin/env python3
"""Runs all long-lived parts of poolgauge over a mixed load, and checks that nothing grows or drifts.

    soak.py POOLGAUGE [--seconds N] [--agent PROGRAM] [--keep]

The load: a run with readers, writers, an import, snapshots, and interrupts; a Python program that
writes to another database; and a program with an agent, which is Examples/WatchedPool if --agent is
specified, otherwise Examples/Publisher. The observers: the dashboard, `top`, and `attach` in tmux,
`record`, and `top --follow`.

After a warm-up, memory, descriptors, threads, and processes must not grow, the observers must use
less than 3% of a core, and counted totals must equal true totals. Exit status: 0 if all checks
pass, 1 if a check fails, 69 if tmux is missing.
"""
import argparse, itertools, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time
import agents, recordings, totals, usage

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The limit on the share of a core that an observer uses.
PROCESSOR = 0.03
# A run's result contains one interval per second with the latencies of each client, and needs about
# 1 KiB of memory for each of the seven clients (`intervals` in docs/JSON.md).
INTERVAL = 8 << 10
# SQLite's default page cache, which fills while a recording grows.
PAGE_CACHE = 2_000 << 10
# The largest size of the history that a display keeps, in bytes, and the time until it is full:
# History.capacity samples at ten per second in a dashboard and at four per second in `attach`, and
# WatchHistory.capacity reports at four per second in `top`.
HISTORIES = {
    "dashboard": (36 * usage.MEBIBYTE, 300),
    "attach": (36 * usage.MEBIBYTE, 750),
    "top": (36 * usage.MEBIBYTE, 300),
}


class Failure(Exception):
    pass


class Tmux:
    """A tmux server with one session for each program."""

    def __init__(self, folder, environment):
        self.command = ["tmux", "-S", str(folder / "tmux"), "-f", str(folder / "tmux.conf")]
        self.environment = environment
        (folder / "tmux.conf").write_text("set -g remain-on-exit on\nset -g status off\n")

    def __call__(self, *arguments, check=True):
        result = subprocess.run(self.command + list(arguments), env=self.environment, text=True,
                                capture_output=True, check=check)
        return result.stdout.strip()

    def start(self, name, command):
        """Starts a program in a window of 120x40 cells, and returns its process."""
        self("new-session", "-d", "-s", name, "-x", "120", "-y", "40",
             "exec " + " ".join(f"'{word}'" for word in command))
        return int(self("display-message", "-p", "-t", self.target(name), "#{pane_pid}"))

    @staticmethod
    def target(name):
        # A bare `top` would be the topmost pane.
        return f"={name}:"

    def press(self, name, key):
        self("send-keys", "-t", self.target(name), key)

    def status(self, name):
        """Returns the exit status of a program that has ended, or its signal, or None."""
        form = "#{pane_dead} #{pane_dead_status} #{pane_dead_signal}"
        state = self("display-message", "-p", "-t", self.target(name), form).split()
        # Between the end of the terminal and the end of the process, there is no status.
        return int(state[1]) if state[:1] == ["1"] and len(state) > 1 else None

    def screen(self, name):
        return self("capture-pane", "-p", "-t", self.target(name))

    def end(self):
        self("kill-server", check=False)


def wait(condition, what, timeout=60):
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"timed out: {what}")
        time.sleep(0.1)


class Soak:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.warm_up = min(60, options.seconds / 4)
        self.duration = self.warm_up + options.seconds
        self.environment = {
            "HOME": str(folder), "TMPDIR": str(folder), "XDG_RUNTIME_DIR": str(folder),
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "POOLGAUGE_AGENT": "1", "SWIFT_BACKTRACE": "enable=no"}
        self.tmux = Tmux(folder, self.environment)
        self.started = {}
        self.series = []

    def path(self, name):
        return str(self.folder / name)

    def start(self, name, command, output=None):
        """Starts a program whose output goes to a file."""
        with open(self.path(output or f"{name}.out"), "wb") as out, \
                open(self.path(f"{name}.err"), "wb") as err:
            self.started[name] = subprocess.Popen(
                command, stdout=out, stderr=err, stdin=subprocess.PIPE, env=self.environment)
        return self.started[name]

    def poolgauge(self, *arguments):
        return [self.options.poolgauge, *arguments]

    def observe(self, name, process, processor_limit=None):
        self.series.append(usage.Series(
            name, process, HISTORIES.get(name, (0, 1)),
            cache=PAGE_CACHE if name in ("run", "record") else 0,
            growth=INTERVAL if name in ("run", "dashboard") else 0,
            processor_limit=processor_limit))

    def errors(self, name):
        return pathlib.Path(self.path(f"{name}.err")).read_text(errors="replace").strip()

    # Starting

    def start_writer(self):
        """Starts the writer and the programs that must count all of its commits."""
        file = self.path("writer.sqlite")
        self.writer = self.start("writer", [sys.executable, str(HERE / "writer.py"), file])
        written = pathlib.Path(self.path("writer.out"))
        wait(lambda: written.read_text(), "the writer's database")
        follow = self.start("follow", self.poolgauge("top", file, "--follow", "--format", "json"))
        record = self.start("record", self.poolgauge(
            "record", file, "--output", self.path("record.rec")))
        wait(lambda: os.path.getsize(self.path("follow.out")), "the first report of top --follow")
        wait(lambda: recordings.count(self.path("record.rec")), "the first sample of record")
        self.observe("top --follow", follow.pid, PROCESSOR)
        self.observe("record", record.pid, PROCESSOR)
        self.writer.stdin.write(b"\n")
        self.writer.stdin.flush()

    def start_agent(self):
        if self.options.agent:
            command = [self.options.agent, str(self.duration + 600)]
        else:
            publisher = str(ROOT / "Examples/Publisher/publisher.py")
            command = [sys.executable, publisher, self.path("orders.sqlite"), "orders"]
        agent = self.start("agent", command, output="/dev/null")
        socket = agents.find_socket(self.folder, "orders")
        self.events = None
        if self.options.agent:
            self.events = agents.Events(socket)
            self.observe("agent", agent.pid)

    def start_run(self):
        run = self.start("run", self.poolgauge(
            "run", str(HERE / "soak.yaml"), "--duration", f"{self.duration:.0f}s", "--progress",
            "never", "--record", self.path("run.rec"), "--format", "json", "--output",
            self.path("run.json")))
        self.observe("run", run.pid)

    def start_displays(self):
        # The embedded demo at a lower rate, which does not saturate a small machine, and with times
        # that do not depend on the duration, so that each quarter contains all of them.
        changes = {
            "ui.arrival.rate": "50/s", "pay.think": "50ms", "search.think": "1s",
            "report.hold": "2s", "report.every": "9s", "snapshot.hold": "5s",
            "snapshot.every": "14s", "import.every": "10s", "import.rows": "1000",
            "cancel.every": "4s"}
        demo = ["dashboard", "--duration", f"{self.duration + 600:.0f}s"]
        for key, value in changes.items():
            demo += ["--set", f"clients.{key}={value}"]
        arguments = {
            "dashboard": demo, "top": ["top", self.path("writer.sqlite")],
            "attach": ["attach", "orders"]}
        self.displays = {}
        for name, words in arguments.items():
            costs = ["--costs", self.path(f"{name}.costs")]
            process = self.tmux.start(name, self.poolgauge(*words, *costs))
            self.displays[name] = process
            # The dashboard's process also runs the load. Its display is checked at the end.
            self.observe(name, process, None if name == "dashboard" else PROCESSOR)

    # Measuring

    def measure(self):
        """Reads all processes until the end, and presses keys. A log of the readings remains with
        --keep."""
        with open(self.path("usage.jsonl"), "w", buffering=1) as log:
            self.measure_into(log)

    def measure_into(self, log):
        keys = itertools.cycle("1234567")
        start = time.monotonic()
        next_key = self.warm_up
        has_begun = False
        every = min(5, self.options.seconds / 60)
        while (elapsed := time.monotonic() - start) < self.duration:
            if not has_begun and elapsed >= self.warm_up:
                has_begun = True
                for series in self.series:
                    series.begin()
            for series in self.series:
                if series.read():
                    log.write(json.dumps({"name": series.name, **vars(series.readings[-1])}) + "\n")
                else:
                    raise Failure(f"{series.name} ended early: {self.last_words(series.name)}")
            if elapsed >= next_key:
                next_key += max(10, self.options.seconds / 60)
                key = next(keys)
                for name in self.displays:
                    self.tmux.press(name, key)
            time.sleep(every)

    def last_words(self, name):
        if name in self.displays:
            return self.tmux.screen(name)
        return self.errors(name.replace("top --follow", "follow"))

    # Ending

    def finish(self):
        """Ends all programs in the order that the totals require, and yields failures."""
        if self.events:
            self.events.end()
        self.writer.stdin.close()
        if self.writer.wait(60) != 0:
            raise Failure(f"the writer failed: {self.errors('writer')}")
        # Both observers report once per second.
        lines = len(open(self.path("follow.out")).readlines())
        samples = recordings.count(self.path("record.rec"))
        wait(lambda: len(open(self.path("follow.out")).readlines()) >= lines + 3, "top --follow")
        wait(lambda: recordings.count(self.path("record.rec")) >= samples + 3, "record")
        for name in ("follow", "record"):
            # A program in the background may ignore SIGINT.
            self.started[name].terminate()
            status = self.started[name].wait(60)
            if status != 128 + signal.SIGTERM:
                yield f"{name} ended with status {status}: {self.errors(name)}"
        for name in self.displays:
            self.tmux.press(name, "q")
        for name, process in self.displays.items():
            wait(lambda: not usage.is_running(process), f"the end of {name}")
            # tmux sometimes does not collect the status of a process that has ended. A display that
            # `q` ended has written its costs.
            status = self.tmux.status(name)
            if status not in (0, None) or not os.path.exists(self.path(f"{name}.costs")):
                yield f"{name} ended with status {status}: {self.tmux.screen(name)}"
        status = self.started["run"].wait(120)
        # On a busy machine, the generator can be the bottleneck (5).
        if status not in (0, 5):
            yield f"run ended with status {status}: {self.errors('run')}"

    def display_costs(self):
        for name in self.displays:
            costs = json.loads(pathlib.Path(self.path(f"{name}.costs")).read_text())
            share = costs["cpuShare"]
            yield (f"{name}: the display used {share:.2%} of a core for"
                   f" {costs['frames'] / costs['seconds']:.1f} frames/s", share < PROCESSOR)

    def facts(self):
        result = json.loads(pathlib.Path(self.path("run.json")).read_text())
        commits = int(pathlib.Path(self.path("writer.out")).read_text().split()[-1])
        yield from self.display_costs()
        yield from totals.run(result)
        yield from totals.run_recording(result, self.path("run.rec"))
        yield from totals.commits(commits, self.path("record.rec"), self.path("follow.out"))
        if self.events:
            yield from totals.events(self.events)

    def end(self):
        self.tmux.end()
        for process in self.started.values():
            if process.poll() is None:
                process.kill()
                process.wait()


def print_table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [
            cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells))


def run(options, folder):
    soak = Soak(options, folder)
    failures = []
    try:
        soak.start_writer()
        soak.start_agent()
        soak.start_run()
        soak.start_displays()
        soak.measure()
        failures += soak.finish()
        print_table([usage.Series.HEADER] + [series.row() for series in soak.series])
        for series in soak.series:
            failures += series.failures()
        for fact, holds in soak.facts():
            print(f"{'ok   ' if holds else 'WRONG'}  {fact}")
            if not holds:
                failures.append(fact)
    except (Failure, TimeoutError, subprocess.SubprocessError) as error:
        failures.append(str(error))
    finally:
        soak.end()
    for failure in failures:
        print(f"soak: failed: {failure}")
    if not failures:
        print(f"soak: passed: {options.seconds:g} s after a warm-up of {soak.warm_up:g} s")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("poolgauge", help="the program, preferably a release build")
    parser.add_argument("--seconds", type=float, default=3600, help="3600 by default")
    parser.add_argument("--agent", help="the path of WatchedPool, which Examples builds")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all output")
    options = parser.parse_args()
    if options.seconds < 60:
        parser.error("--seconds must be at least 60")
    if not shutil.which("tmux"):
        print("soak: tmux is missing", file=sys.stderr)
        return 69
    options.poolgauge = os.path.abspath(options.poolgauge)
    # Ends the started programs.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        return run(options, folder)
    finally:
        if options.keep:
            print(f"soak: the output is in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
