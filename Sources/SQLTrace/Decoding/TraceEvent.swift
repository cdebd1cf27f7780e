/// An event of a traced program, decoded from a record.
struct TraceEvent: Sendable, Equatable {
    struct StatementEnd: Sendable, Equatable {
        var source: StatementExecution.Source
        /// The number of the library that contains the called function.
        var library: Int
        var statement: UInt64
        var connection: UInt64
        /// The address of the statement's text.
        var sql: UInt64
        /// The program counter, which is negative if no step followed the last reset.
        var programCounter: Int32
        var result: Int32
        /// The number of instructions executed since the statement was prepared.
        var instructionCount: UInt32
        var isAutocommit: Bool
        /// The number of calls to the busy handler in the last step, or -1 after the handler
        /// stopped.
        var busyCalls: Int32?
        /// The timeout of SQLite's built-in busy handler, in milliseconds, or 0 if there is none.
        var busyTimeout: Int32?
        /// The text, if the event contains it.
        var text: String?
        /// The connection's file, if the event contains it.
        var file: String?
        /// The bound values, if the event contains them.
        var values: [StatementValue] = []
    }

    struct ExecStart: Sendable, Equatable {
        var library: Int
        var connection: UInt64
        /// The address of the text.
        var sql: UInt64
        var isAutocommit: Bool
        var text: String?
        var file: String?
    }

    struct StepStart: Sendable, Equatable {
        var library: Int
        var statement: UInt64
        /// The program counter, which is negative if the statement starts with this step.
        var programCounter: Int32
    }

    enum Kind: Sendable, Equatable {
        case end(StatementEnd)
        case execStart(ExecStart)
        case execEnd(result: Int32)
        case stepStart(StepStart)
        case stepEnd(result: Int32)
        /// A call that closes a connection.
        case close(connection: UInt64)
        /// The thread started another thread in its process, or the first thread of a new process.
        case newThread(Int32, isProcess: Bool)
        /// The process executed a new program.
        case newProgram
        /// The thread ended.
        ///
        /// `isProcess` is `true` for the last thread of a process, or `nil` if unknown.
        case exit(isProcess: Bool?)
    }

    var time: UInt64
    var thread: Int32
    var kind: Kind
}

extension TraceEvent.Kind {
    var isStep: Bool {
        switch self {
        case .stepStart, .stepEnd: true
        default: false
        }
    }

    /// Returns the time that the event costs the thread, in nanoseconds.
    func cost(_ cost: ProbeCost?) -> Double {
        guard let cost else { return 0 }
        return switch self {
        case .end, .execStart, .close: cost.reset
        case .execEnd, .stepEnd: cost.step / 2
        case .stepStart: cost.step / 2
        case .newThread, .newProgram, .exit: 0
        }
    }
}
