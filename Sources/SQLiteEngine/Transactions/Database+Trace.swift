import CSQLite
import Foundation

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
                            OpaquePointer(statement),
                            detail
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
        _ pointer: SQLiteStatement,
        _ detail: UnsafeMutableRawPointer?
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
