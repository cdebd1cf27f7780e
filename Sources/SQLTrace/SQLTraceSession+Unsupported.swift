#if !os(Linux)
import Findings
import SQLiteWatch

/// A session that traces the SQL of other programs.
///
/// Available only on Linux.
public final class SQLTraceSession {
    /// Throws an error, because the system has no uprobes.
    public init(
        paths: [String],
        commands: SQLTraceCommands,
        options: SQLTraceOptions = SQLTraceOptions()
    ) throws(TraceError) {
        throw TraceError(.unsupportedSystem, "SQL tracing requires Linux")
    }

    /// Does nothing.
    public func close() {}

    /// Does nothing.
    public func add(path: String) {}

    /// Returns no executions.
    @discardableResult
    public func poll() -> [StatementExecution] { [] }

    /// Returns no gaps.
    public func takeGaps() -> [Int32: [ClosedRange<UInt64>]] { [:] }

    /// Adds nothing.
    public func complete(_ reports: inout [WatchReport]) {}
}

/// The process that finds the memory layout of a program's SQLite library.
///
/// Available only on Linux.
public enum SQLCalibration {
    /// Does nothing.
    public static func run(_ arguments: [String]) {}
}

/// The process that makes programs wait for their probes when they open a database.
///
/// Available only on Linux.
public enum OpenGate {
    /// Does nothing.
    public static func run(waits: Bool = true) {}
}

/// The process that reads the query plans of statements.
///
/// Available only on Linux.
public enum StatementPlanning {
    /// Does nothing.
    public static func run() {}
}
#endif
