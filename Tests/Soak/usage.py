"""Reads the resources that processes use from /proc, and compares them over time."""
import os, statistics, time

TICKS = os.sysconf("SC_CLK_TCK")
MEBIBYTE = 1 << 20


def children(process):
    """Returns the processes that a process has started, and their descendants."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                for child in map(int, file.read().split()):
                    found += [child] + children(child)
    except OSError:
        pass
    return found


def is_running(process):
    """Returns whether a process has not ended, even if its parent has not collected its status."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Reading:
    """The resources of a process and its descendants at one time."""

    def __init__(self, process):
        self.time = time.monotonic()
        self.resident = self.memory = self.descriptors = self.threads = 0
        self.processor = 0.0
        self.processes = 0
        for member in [process] + children(process):
            try:
                self.add(member)
            except OSError:
                # The process has ended, or is ending.
                if member == process:
                    raise

    def add(self, process):
        with open(f"/proc/{process}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        with open(f"/proc/{process}/stat") as file:
            # The fields after the command. Number 11 to 14 are utime, stime, cutime, and cstime.
            times = file.read().rpartition(")")[2].split()[11:15]
        descriptors = len(os.listdir(f"/proc/{process}/fd"))
        if "RssAnon" not in status:
            return
        self.resident += int(status["VmRSS"].split()[0]) << 10
        # The kernel can drop and reload the pages of files, so only other pages are compared.
        self.memory += int(status["RssAnon"].split()[0]) << 10
        self.threads += int(status["Threads"])
        self.descriptors += descriptors
        self.processor += sum(map(int, times)) / TICKS
        self.processes += 1


class Series:
    """The readings of one process and its descendants, and the limits on them."""

    # The growth because of fragmentation and of new threads' memory: a size in bytes, and a share.
    ALLOWANCE = MEBIBYTE
    ALLOWED_SHARE = 0.05

    def __init__(self, name, process, history=(0, 1), cache=0, growth=0, processor_limit=None):
        """`history` is the largest size of the kept history, in bytes, and the time until it is
        full, in seconds. `cache` is the size of a cache that fills at an unknown time. `growth` is
        the size of the results that a second adds. `processor_limit` is a share of one core."""
        self.name = name
        self.process = process
        self.history = history
        self.cache = cache
        self.growth = growth
        self.processor_limit = processor_limit
        self.start = time.monotonic()
        self.readings = []
        self.warm_up = 0

    def read(self):
        """Adds a reading, and returns whether the process is running."""
        try:
            reading = Reading(self.process)
            # A process that has ended uses no memory.
            if is_running(self.process):
                self.readings.append(reading)
                return True
            return False
        except OSError:
            return False

    def begin(self):
        """Ends the warm-up. The comparisons and the share of the processor start here."""
        self.warm_up = len(self.readings)

    @property
    def measured(self):
        return self.readings[self.warm_up:]

    def quarter(self, number):
        """Returns the readings of a quarter of the measured time, from 1 to 4."""
        count = len(self.measured)
        return self.measured[count * (number - 1) // 4:count * number // 4]

    def median(self, quantity, number):
        return statistics.median(getattr(reading, quantity) for reading in self.quarter(number))

    @property
    def processor_share(self):
        first, last = self.measured[0], self.measured[-1]
        return (last.processor - first.processor) / (last.time - first.time)

    @property
    def allowed_growth(self):
        """The allowed growth of the memory from the second to the last quarter, in bytes."""
        size, seconds = self.history
        before, after = (self.median("time", number) - self.start for number in (2, 4))
        filled = min(1, after / seconds) - min(1, before / seconds)
        allowance = self.ALLOWANCE + self.cache + self.ALLOWED_SHARE * self.median("memory", 2)
        return allowance + size * filled + self.growth * (after - before)

    def failures(self):
        growth = self.median("memory", 4) - self.median("memory", 2)
        if growth > self.allowed_growth:
            yield (f"{self.name}: memory grew by {growth / MEBIBYTE:.1f} MiB from the second to the"
                   f" last quarter; at most {self.allowed_growth / MEBIBYTE:.1f} MiB are allowed")
        for quantity in ("descriptors", "threads", "processes"):
            # A fluctuating number returns to its earlier values, but a leak does not.
            before = max(getattr(reading, quantity) for reading in self.quarter(2))
            after = self.median(quantity, 4)
            if after > before:
                yield (f"{self.name}: the number of {quantity} grew: at most {before} in the second"
                       f" quarter, and {after:g} (median) in the last")
        if self.processor_limit is not None and self.processor_share > self.processor_limit:
            yield (f"{self.name}: used {self.processor_share:.2%} of a core;"
                   f" at most {self.processor_limit:.0%} is allowed")

    HEADER = ("process", "resident", "memory Q2", "Q4", "allowed", "descriptors Q2", "Q4",
              "threads Q2", "Q4", "processes", "of a core")

    def row(self):
        def quantity(name, number):
            return f"{self.median(name, number):g}"

        def mebibytes(bytes):
            return f"{bytes / MEBIBYTE:.1f} MiB"

        return (self.name, mebibytes(self.measured[-1].resident),
                mebibytes(self.median("memory", 2)), mebibytes(self.median("memory", 4)),
                f"+{self.allowed_growth / MEBIBYTE:.1f}",
                quantity("descriptors", 2), quantity("descriptors", 4),
                quantity("threads", 2), quantity("threads", 4), quantity("processes", 4),
                f"{self.processor_share:.2%}")
