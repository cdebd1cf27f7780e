/// A Python module that records the statements of a program as JSON lines, for `capture --from`.
enum PythonTracer {
    /// The source of the module.
    static let source = #"""
        import itertools, json, os, sqlite3, threading, time

        _file, _lock = open(os.environ.get("POOLGAUGE_TRACE", "trace.jsonl"), "a", 1), threading.Lock()

        def _write(connection, sql, start, seconds, values=(), rows=None, code=0):
            line = {"time": start + seconds, "pid": os.getpid(), "connection": connection.number, "sql": sql,
                    "seconds": seconds, "code": code, "autocommit": not connection.in_transaction}
            if rows is not None: line["rows"] = rows
            if values: line["values"] = [v if isinstance(v, (int, float, str, type(None))) else str(v)
                                         for v in (values.values() if isinstance(values, dict) else values)]
            with _lock: _file.write(json.dumps(line) + "\n")

        class TracedCursor(sqlite3.Cursor):
            _open = None                                        # [sql, values, start, seconds, rows]
            def _finish(self, code=0):
                if self._open:
                    (sql, values, start, seconds, rows), self._open = self._open, None
                    _write(self.connection, sql, start, seconds, values, rows, code)
            def _timed(self, call):
                start = time.monotonic()
                try: return call()
                except sqlite3.Error as error:
                    self._open[3] += time.monotonic() - start
                    self._finish(getattr(error, "sqlite_errorcode", 1))
                    raise
                finally:
                    if self._open: self._open[3] += time.monotonic() - start
            def execute(self, sql, values=()):
                self._finish()
                self._open = [sql, values, time.monotonic(), 0, 0]
                result = self._timed(lambda: sqlite3.Cursor.execute(self, sql, values))
                if self.description is None: self._finish()     # the statement returns no rows
                return result
            def executemany(self, sql, rows):
                for values in rows: self.execute(sql, values)
                return self
            def _fetch(self, call, count):
                result = self._timed(call) if self._open else call()
                if self._open:
                    self._open[4] += count(result)
                    if not result or count is len: self._finish()
                return result
            def fetchone(self): return self._fetch(lambda: sqlite3.Cursor.fetchone(self), lambda r: r is not None)
            def fetchall(self): return self._fetch(lambda: sqlite3.Cursor.fetchall(self), len)
            def fetchmany(self, *size): return self._fetch(lambda: sqlite3.Cursor.fetchmany(self, *size), lambda r: len(r))
            def __next__(self):
                row = self.fetchone()
                if row is None: raise StopIteration
                return row
            def close(self):
                self._finish()
                sqlite3.Cursor.close(self)
            def __del__(self): self._finish()

        class TracedConnection(sqlite3.Connection):
            _classes, _numbers = {}, itertools.count(1)
            def __init__(self, *arguments, **options):
                self.number = next(self._numbers)
                super().__init__(*arguments, **options)
            def cursor(self, factory=TracedCursor):
                if not issubclass(factory, TracedCursor):       # Django passes its own cursor class
                    factory = self._classes.setdefault(factory, type("Traced", (factory, TracedCursor), {}))
                return sqlite3.Connection.cursor(self, factory)
            def execute(self, *arguments): return self.cursor().execute(*arguments)
            def executemany(self, *arguments): return self.cursor().executemany(*arguments)
            def _end(self, word, call):
                was_open, start = self.in_transaction, time.monotonic()
                try: call()
                except sqlite3.Error as error:
                    _write(self, word, start, time.monotonic() - start, code=getattr(error, "sqlite_errorcode", 1))
                    raise
                if was_open: _write(self, word, start, time.monotonic() - start)
            def commit(self): self._end("COMMIT", lambda: sqlite3.Connection.commit(self))
            def rollback(self): self._end("ROLLBACK", lambda: sqlite3.Connection.rollback(self))
            def __exit__(self, kind, *_):                       # the end of "with connection:"
                if kind is not None: self.rollback()
                else:
                    try: self.commit()
                    except sqlite3.Error:
                        self.rollback()
                        raise
                return False
        """#
}
