import Text

/// A finding of `poolgauge check`.
package struct CheckFinding: Sendable, Codable, Equatable {
    package var rule: CheckRule
    package var level: CheckRule.Level
    /// The statement with its literals masked, or `nil` if the finding is about a file.
    package var statement: String?
    /// The number of occurrences.
    package var count: UInt64
    /// The name and process of the first occurrence.
    package var program: String?
    package var pid: Int32?
    /// The database of the first occurrence.
    package var file: String?
    /// The number of databases.
    package var files: Int
    package var text: String
    package var remedy: String?
    /// Whether the baseline does not contain the finding, or `nil` without a baseline.
    package var isNew: Bool?

    /// Whether the finding lets the check fail.
    package var fails: Bool { level.fails && isNew != false }

    package init(_ observation: CheckObservation, level: CheckRule.Level) {
        rule = observation.rule
        self.level = level
        statement = observation.statement
        count = observation.count
        program = observation.program
        pid = observation.process > 0 ? observation.process : nil
        file = observation.file
        files = observation.fileCount
        (text, remedy) = Self.texts(observation)
    }

    private static func texts(_ found: CheckObservation) -> (text: String, remedy: String?) {
        let number = HumanUnits.number(found.measure)
        let time = HumanUnits.duration(seconds: found.measure)
        let related = found.related.map { FindingFacts.quoted($0, limit: 120) }
        switch found.rule {
        case .upgrade:
            let read = related.map { ", here with \($0)," } ?? ""
            let failed =
                found.failures > 0
                ? " \(HumanUnits.exact(found.failures, "execution")) failed for this reason." : ""
            return (
                "Its transaction reads\(read) before it writes: if another connection writes in "
                    + "between, the statement fails with SQLITE_BUSY at once.\(failed)",
                FailureRules.upgradeRemedy
            )
        case .selfWait:
            let holder = related.map { ", whose transaction last executed \($0)" } ?? ""
            let failed =
                found.failures > 0
                ? " It failed \(HumanUnits.exact(found.failures, "time"))." : ""
            return (
                "It waited up to \(time) for a lock of another connection of its process\(holder)."
                    + failed,
                StatementRules.remedy(nil, isSelf: true)
            )
        case .openTransaction: return openTransaction(found)
        case .noTimeout:
            return (
                "Its connection has no busy timeout, and other connections use the database: a "
                    + "statement that meets a lock fails at once. This is the first of "
                    + "\(HumanUnits.exact(found.count, "such statement")).",
                SettingRules.timeoutRemedy
            )
        case .scan:
            return (
                "It passed \(number) rows of a whole table in one run.", CounterRules.scanRemedy
            )
        case .sort:
            return (
                "It sorted about \(number) rows in one run.",
                "Create an index on the compared columns, followed by the columns of ORDER BY."
            )
        case .automaticIndex:
            return (
                "It built an index of about \(number) rows in one run, and discarded it.",
                CounterRules.automaticIndexRemedy
            )
        case .repeated:
            let list = related.map { ", one for each row of \($0) (N+1)" } ?? ""
            return (
                "It was executed up to \(number) times in one transaction or burst\(list).",
                StatementRules.repeatedRemedy
            )
        case .prepared:
            return (
                "It was prepared for each of up to \(number) runs in a row: SQLite parses and plans it "
                    + "each time.",
                CounterRules.preparedRemedy
            )
        case .failed: return failure(found)
        case .committedFailure:
            return (
                "It failed with \(found.related ?? "an error"), and its transaction was committed "
                    + "without it: a part of the changes is missing.",
                "Roll back the transaction after a failure, or put the statement into a savepoint "
                    + "and roll back to it."
            )
        case .singleWrites:
            return (
                "Up to \(number) writes in a row were transactions of their own; this one was the "
                    + "most frequent. Each commit waits for the disk.",
                StatementRules.smallTransactionsRemedy
            )
        case .foreignKeys:
            return (
                "The table \(found.related ?? "") has foreign keys, which the connection does not "
                    + "enforce: SQLite does so only after PRAGMA foreign_keys = ON. This is the first "
                    + "of \(HumanUnits.exact(found.count, "such change")).",
                "Execute PRAGMA foreign_keys = ON on each connection, outside a transaction."
            )
        case .leftoverWAL:
            return (
                "Its -wal file (\(HumanUnits.bytes(UInt64(max(0, found.measure))))) remains, and no "
                    + "process uses it: the last program did not close its connection. The database "
                    + "file alone may lack commits.",
                "Close each connection before the program ends. " + LogRules.leftoverRemedy
            )
        case .version:
            return (
                "\(number) connections wrote in WAL mode at the same time with SQLite "
                    + "\(found.related ?? ""): \(SettingRules.resetBugText)",
                SettingRules.resetBugRemedy
            )
        }
    }

    private static func openTransaction(
        _ found: CheckObservation
    ) -> (text: String, remedy: String?) {
        let gap = HumanUnits.duration(seconds: found.measure)
        let length = HumanUnits.duration(seconds: found.length ?? found.measure)
        if found.related != nil {
            return (
                "The query was open for \(length), and executed almost nothing in \(gap) of them. As long "
                    + "as it is open, it holds a read lock or pins the log.",
                "Fetch all rows, or reset or close the cursor, before other work."
            )
        }
        guard found.measure > 0 else {
            return (
                "Its transaction was open for \(length): nobody else can write in that time.",
                "Make the statements of this transaction faster, or divide it into smaller ones."
            )
        }
        return (
            "Its transaction was open for \(length), and executed no statement for \(gap) after this "
                + "one.",
            "Do the work after this statement before BEGIN or after COMMIT."
        )
    }

    private static func failure(_ found: CheckObservation) -> (text: String, remedy: String?) {
        let code = found.related ?? "an error"
        guard code.hasPrefix("SQLITE_BUSY") else {
            let advice = FailureRules.advice(for: code)
            return ("It failed with \(code): \(advice.text).", advice.remedy)
        }
        return (
            "It failed with \(code): another connection held a lock, or had written since the "
                + "transaction read.",
            FailureRules.timeoutRemedy
        )
    }
}

