"""Reads the status and the events of an agent, as docs/Protocol.md describes."""
import glob, http.client, json, os, socket, threading, time

# Counters of the status, and the kind of event that each of them counts.
COUNTERS = {
    "snapshotMade": lambda database: database["snapshotsMade"],
    "interruptRequested": lambda database: database["interrupts"]["requested"],
    "busy": lambda database: database["busyCount"],
}


class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("agent", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def find_socket(folder, name, timeout=30):
    """Waits for an agent's socket and returns its path."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        for path in glob.glob(os.path.join(folder, "poolgauge", f"{name}-*.sock")):
            return path
        time.sleep(0.1)
    raise TimeoutError(f"the agent {name} did not start")


class Events:
    """Counts an agent's events, and compares them with the counters in its status."""

    def __init__(self, path):
        self.path = path
        self.received = []
        self.lost = 0
        stream = Connection(path, timeout=None)
        stream.request("GET", "/events")
        self.response = stream.getresponse()
        # The agent sends the first line when the stream has started.
        self.response.readline()
        self.before = self.status()
        threading.Thread(target=self.receive, daemon=True).start()

    def status(self):
        connection = Connection(self.path, timeout=30)
        connection.request("GET", "/status")
        database = json.loads(connection.getresponse().read())["database"]
        connection.close()
        return database

    def receive(self):
        try:
            while line := self.response.readline():
                event = json.loads(line)
                if "lost" in event:
                    self.lost += event["lost"]
                else:
                    self.received.append((event["timeNanoseconds"], next(iter(event["kind"]))))
        except (OSError, http.client.HTTPException, ValueError):
            # The agent has ended.
            pass

    def end(self):
        """Reads the final counters, and waits for the events before them."""
        self.after = self.status()
        time.sleep(2)

    def rows(self):
        """Yields each kind, the number of received events, and the number that was counted."""
        start, end = (status["takenAtNanoseconds"] for status in (self.before, self.after))
        for kind, counter in COUNTERS.items():
            received = sum(1 for time, name in self.received if name == kind and start < time <= end)
            yield kind, received, counter(self.after) - counter(self.before)
