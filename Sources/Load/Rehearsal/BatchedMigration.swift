import SQLText
import Text

/// The variant of a migration in which long statements are divided into batches.
package struct BatchedMigration: Sendable, Equatable {
    /// A statement that holds a lock for too long and stays as it is.
    package struct Remainder: Sendable, Codable, Equatable {
        /// The line of the script, starting with 1.
        package var line: Int
        package var statement: String
        /// Why the statement is not divided, and what shortens it.
        package var reason: String
    }

    package var steps: [MigrationStep]
    package var remainders: [Remainder]
    /// What differs from the original migration.
    package var notes: [String]

    /// Whether a batch uses the current time, so that its result differs from that of another run.
    package private(set) var usesClock = false

    /// The number of statements that are divided.
    package var batchedCount: Int { steps.count { if case .batches = $0 { true } else { false } } }

    /// What is known about the database, for batches.
    package struct Facts: Sendable {
        package var tables: [String: TableFacts]
        package var freePages: Int64?
        package var autoVacuum: Int64?

        package init(tables: [TableFacts], freePages: Int64?, autoVacuum: Int64?) {
            self.tables = Dictionary(
                tables.map { ($0.name.lowercased(), $0) },
                uniquingKeysWith: { first, _ in first }
            )
            self.freePages = freePages
            self.autoVacuum = autoVacuum
        }
    }

    /// Divides the statements of a script that hold the write lock for longer than a limit.
    ///
    /// - Parameters:
    ///   - script: The migration.
    ///   - holds: The time for which each statement held the lock, in nanoseconds, by its index.
    ///   - maximumHold: The limit, in nanoseconds.
    ///   - facts: The database before the migration.
    package init(
        _ script: MigrationScript,
        holds: [UInt64],
        maximumHold: UInt64,
        facts: Facts
    ) {
        let createsTriggers = script.statements.contains { statement in
            let words = SQLToken.significant(in: statement.sql).prefix(3).map(\.keyword)
            return words.first == "CREATE" && words.contains("TRIGGER")
        }
        steps = []
        remainders = []
        var divides: [String] = []
        var copiesRows = false
        var isInTransaction = false
        var savepoints = 0
        for (index, statement) in script.statements.enumerated() {
            let kind = statement.kind
            let isLong = index < holds.count && holds[index] > maximumHold
            if isLong, !kind.controlsTransaction {
                do throws(BatchedStatement.Obstacle) {
                    let batched = try BatchedStatement(
                        statement,
                        tables: facts.tables,
                        createsTriggers: createsTriggers
                    )
                    guard savepoints == 0 else {
                        throw .init("it is in a savepoint")
                    }
                    usesClock = usesClock || batched.usesClock
                    copiesRows = copiesRows || batched.copiesRows
                    if isInTransaction {
                        steps.append(.statement(.init(sql: "COMMIT", line: statement.line)))
                        divides.append(String(statement.line))
                    }
                    steps.append(.batches(batched))
                    if isInTransaction {
                        steps.append(
                            .statement(.init(sql: "BEGIN IMMEDIATE", line: statement.line))
                        )
                    }
                    continue
                } catch {
                    remainders.append(
                        Remainder(
                            line: statement.line,
                            statement: statement.summary(),
                            reason: Self.reason(for: statement, error, in: facts)
                        )
                    )
                }
            }
            switch kind {
            case .begin: isInTransaction = true
            case .commit, .rollback:
                isInTransaction = false
                savepoints = 0
            case .savepoint: savepoints += 1
            case .release: savepoints = max(0, savepoints - 1)
            default: break
            }
            steps.append(.statement(statement))
        }
        steps = Self.withoutEmptyTransactions(steps)
        notes = []
        guard batchedCount > 0 else { return }
        notes.append(
            "After an interruption, what its batches have done remains. The script continues where "
                + "it ended, and a program must be able to use the database in between."
        )
        if !divides.isEmpty {
            notes.append(
                "The transaction around line \(divides.joined(separator: ", ")) becomes several."
            )
        }
        if usesClock { notes.append("Each batch uses its own current time.") }
        if copiesRows {
            notes.append(
                "A row that others change after its batch was copied is not copied again. Prevent "
                    + "such changes, or repeat them in the copy with triggers."
            )
        }
    }

    /// Removes each `BEGIN` that its `COMMIT` follows immediately.
    private static func withoutEmptyTransactions(_ steps: [MigrationStep]) -> [MigrationStep] {
        var kept: [MigrationStep] = []
        for step in steps {
            if case .statement(let statement) = step, statement.kind == .commit,
                case .statement(let last)? = kept.last, case .begin = last.kind
            {
                kept.removeLast()
            } else {
                kept.append(step)
            }
        }
        return kept
    }

    /// Returns why a statement is not divided, and what shortens it.
    private static func reason(
        for statement: MigrationScript.Statement,
        _ obstacle: BatchedStatement.Obstacle,
        in facts: Facts
    ) -> String {
        let words = SQLToken.significant(in: statement.sql).prefix(4).map(\.keyword)
        switch statement.kind {
        case .vacuum:
            let free = facts.freePages.map { " (now \(HumanUnits.exact($0)) pages)" } ?? ""
            return facts.autoVacuum == 2
                ? "VACUUM cannot be divided; PRAGMA incremental_vacuum(N), repeated, frees the "
                    + "unused pages\(free) in short transactions"
                : "VACUUM cannot be divided; run it while no program writes. PRAGMA "
                    + "incremental_vacuum works only in a database with auto_vacuum = INCREMENTAL, "
                    + "and only a VACUUM can change to that"
        case .reindex: return "REINDEX cannot be divided; REINDEX name rebuilds a single index"
        case .schemaChange where words.first == "ANALYZE":
            return "ANALYZE cannot be divided; after PRAGMA analysis_limit = 400, it reads only a "
                + "sample of each index"
        case .schemaChange where words.first == "CREATE" && words.contains("INDEX"):
            return "CREATE INDEX cannot be divided, because SQLite builds an index in one "
                + "transaction; create it while few programs write"
        case .schemaChange where words.first == "DROP":
            return "DROP frees all pages in one transaction; if no program uses the table, delete "
                + "its rows in batches first"
        case .schemaChange where words.first == "ALTER":
            return "ALTER TABLE rewrites the table in one transaction"
        case .schemaChange where words.first == "CREATE" && words.contains("TABLE"):
            return
                "CREATE TABLE … AS SELECT cannot be divided; create the table first, and fill it "
                + "with INSERT … SELECT"
        default: return obstacle.description
        }
    }
}

