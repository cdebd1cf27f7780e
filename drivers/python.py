"""A driver for poolgauge (docs/Drivers.md): Python's sqlite3 with threads.

The pool works like SQLAlchemy's QueuePool without overflow: a thread takes the connection that was
returned last, opens one if there are fewer than `readers`, and otherwise waits at most 30 s.
Without `readers`, each thread keeps its own connection.
"""
import json, queue, platform, socket, sqlite3, sys, threading
from time import monotonic_ns as now


def open_connection(setup):
    timeout = setup.get("busyTimeout")
    connection = sqlite3.connect(
        setup["database"],
        timeout=5 if timeout is None else timeout / 1000,
        isolation_level=None,  # The driver starts transactions itself.
        check_same_thread=False,
    )
    for pragma in setup["pragmas"]:
        connection.execute(pragma)
    return connection


class Pool:
    def __init__(self, setup):
        self.setup, self.size = setup, setup["readers"]
        self.idle, self.lock, self.count = queue.LifoQueue(), threading.Lock(), 0

    def get(self):
        try:
            return self.idle.get_nowait()
        except queue.Empty:
            with self.lock:
                grows = self.count < self.size
                self.count += grows
        return open_connection(self.setup) if grows else self.idle.get(timeout=30)

    def put(self, connection):
        self.idle.put_nowait(connection)


def value(json_value):
    """Blobs and large integers are objects."""
    if isinstance(json_value, dict):
        return bytes.fromhex(json_value["b"]) if "b" in json_value else int(json_value["i"])
    return json_value


def failure(error):
    if isinstance(error, queue.Empty):
        return "POOL_TIMEOUT no connection became free within 30 s"
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return f"{name} {error}"[:200]


def perform(connection, statements, values):
    """Returns the number of rows, or the failure as text."""
    try:
        if len(statements) == 1:
            return len(connection.execute(statements[0][0], values).fetchall())
        rows = first = 0
        for sql, count in statements:
            rows += len(connection.execute(sql, values[first:first + count]).fetchall())
            first += count
        return rows
    except Exception as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return failure(error)


def lane(path, setup, pool, accesses):
    own = None if pool else open_connection(setup)
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(path)
        for line in stream.makefile("rb"):
            answers = []
            for request in json.loads(line):
                access, *values = request
                if dict in map(type, values):
                    values = [value(item) for item in values]
                start = now()
                try:
                    connection = own or pool.get()
                    entry = now()
                    result = perform(connection, accesses[access], values)
                    if pool:
                        pool.put(connection)
                except Exception as error:
                    entry, result = now(), failure(error)
                answers += (entry - start, now() - entry, result)
            stream.sendall((json.dumps(answers) + "\n").encode())


def prepared(setup):
    """Returns the statements of each access, with their numbers of values.

    A single statement is a read transaction of its own. Other accesses start and end one. The last
    access has no statements; its index is that of Poolgauge's access without statements, -1.
    """
    for access in setup["accesses"]:
        statements = [(s["sql"], s["parameters"]) for s in access["statements"]]
        if access["kind"] == "write" or access["kind"] == "read" and len(statements) > 1:
            begin = setup["begin"] if access["kind"] == "write" else "BEGIN DEFERRED"
            statements = [(begin, 0), *statements, ("COMMIT", 0)]
        yield statements
    yield []


def main():
    setup = json.loads(sys.stdin.readline())
    try:
        if setup.get("busyPause") is not None:
            raise ValueError("sqlite3 has no constant pause; remove 'retry'")
        open_connection(setup).close()
        pool = Pool(setup) if setup.get("readers") else None
        accesses = list(prepared(setup))
        answer = {"ready": True, "runtime": "Python " + platform.python_version(),
                  "sqlite": sqlite3.sqlite_version}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        for _ in range(request["lanes"]):
            arguments = (request["socket"], setup, pool, accesses)
            threading.Thread(target=lane, args=arguments, daemon=True).start()


main()
