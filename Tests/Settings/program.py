"""Opens connections with settings that are set in different ways: program.py MODULE WAL ROLLBACK."""
import importlib
import json
import sys
import time

module = importlib.import_module(sys.argv[1])
wal, rollback = sys.argv[2], sys.argv[3]
connections = []


def connect(path, **more):
    if module.__name__ == "apsw":
        flags = more.get("flags", 6) | module.SQLITE_OPEN_URI
        connection = module.Connection(path, flags=flags)
        if "timeout" in more:
            connection.set_busy_timeout(int(more["timeout"] * 1000))
        return connection
    more.pop("flags", None)
    return module.connect(path, isolation_level=None, uri=path.startswith("file:"), **more)


def add(connection, *statements, **known):
    for statement in statements:
        connection.execute(statement).fetchall()
    connections.append((connection, known))


def values(connection, known):
    def pragma(name):
        row = connection.execute("PRAGMA " + name).fetchone()
        return row[0] if row else None
    names = ("busy_timeout", "synchronous", "journal_mode", "cache_size", "mmap_size",
             "wal_autocheckpoint", "foreign_keys", "locking_mode", "query_only")
    connection.execute("SELECT count(*) FROM t").fetchone()
    return {"read_only": False, "shared_cache": False, "threading": "serialized",
            "own_handler": False, "own_hook": False,
            **{name: pragma(name) for name in names}, **known}


for path, mode in ((wal, "wal"), (rollback, "delete")):
    connection = connect(path)
    for statement in (f"PRAGMA journal_mode = {mode}", "CREATE TABLE IF NOT EXISTS t(a)"):
        connection.execute(statement).fetchall()
    connection.close()

add(connect(wal))
add(connect(wal, timeout=7.5), "PRAGMA cache_size = -1001")
add(connect(wal, timeout=0), "PRAGMA cache_size = 1002", "PRAGMA busy_timeout = 4321")
add(connect(wal, timeout=0), "PRAGMA cache_size = -1003", "PRAGMA synchronous = OFF")
add(connect(wal), "PRAGMA cache_size = -1004", "PRAGMA main.synchronous = 1",
    "PRAGMA foreign_keys = ON")
add(connect(wal), "PRAGMA cache_size = -1005", "PRAGMA synchronous = EXTRA", "BEGIN",
    "PRAGMA foreign_keys = ON", "COMMIT")
add(connect(wal), "PRAGMA cache_size(1006)", "PRAGMA mmap_size = 268435456",
    "PRAGMA wal_autocheckpoint = 0")
add(connect(wal), "PRAGMA cache_size = -1007", "PRAGMA mmap_size = 99999999999",
    "PRAGMA wal_autocheckpoint(17)")
add(connect(wal), "PRAGMA cache_size = -1008", "PRAGMA query_only = 1")
add(connect(f"file:{wal}?mode=ro", flags=1), "PRAGMA cache_size = -1009", read_only=True)
shared = connect(f"file:{wal}?cache=shared")
option = "SELECT sqlite_compileoption_used('OMIT_SHARED_CACHE')"
add(shared, "PRAGMA cache_size = -1010", shared_cache=shared.execute(option).fetchone()[0] == 0)
other = connect(wal)
add(other, "PRAGMA cache_size = -1011", f"ATTACH '{rollback}' AS other",
    "PRAGMA other.synchronous = OFF", "PRAGMA other.cache_size = 77",
    "PRAGMA other.locking_mode = EXCLUSIVE", "PRAGMA other.mmap_size = 65536")
if module.__name__ == "apsw":
    own = connect(wal)
    own.set_busy_handler(lambda count: False)
    add(own, "PRAGMA cache_size = -1012", own_handler=True)
    hook = connect(wal)
    hook.set_wal_hook(lambda *_: 0)
    add(hook, "PRAGMA cache_size = -1013", own_hook=True)
    add(connect(wal, flags=6 | module.SQLITE_OPEN_NOMUTEX), "PRAGMA cache_size = -1014",
        threading="multi-thread")
for index, mode in enumerate(("DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF")):
    add(connect(rollback), f"PRAGMA cache_size = -{1101 + index}", f"PRAGMA journal_mode = {mode}")

changed = connections[0]
lines = iter(sys.stdin.readline, "")
print(json.dumps([values(*entry) for entry in connections]), flush=True)
import threading


def change():
    for line in lines:
        pending.append(line)


pending = []
threading.Thread(target=change, daemon=True).start()
while True:
    if pending:
        changed[0].execute(pending.pop()).fetchall()
        print(json.dumps(values(*changed)), flush=True)
    for connection, _ in connections:
        connection.execute("SELECT count(*) FROM t").fetchone()
    time.sleep(0.02)
