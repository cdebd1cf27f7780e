import CSQLite
import Foundation

extension Database {
    /// The events that ``Database/trace(options:_:)`` reports.
    ///
    /// The raw value is an event mask for `sqlite3_trace_v2`.
    public struct TracingOptions: OptionSet, Sendable {
        /// The event mask for `sqlite3_trace_v2`.
        public let rawValue: CInt

        /// Creates options from an event mask for `sqlite3_trace_v2`.
        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// The start of statements and triggers.
        public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)

        /// The end of statements, with their duration.
        public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)
    }

    /// An event that ``Database/trace(options:_:)`` reports.
    ///
    /// The event is valid until the handler returns.
    public enum TraceEvent: CustomStringConvertible {
        /// A statement or trigger has started.
        case statement(Statement)
        /// A statement has finished.
        case profile(statement: Statement, duration: TimeInterval)

        /// The SQL, and the duration of a profile event.
        ///
        /// The SQL includes arguments only if ``Configuration/publicStatementArguments`` is set.
        public var description: String {
            switch self {
            case .statement(let statement): statement.description
            case .profile(let statement, let duration):
                Self.line(duration, sql: statement.description)
            }
        }

        /// The SQL with its arguments, which may be private, and the duration of a profile event.
        public var expandedDescription: String {
            switch self {
            case .statement(let statement): statement.expandedSQL
            case .profile(let statement, let duration):
                Self.line(duration, sql: statement.expandedSQL)
            }
        }

        private static func line(_ duration: TimeInterval, sql: String) -> String {
            "\(String(format: "%.3f", duration))s \(sql)"
        }
    }
}

extension Database.TraceEvent {
    /// The statement of an event.
    public struct Statement: CustomStringConvertible {
        let sqliteStatement: SQLiteStatement
        /// SQLite's description of a trigger, or `nil` for a statement.
        ///
        /// The description is a comment that contains the name of the trigger.
        let comment: String?
        let showsArguments: Bool

        /// The SQL, without its arguments.
        public var sql: String {
            comment ?? sqlite3_sql(sqliteStatement).map { String(cString: $0).trimmedSQL } ?? ""
        }

        /// The SQL with its arguments, which may be private.
        public var expandedSQL: String {
            if let comment { return comment }
            guard let text = sqlite3_expanded_sql(sqliteStatement) else { return "" }
            defer { sqlite3_free(text) }
            return String(cString: text).trimmedSQL
        }

        /// The SQL, with its arguments only if ``Configuration/publicStatementArguments`` is set.
        public var description: String { showsArguments ? expandedSQL : sql }
    }
}

@available(*, unavailable)
extension Database.TraceEvent: Sendable {}

@available(*, unavailable)
extension Database.TraceEvent.Statement: Sendable {}

extension Database {
    /// Sets the closure that receives the trace events of this connection.
    ///
    /// The closure is called on the thread that runs the statement, and must not use the database.
    /// Pass `nil` to stop tracing.
    public func trace(
        options: TracingOptions = .statement,
        _ trace: ((TraceEvent) -> Void)? = nil
    ) {
        traceHandler = trace
        guard trace != nil, !options.isEmpty else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            handle,
            UInt32(bitPattern: options.rawValue),
            { kind, context, statement, detail in
                guard let context, let statement else { return 0 }
                Unmanaged<Database>.fromOpaque(context)
                    ._withUnsafeGuaranteedRef {
                        $0.reportTraceEvent(
                            CInt(bitPattern: kind),
                            pointer: OpaquePointer(statement),
                            detail: detail
                        )
                    }
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Converts the data of SQLite's callback to an event (https://sqlite.org/c3ref/c_trace.html).
    private func reportTraceEvent(
        _ kind: CInt,
        pointer: SQLiteStatement,
        detail: UnsafeMutableRawPointer?
    ) {
        guard !isTraceMuted, let traceHandler, let detail else { return }
        switch kind {
        case SQLITE_TRACE_STMT:
            let text = String(cString: detail.assumingMemoryBound(to: CChar.self))
            let statement = TraceEvent.Statement(
                sqliteStatement: pointer,
                comment: text.hasPrefix("--") ? text : nil,
                showsArguments: configuration.publicStatementArguments
            )
            traceHandler(.statement(statement))
        case SQLITE_TRACE_PROFILE:
            let statement = TraceEvent.Statement(
                sqliteStatement: pointer,
                comment: nil,
                showsArguments: configuration.publicStatementArguments
            )
            let nanoseconds = detail.assumingMemoryBound(to: Int64.self).pointee
            traceHandler(.profile(statement: statement, duration: Double(nanoseconds) / 1e9))
        default: break
        }
    }
}
