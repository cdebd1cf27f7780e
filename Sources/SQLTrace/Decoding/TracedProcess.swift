/// Which watched database a file is.
enum WatchedFileMatch: Sendable, Equatable {
    /// The database of a number.
    case watched(Int)
    /// Another file.
    case other
    /// It has the path of a watched one, but perhaps in another root directory.
    case unknown
}

/// What is known of a process whose events are decoded.
struct TracedProcess {
    /// The main database file of a connection.
    struct File: Equatable {
        var path: String
        var match: WatchedFileMatch
    }

    /// Whether the process started while it was traced, so that nothing of it was missed.
    var isNew: Bool
    var connections: [UInt64: File] = [:]
    /// The connections whose file was checked in this batch.
    var connectionsChecked: Set<UInt64> = []
    var statements: [UInt64: TracedStatement] = [:]
    /// Addresses of statements that were finalized: another one there is a new statement.
    private(set) var finalized: Set<UInt64> = []
    /// The statements that are timed, since their first step.
    var timings: [UInt64: StatementTiming] = [:]

    private static let capacity = 1 << 14

    init(isNew: Bool) { self.isNew = isNew }

    /// Forgets a statement.
    mutating func finalize(_ statement: UInt64) {
        statements[statement] = nil
        timings[statement] = nil
        if finalized.count >= Self.capacity { finalized = [] }
        finalized.insert(statement)
    }
}

/// What is known of a prepared statement.
struct TracedStatement {
    /// The address of its text.
    var sql: UInt64
    /// Its text without keys; nil while unknown.
    var text: String?
    /// Its counter of instructions at its last execution; nil before.
    var steps: UInt32?
}

/// The steps of a statement since its start.
struct StatementTiming: Equatable {
    /// The moment of the first step.
    var start: UInt64
    var nanoseconds: UInt64 = 0
    var rows: UInt64 = 0
    /// Whether steps are no longer recorded: its time is then that until its end.
    var isCut = false
}

/// The texts of the statements that a batch of events finalizes: by the time that memory is read,
/// these have none.
struct FinalTexts {
    private struct Key: Hashable {
        var statement: UInt64
        var sql: UInt64
    }

    private var texts: [Key: [(index: Int, text: String)]] = [:]

    init(_ events: [TraceEvent]) {
        for (index, event) in events.enumerated() {
            guard case .end(let end) = event.kind, let text = end.text else { continue }
            let key = Key(statement: end.statement, sql: end.sql)
            texts[key, default: []].append((index, text))
        }
    }

    /// The text of a statement that is finalized at an index or later.
    func text(of end: TraceEvent.StatementEnd, thread: Int32, from index: Int) -> String? {
        texts[Key(statement: end.statement, sql: end.sql)]?.first { $0.index >= index }?.text
    }
}