/// The findings that a check does not fail on.
///
/// Paths of temporary folders differ in each run, so a finding is identified by its statement, by the
/// name of its file, or by the name of its program.
package struct CheckBaseline: Sendable, Codable, Equatable {
    package struct Entry: Sendable, Codable, Hashable {
        package var rule: String
        package var statement: String?
        package var file: String?

        package var program: String?

        init(_ finding: CheckFinding) {
            rule = finding.rule.rawValue
            if finding.rule.isOfProgram {
                program = finding.program
                return
            }
            statement = finding.statement
            guard finding.statement == nil else { return }
            file = finding.file?.split(separator: "/").last.map { String($0) }
        }
    }

    package var schema = CheckBaseline.schema
    package var findings: [Entry]

    package static let schema = "poolgauge.check-baseline/1"

    package init(_ findings: [CheckFinding]) {
        self.findings = Array(Set(findings.map(Entry.init)))
            .sorted { left, right in
                (left.rule, left.statement ?? "", left.file ?? left.program ?? "")
                    < (right.rule, right.statement ?? "", right.file ?? right.program ?? "")
            }
    }

    /// Marks the findings that are not in the baseline, and returns the number of those that the
    /// findings lack.
    package func mark(_ findings: inout [CheckFinding]) -> Int {
        var known = Set(self.findings)
        let all = known
        for index in findings.indices {
            let entry = Entry(findings[index])
            findings[index].isNew = !all.contains(entry)
            known.remove(entry)
        }
        return known.count
    }
}

/// What a check saw of one statement, for one rule.
package struct CheckObservation: Sendable, Equatable {
    package var rule: CheckRule
    /// The statement with its literals masked, or `nil` if it is unknown or the observation is about a
    /// file.
    package var statement: String?
    /// The number of occurrences.
    package var count: UInt64 = 1
    /// The number of occurrences that failed with `SQLITE_BUSY`.
    package var failures: UInt64 = 0
    /// The largest number of rows or executions, or the longest time in seconds, on which the rule
    /// decided.
    package var measure = 0.0
    /// The length of the whole transaction with the longest gap, in seconds.
    package var length: Double?
    /// The other statement, table, version, or result code that the rule is about.
    package var related: String?
    /// The database of the first occurrence, `:memory:` for one in memory, or `nil` if unknown.
    package var file: String?
    /// The number of databases, at most ``fileLimit``.
    package var fileCount = 1
    /// The process of the first occurrence, and its name.
    package var process: Int32 = 0
    package var program: String?

    /// The number of databases from which they are not counted any more.
    package static let fileLimit = 10_000

    package init(
        _ rule: CheckRule,
        _ statement: String?,
        count: UInt64 = 1,
        measure: Double = 0,
        related: String? = nil
    ) {
        self.rule = rule
        self.statement = statement
        self.count = count
        self.measure = measure
        self.related = related
    }
}
