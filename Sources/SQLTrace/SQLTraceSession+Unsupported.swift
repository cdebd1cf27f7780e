#if !os(Linux)
import Findings
import SQLiteWatch

/// A session that traces the SQL of other programs.
///
/// Available only on Linux.
public final class SQLTraceSession: StatementTrace {
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

    /// Returns no connections.
    public func watchedConnections() -> [WatchedConnection] { [] }

    package func report() -> [String: TracedDatabase] { [:] }
}

/// A trace of the statements of started programs.
///
/// Available only on Linux.
package final class AgentTraceSession: StatementTrace {
    package init(
        _ options: SQLTraceOptions = SQLTraceOptions(),
        paths: [String] = [],
        planning: [String] = []
    ) throws(TraceError) {
        throw TraceError(.unsupportedSystem, "starting a program with SQL tracing requires Linux")
    }

    package var newFiles: [String] { [] }
    package func add(path: String) {}
    @discardableResult
    package func poll() -> [StatementExecution] { [] }
    package func report() -> [String: TracedDatabase] { [:] }
    package func takeGaps() -> [Int32: [ClosedRange<UInt64>]] { [:] }
    package func watchedConnections() -> [WatchedConnection] { [] }
    package func close() {}
    package func memoryReport(_ window: WatchWindow) -> WatchReport? { nil }
    package func start(
        _ command: [String],
        library: String?,
        handled: [Int32] = []
    ) throws(TraceError) -> Int32 { -1 }
    package var obstacle: String? { nil }
    package static func opened(
        _ options: SQLTraceOptions = SQLTraceOptions(),
        paths: [String] = [],
        planning: [String] = []
    ) -> AgentTraceSession? { nil }
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
