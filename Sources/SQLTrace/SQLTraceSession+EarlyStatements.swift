#if os(Linux)
import SQLiteWatch
import Telemetry

/// The statements that began before their process had probes.
extension SQLTraceSession {
    struct EarlyStatement {
        var step: ConnectionReader.FirstStep
        /// The number of the library.
        var library: Int
        /// The number of the database.
        var database: Int
        var text: String
        /// The time at which it was first seen.
        var start: UInt64
    }

    /// The time between two searches in a process that has probes in windows, in nanoseconds.
    private static let searchPause: UInt64 = 5_000_000_000
    /// The maximum length of a statement's text, in bytes.
    static let textLimit = 1 << 16

    /// Searches for statements in the processes that have got probes since the last search.
    func findEarlyStatements() {
        let memory = ProcMemory()
        for (process, target) in attached where target.isUnsearched && target.isAttached {
            let now = monotonicNanoseconds()
            if let last = target.lastSearch, now < last + Self.searchPause { continue }
            target.isUnsearched = false
            target.lastSearch = now
            guard let search = StackSearch(process: process, memory) else { continue }
            for library in target.libraries.sorted() {
                let copy = CopyKey(process: process, library: library)
                guard let reader = reader(of: copy, memory) else { continue }
                for found in search.statements(reader) { add(found, reader, copy) }
            }
        }
    }

    private func add(_ found: StackSearch.Found, _ reader: ConnectionReader, _ copy: CopyKey) {
        guard case .watched(let database) = files.database(of: copy.process, path: found.path),
            let text = reader.memory.text(
                ofProcess: copy.process,
                at: found.step.sql,
                limit: Self.textLimit
            ),
            // The statement may have ended while its text was read.
            reader.firstStep(of: found.step.statement, found.step.connection) == found.step
        else { return }
        let now = monotonicNanoseconds()
        // Later calls count as part of an execution with an unknown start.
        guard kernel.expect(found.step, of: copy.process, at: now) else { return }
        let key = ConnectionKey(process: copy.process, connection: found.step.connection)
        guard earlyStatements[key]?.step != found.step else { return }
        earlyStatements[key] = EarlyStatement(
            step: found.step,
            library: copy.library,
            database: database,
            text: SecretKeys.redacted(text),
            start: now
        )
        connections.add(key, database: database, path: found.path, library: copy.library)
    }

    /// Whether an execution was inside the first step of an early statement on the same connection.
    ///
    /// The probes see only its inner steps. SQLite permits no other steps on the connection meanwhile.
    func isNested(_ execution: StatementExecution) -> Bool {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        guard let early = earlyStatements[key], early.step.statement != execution.statement,
            execution.end > early.start
        else { return false }
        if execution.end >= followTime { followEarlyStatements() }
        return earlyStatements[key] != nil
    }

    /// Forgets the early statements whose first step has returned.
    func followEarlyStatements() {
        guard !earlyStatements.isEmpty else { return }
        followTime = monotonicNanoseconds()
        let memory = ProcMemory()
        for (key, early) in earlyStatements {
            let copy = CopyKey(process: key.process, library: early.library)
            if let reader = reader(of: copy, memory) {
                let step = reader.firstStep(of: early.step.statement, key.connection)
                if step == early.step { continue }
                if !reader.isOpen(early.step) { kernel.stopExpecting(early.step, of: key.process) }
            }
            earlyStatements[key] = nil
        }
    }
}
#endif
