import SQLText

/// The program in Python that executes a batched migration, as the rehearsal measured it.
///
/// The program records its progress in the transaction of each batch, so that it continues where it
/// ended, even after it was killed.
package enum BatchedScript {
    /// Writes the program.
    ///
    /// - Parameters:
    ///   - migration: The migration.
    ///   - maximumHold: The longest time that a batch may hold the write lock, in nanoseconds.
    ///   - source: The name of the original script.
    /// - Returns: The text of the program.
    package static func python(
        _ migration: BatchedMigration,
        maximumHold: UInt64,
        source: String
    ) -> String {
        let lines = units(of: migration.steps).map { unit in
            switch unit {
            case .statement(let sql): "    (\"statement\", \(literal(sql))),"
            case .transaction(let statements):
                "    (\"transaction\", [\n"
                    + statements.map { "        \(literal($0)),\n" }.joined() + "    ]),"
            case .batches(let batched):
                "    (\"batches\", \(literal(batched.boundsSQL)),\n"
                    + "        \(literal(batched.nextSQL)),\n"
                    + "        \(literal(batched.sql))),"
            }
        }
        return
            template
            .replacing("@SOURCE@", with: literal(source))
            .replacing("@HOLD@", with: String(Double(maximumHold) / 1e9))
            .replacing("@FIRST@", with: String(BatchPace.first))
            .replacing("@LARGEST@", with: String(BatchPace.largest))
            .replacing("@AIM@", with: String(BatchPace.aim))
            .replacing("@ABORT@", with: String(BatchPace.abort))
            .replacing("@CHECKPOINT@", with: String(Double(BatchPace.checkpointInterval) / 1e9))
            .replacing("@TABLE@", with: BatchRunner.progressTable)
            .replacing("@STEPS@", with: lines.joined(separator: "\n"))
    }

    /// A part of the migration that is complete or not done at all.
    private enum Unit {
        /// A statement that cannot be in a transaction, or that reads.
        case statement(String)
        case transaction([String])
        case batches(BatchedStatement)
    }

    private static func units(of steps: [MigrationStep]) -> [Unit] {
        var units: [Unit] = []
        var transaction: [String]?
        for step in steps {
            switch step {
            case .batches(let batched): units.append(.batches(batched))
            case .statement(let statement):
                switch statement.kind {
                case .begin: transaction = []
                case .commit:
                    if let statements = transaction { units.append(.transaction(statements)) }
                    transaction = nil
                case .change where transaction == nil, .schemaChange where transaction == nil,
                    .reindex where transaction == nil:
                    units.append(.transaction([statement.sql]))
                default:
                    if transaction != nil {
                        transaction?.append(statement.sql)
                    } else {
                        units.append(.statement(statement.sql))
                    }
                }
            }
        }
        return units
    }

    /// Returns a text as a literal of Python that contains only ASCII.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case " "..."~": literal.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                literal += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return literal + "\""
    }

    private static let template = #"""
        #!/usr/bin/env python3
        """Executes a migration in short transactions: python3 FILE DATABASE

        Written by 'poolgauge rehearse'. Repeat the command after an interruption: it continues where
        it ended. Test it on a copy of the database first, together with the programs that use it.
        """
        import sqlite3
        import sys
        import time

        SOURCE = @SOURCE@
        MAXIMUM_HOLD = @HOLD@  # seconds for which a batch may hold the write lock
        STEPS = [
        @STEPS@
        ]


        def main():
            if len(sys.argv) != 2:
                sys.exit(f"usage: python3 {sys.argv[0]} DATABASE")
            uri = "file:" + sys.argv[1].replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            # mode=rw: a misspelled name must not create a database.
            database = sqlite3.connect(uri + "?mode=rw", uri=True, isolation_level=None, timeout=30)
            is_wal = database.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            if is_wal:
                # A checkpoint at the end of a commit would count for the time of the batch.
                database.execute("PRAGMA wal_autocheckpoint = 0")
                database.execute("PRAGMA synchronous = NORMAL")
            database.execute(
                "CREATE TABLE IF NOT EXISTS @TABLE@ "
                "(step INTEGER PRIMARY KEY, next INTEGER, last INTEGER)"
            )
            done = database.execute("SELECT max(step) FROM @TABLE@").fetchone()[0]
            for step, (kind, *parts) in enumerate(STEPS):
                if done is not None and step < done:
                    continue
                if kind == "statement":
                    database.execute(parts[0]).fetchall()
                elif kind == "transaction":
                    transaction(database, step, parts[0])
                else:
                    batches(database, step, is_wal, *parts)
            database.execute("DROP TABLE @TABLE@")
            if is_wal:
                database.execute("PRAGMA wal_checkpoint(PASSIVE)")


        def finish(database, step, following, last):
            database.execute("REPLACE INTO @TABLE@ VALUES (?, ?, ?)", (step, following, last))
            database.execute("COMMIT")


        def transaction(database, step, statements):
            database.execute("BEGIN IMMEDIATE")
            try:
                for sql in statements:
                    database.execute(sql).fetchall()
                # The next step begins if this row exists.
                finish(database, step + 1, None, None)
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise


        def batches(database, step, is_wal, bounds, following, sql):
            progress = database.execute(
                "SELECT next, last FROM @TABLE@ WHERE step = ? AND last IS NOT NULL", (step,)
            ).fetchone()
            first, last = progress or database.execute(bounds).fetchone()
            rows, held, begun = @FIRST@, 0.0, time.monotonic()
            while first is not None and first <= last:
                upto = database.execute(following, {
                    "poolgauge_from": first, "poolgauge_last": last, "poolgauge_rows": rows,
                }).fetchone()[0]
                if upto is None:
                    break
                database.execute("BEGIN IMMEDIATE")
                start = time.monotonic()
                limit = start + MAXIMUM_HOLD * @ABORT@
                if rows > 1:
                    database.set_progress_handler(lambda: time.monotonic() > limit, 500)
                try:
                    database.execute(sql, {"poolgauge_from": first, "poolgauge_upto": upto})
                    database.set_progress_handler(None, 0)
                    finish(database, step, upto + 1 if upto < 2**63 - 1 else upto, last)
                    complete = True
                except BaseException as error:
                    database.set_progress_handler(None, 0)
                    if database.in_transaction:
                        database.execute("ROLLBACK")
                    if "interrupted" not in str(error) or time.monotonic() <= limit:
                        raise
                    complete = False
                took = max(time.monotonic() - start, 1e-9)
                ratio = MAXIMUM_HOLD * @AIM@ / took
                factor = min(2, max(0.25, ratio)) if complete else 0.25
                rows = min(@LARGEST@, max(1, int(rows * factor)))
                held += took
                if complete:
                    if upto == 2**63 - 1:
                        break
                    first = upto + 1
                if is_wal and held >= @CHECKPOINT@:
                    database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                    held = 0.0
                if time.monotonic() - begun > 1:
                    print(f"step {step + 1} of {len(STEPS)}: row ID {upto} of {last}")
                    begun = time.monotonic()
                # Others can write for as long as the batch prevented it.
                time.sleep(max(took, 0.001))


        main()

        """#
}
