import Text

/// The rules about what SQLite counts in the executions of a statement.
enum CounterRules {
    /// The number of executions from which a rule applies.
    private static let minimumRuns: UInt64 = 10

    private static func statements(
        _ facts: FindingFacts
    ) -> [(statement: WatchedStatement, counters: WatchedCounters)] {
        (facts.report.statements ?? []).compactMap { statement in
            statement.counters.flatMap { counters in
                counters.runs >= minimumRuns ? (statement, counters) : nil
            }
        }
    }

    private static func pid(_ statement: WatchedStatement) -> Int32? {
        statement.pids.count == 1 ? statement.pids[0] : nil
    }

    /// Returns a mean per run.
    private static func mean(_ count: UInt64, counters: WatchedCounters) -> Double {
        Double(count) / Double(max(counters.runs, 1))
    }

    /// The number of rows per run from which a scan is mentioned.
    private static let minimumScan = 1_000.0

    static let scanRemedy =
        "Create an index on the compared columns. poolgauge advise finds and measures it."
    static let automaticIndexRemedy =
        "Create this index: its columns are in the query plan (AUTOMATIC INDEX)."
    static let preparedRemedy =
        "Prepare the statement once and bind its values, or use the statement cache of the library."

    static func fullScans(_ facts: FindingFacts) -> [Finding] {
        let found = statements(facts).filter { statement, counters in
            mean(counters.fullScanSteps, counters: counters) > minimumScan
                && !StatementRules.isSlow(statement, in: facts)
        }
        return found.sorted { $0.counters.fullScanSteps > $1.counters.fullScanSteps }.prefix(3)
            .map { statement, counters in
                Finding(
                    .fullScan,
                    level: .note,
                    pid: pid(statement),
                    "\(FindingFacts.quoted(statement.sql)) in \(facts.names(statement.pids)) "
                        + "passes \(HumanUnits.number(mean(counters.fullScanSteps, counters: counters))) "
                        + "rows of a whole table per run, \(HumanUnits.exact(counters.runs, "time")).",
                    remedy: scanRemedy
                )
            }
    }

    /// The number of rows per run from which an automatic index is mentioned.
    private static let minimumIndexRows = 20.0

    static func automaticIndexes(_ facts: FindingFacts) -> [Finding] {
        let found = statements(facts).filter {
            mean($0.counters.automaticIndexRows, counters: $0.counters) >= minimumIndexRows
        }
        return found.sorted { $0.counters.automaticIndexRows > $1.counters.automaticIndexRows }
            .prefix(3).map { statement, counters in
                Finding(
                    .automaticIndex,
                    level: .note,
                    pid: pid(statement),
                    "\(FindingFacts.quoted(statement.sql)) in \(facts.names(statement.pids)) "
                        + "builds an index of about "
                        + "\(HumanUnits.number(mean(counters.automaticIndexRows, counters: counters))) rows in "
                        + "each run, and discards it, \(HumanUnits.exact(counters.runs, "time")).",
                    remedy: automaticIndexRemedy
                )
            }
    }

    /// The number of executions per second from which preparations are mentioned.
    private static let minimumPreparedRate = 50.0
    /// The share of executions from which a statement is prepared at each run.
    private static let minimumPreparedShare = 0.9
    private static let minimumRepreparedShare = 0.5

    static func preparations(_ facts: FindingFacts) -> [Finding] {
        let length = max(facts.report.tracing?.seconds ?? 1, 1)
        let found = statements(facts).filter { statement, counters in
            Double(counters.runs) / length >= minimumPreparedRate
                && mean(counters.preparations, counters: counters) >= minimumPreparedShare
                && !controlsConnection.contains(firstWord(of: statement.sql))
        }
        let again = statements(facts).filter { statement, counters in
            mean(counters.repreparations, counters: counters) >= minimumRepreparedShare
                && !changesSchema.contains(firstWord(of: statement.sql))
        }
        return prepared(found, in: facts, length: length) + prepared(again: again, facts)
    }

    private typealias Counted = (statement: WatchedStatement, counters: WatchedCounters)

    /// One finding, whatever the number of statements.
    private static func prepared(
        _ found: [Counted],
        in facts: FindingFacts,
        length: Double
    ) -> [Finding] {
        let sorted = found.sorted { $0.counters.runs > $1.counters.runs }
        guard let (statement, counters) = sorted.first else { return [] }
        let others =
            found.count > 1
            ? " and \(HumanUnits.exact(UInt64(found.count - 1), "other statement"))" : ""
        return [
            Finding(
                .prepared,
                level: .note,
                pid: pid(statement),
                "\(FindingFacts.quoted(statement.sql))\(others) in \(facts.names(statement.pids)) "
                    + "is prepared for each run, "
                    + "\(HumanUnits.rate(Double(counters.runs) / length)): SQLite parses and plans "
                    + "it each time.",
                remedy: preparedRemedy
            )
        ]
    }

    private static func prepared(again found: [Counted], _ facts: FindingFacts) -> [Finding] {
        found.sorted { $0.counters.repreparations > $1.counters.repreparations }.prefix(1)
            .map { statement, counters in
                Finding(
                    .prepared,
                    level: .note,
                    pid: pid(statement),
                    "SQLite had to prepare \(FindingFacts.quoted(statement.sql)) in "
                        + "\(facts.names(statement.pids)) again in "
                        + "\(FindingFacts.share(counters.repreparations, of: counters.runs)), "
                        + "because the schema or a setting had changed.",
                    remedy: "Look for tables that are created or dropped between its runs, and for "
                        + "ANALYZE."
                )
            }
    }

    /// The first words of statements that take hardly any time to prepare.
    private static let controlsConnection: Set = [
        "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA",
    ]
    /// The first words of statements after which SQLite prepares others again.
    private static let changesSchema: Set = ["CREATE", "DROP", "ALTER", "ANALYZE"]

    private static func firstWord(of sql: String) -> String {
        sql.prefix { $0.isLetter }.uppercased()
    }
}