/// The statements of a migration, in order.
package struct MigrationScript: Sendable, Equatable {
    /// A statement of a script.
    package struct Statement: Sendable, Codable, Equatable {
        /// The text, without the semicolon.
        package var sql: String
        /// The line of the statement's first token, starting with 1.
        package var line: Int

        package init(sql: String, line: Int) {
            self.sql = sql
            self.line = line
        }

        package var kind: SQLStatementKind { SQLStatementKind(sql) }

        /// The text on one line, shortened to a number of characters.
        package func summary(length: Int = 60) -> String {
            let words = sql.split { $0 == " " || $0.isNewline || $0 == "\t" }.joined(separator: " ")
            return words.count <= length ? words : words.prefix(max(0, length - 1)) + "…"
        }
    }

    /// A script that cannot be rehearsed.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        /// The line, starting with 1, or `nil` if the problem concerns the whole script.
        package var line: Int?
        package var message: String

        package var description: String { (line.map { "line \($0): " } ?? "") + message }
    }

    package var statements: [Statement]

    package init(statements: [Statement]) {
        self.statements = statements
    }

    /// Divides a script into statements.
    ///
    /// - Parameter text: SQL statements, separated by semicolons.
    /// - Throws: A ``Problem`` if there is no statement, or if there is a command of the shell.
    package init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        var statements: [Statement] = []
        var line = 1
        var position = 0
        for range in SQLStatements.ranges(in: text) {
            line += bytes[position..<range.lowerBound].count { $0 == UInt8(ascii: "\n") }
            position = range.lowerBound
            let sql = String(decoding: bytes[range], as: UTF8.self)
            guard bytes[range.lowerBound] != UInt8(ascii: ".") else {
                let command = sql.prefix { !$0.isWhitespace }
                throw Problem(
                    line: line,
                    message: "'\(command.prefix(40))' is a command of the shell sqlite3 and not "
                        + "SQL; remove it, or replace it with the statements that it executes"
                )
            }
            statements.append(Statement(sql: sql, line: line))
        }
        if text.utf8.contains(0) {
            throw Problem(line: nil, message: "the script contains a NUL character; remove it")
        }
        guard !statements.isEmpty else {
            throw Problem(line: nil, message: "the script contains no statement")
        }
        self.statements = statements
    }

    /// Whether the script leaves a transaction open.
    package var endsInTransaction: Bool {
        !statements.reduce(true) { SQLStatements.autocommit(after: $1.sql, from: $0) }
    }
}
