import Foundation
import SQLiteWatch
import TestSupport
import Testing

@testable import SQLTrace

/// Trace sessions for tests on this machine.
enum TracedPrograms {
    /// The reason why SQL cannot be traced here, or `nil` if it can be traced.
    static let problem: String? = {
        guard ForeignProgram.isAvailable else { return "no Python with sqlite3 is installed" }
        switch ProbeSupport.way() {
        case .success: return nil
        case .failure(let error): return error.description
        }
    }()

    /// Whether SQL can be traced here.
    ///
    /// If not, reading this property prints the reason.
    static var isAvailable: Bool {
        if let problem { print("skipped: \(problem)") }
        return problem == nil
    }

    /// The helper program that sessions start.
    static let helper: String = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var folder = bundle.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("TraceHelper").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return "TraceHelper-is-not-built"
    }()

    /// The last statement of a program, in Python.
    static let end = "c.execute(\"SELECT 'end of test'\").fetchall()"

    /// Creates a database with a table in WAL mode, and returns its path and a program that uses it.
    static func prepared(_ folder: TemporaryFolder) throws -> (String, ForeignProgram) {
        let path = folder.file()
        let program = try ForeignProgram(path, name: "worker")
        try program.run(
            """
            c = connect(path, timeout=0.2)
            c.execute("PRAGMA journal_mode=WAL")
            c.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY, n, name)")
            """
        )
        return (path, program)
    }

    /// Returns a session on one database.
    static func session(
        _ path: String,
        way: ProbeSupport.Way? = nil,
        makesProgramsWait: Bool = true,
        _ change: (inout SQLTraceOptions) -> Void = { _ in }
    ) throws -> SQLTraceSession {
        var options = SQLTraceOptions()
        // Without a limit, a busy test does not lose its probes.
        options.shareLimit = 0
        change(&options)
        return try SQLTraceSession(
            [path],
            SQLTraceCommands(
                calibration: [helper, "calibration"],
                planning: [helper, "plans"],
                opening: [helper, "opens"] + (makesProgramsWait ? [] : ["without-waits"])
            ),
            options,
            way: try way ?? ProbeSupport.way().get()
        )
    }
}

extension SQLTraceSession {
    /// Reads events until the execution of the last statement of a test.
    @discardableResult
    func executions(until text: String = "SELECT 'end of test'") -> [StatementExecution] {
        var all: [StatementExecution] = []
        // The program has already executed the statement, so its event is in the kernel's buffer.
        // If a process must be surveyed first, its events appear later.
        for _ in 0..<1_000_000 {
            let new = poll()
            all += new
            if new.contains(where: { $0.sql == text }) { return all }
            sched_yield()
        }
        Issue.record("the last statement was not traced")
        return all
    }

    /// Returns the traced activity of the only database.
    func database() throws -> TracedDatabase { try #require(report().values.first) }
}
