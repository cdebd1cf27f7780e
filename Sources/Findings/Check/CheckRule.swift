/// A rule of `poolgauge check`.
///
/// The raw value is its name in configurations and reports.
package enum CheckRule: String, Sendable, Codable, CaseIterable {
    /// A transaction reads before it writes.
    case upgrade
    /// A statement waits for a lock of another connection of its process.
    case selfWait = "self-wait"
    /// A transaction or a read is open for a long time.
    case openTransaction = "open-transaction"
    /// Several connections use a file, and one of them has no busy timeout.
    case noTimeout = "no-timeout"
    /// A statement passes many rows of a whole table.
    case scan
    /// A statement sorts many rows.
    case sort
    /// A statement builds an index in each run.
    case automaticIndex = "automatic-index"
    /// One statement is executed for each row of another one.
    case repeated
    /// A statement is prepared for each of many runs.
    case prepared
    /// A statement fails for a reason other than its data.
    case failed
    /// A transaction is committed although one of its statements failed.
    case committedFailure = "committed-failure"
    /// Many writes are transactions of their own.
    case singleWrites = "single-writes"
    /// A connection writes to tables with foreign keys that it does not enforce.
    case foreignKeys = "foreign-keys"
    /// A database has a `-wal` file at the end.
    case leftoverWAL = "leftover-wal"
    /// A version of SQLite can corrupt the database.
    case version

    /// What happens with the findings of a rule.
    package enum Level: String, Sendable, Codable, CaseIterable {
        /// The rule is not applied.
        case off
        /// The finding is reported.
        case note
        /// The finding is reported, and the check fails.
        case warning
        /// The same as a warning, with another mark.
        case error

        package var fails: Bool { self == .warning || self == .error }
    }

    /// The level without a configuration.
    package var standardLevel: Level {
        switch self {
        case .failed: .error
        // Distributions mend old versions without changing the number.
        case .version: .note
        default: .warning
        }
    }

    /// A number from which a rule applies.
    package enum Limit: String, Sendable, CaseIterable {
        /// Rows of a run that are passed or sorted.
        case rows
        /// Executions of one statement in one transaction or burst.
        case times
        /// Writes in a row, each of which is a transaction.
        case writes
        /// The time that a transaction is open, or that a statement waits, in seconds.
        case longest
        /// The time between two statements of a transaction, in seconds.
        case gap

        package var isTime: Bool { self == .longest || self == .gap }
    }

    /// The limits of the rule, and their values without a configuration.
    package var limits: KeyValuePairs<Limit, Double> {
        switch self {
        case .scan, .sort: [.rows: 500]
        case .automaticIndex: [.rows: 50]
        case .repeated: [.times: 10]
        case .prepared: [.times: 100]
        case .singleWrites: [.writes: 100]
        case .selfWait: [.longest: 0.01]
        case .openTransaction: [.longest: 1, .gap: 0.2]
        default: [:]
        }
    }

    /// Whether a finding is about a program's connections, and not about its first statement.
    package var isOfProgram: Bool { self == .foreignKeys || self == .noTimeout }

    /// Whether the rule is about locks and files, which a private database in memory does not have.
    package var needsFile: Bool {
        switch self {
        case .selfWait, .noTimeout, .singleWrites, .leftoverWAL, .version: true
        default: false
        }
    }
}

/// How a check applies its rules.
package struct CheckSettings: Sendable, Equatable {
    /// What is allowed: the findings that all specified parts match.
    package struct Allowance: Sendable, Equatable {
        /// A statement, formatted like those of findings; at the end, `…` stands for any text.
        package var statement: String?
        /// A path or a file name, in which `*` stands for any text.
        package var file: String?

        package init(statement: String? = nil, file: String? = nil) {
            self.statement = statement
            self.file = file
        }
    }

    private var levels: [CheckRule: CheckRule.Level] = [:]
    private var limits: [CheckRule: [CheckRule.Limit: Double]] = [:]
    package var allowances: [CheckRule: [Allowance]] = [:]

    package init() {}

    package subscript(level rule: CheckRule) -> CheckRule.Level {
        get { levels[rule] ?? rule.standardLevel }
        set { levels[rule] = newValue }
    }

    package subscript(rule: CheckRule, limit: CheckRule.Limit) -> Double {
        get { limits[rule]?[limit] ?? rule.limits.first { $0.key == limit }?.value ?? 0 }
        set { limits[rule, default: [:]][limit] = newValue }
    }

    /// Returns whether a statement on a file is allowed.
    package func allows(_ rule: CheckRule, statement: String?, file: String?) -> Bool {
        (allowances[rule] ?? []).contains { allowance in
            let isStatement =
                allowance.statement.map { pattern in
                    guard let statement else { return false }
                    return pattern.hasSuffix("…")
                        ? statement.hasPrefix(pattern.dropLast()) : statement == pattern
                } ?? true
            let isFile =
                allowance.file.map { pattern in
                    guard let file else { return false }
                    let name = file.split(separator: "/").last.map { String($0) } ?? file
                    return Self.matches(Array(pattern.utf8), text: Array(file.utf8))
                        || Self.matches(Array(pattern.utf8), text: Array(name.utf8))
                } ?? true
            return isStatement && isFile
        }
    }

    /// Returns whether a text matches a pattern in which `*` stands for any text.
    private static func matches(_ pattern: [UInt8], text: [UInt8]) -> Bool {
        var (place, index) = (0, 0)
        var star: (place: Int, index: Int)?
        while index < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, index)
                place += 1
            } else if place < pattern.count, pattern[place] == text[index] {
                (place, index) = (place + 1, index + 1)
            } else if let last = star {
                star?.index += 1
                (place, index) = (last.place + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
