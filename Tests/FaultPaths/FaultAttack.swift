import CSQLite
import Foundation
import SQLiteEngine

/// An attack that makes each operation on a path fail in turn.
///
/// The attack ends when the path completes without a failure.
///
/// After a fault, the path either succeeds or throws an error that explains the fault. The
/// database object works again or is closed, and closing it releases SQLite's memory and all
/// descriptors. The database is intact, and it contains all acknowledged commits.
package struct FaultAttack {
    package var path: FaultPath
    package var subject: Subject
    package var fault: Fault
    /// The distance between two attacked operations.
    package var stride: Int

    package struct Outcome {
        /// The number of times that the path was followed.
        package var attacks = 0
        /// The number of operations that have failed.
        package var failures: Int64 = 0
        /// Descriptions of violated guarantees.
        package var findings: [String] = []
    }

    package init(path: FaultPath, subject: Subject, fault: Fault, stride: Int) {
        self.path = path
        self.subject = subject
        self.fault = fault
        self.stride = stride
    }

    /// Attacks the path, and calls `willAttack` with the number of the attacked operation before
    /// each attack.
    package func run(willAttack: (Int64) -> Void = { _ in }) throws -> Outcome {
        let template = try FaultFolder()
        let setup = try subject.open(template.database)
        try WrittenRows.create(in: setup)
        try setup.close()
        let folder = try FaultFolder()
        let memory = sqlite3_memory_used()
        var outcome = Outcome()
        var nth: Int64 = 1
        while true {
            try folder.copyFiles(of: template)
            willAttack(nth)
            let (failed, findings) = try attack(nth, folder, memory)
            outcome.attacks += 1
            outcome.failures += failed
            outcome.findings += findings.map {
                "\(path.name) of a \(subject), \(fault.name), operation \(nth): \($0)"
            }
            // One defect can affect many operations, so only the first three are reported.
            if failed == 0 || outcome.findings.count >= 3 { return outcome }
            nth += Int64(stride)
        }
    }

    private func attack(
        _ nth: Int64,
        _ folder: FaultFolder,
        _ memory: Int64
    ) throws -> (failed: Int64, findings: [String]) {
        var findings: [String] = []
        var rows = WrittenRows()
        var writer: (any DatabaseWriter)?
        var failure: (any Error)?
        let last = LastValue()
        var observation: AnyDatabaseCancellable?
        fault.start(folder.url.path, nth)
        do {
            let opened = try subject.open(folder.database)
            writer = opened
            if path.isObserved { observation = last.start(in: opened) }
            try path.run(opened, folder, &rows)
        } catch { failure = error }
        let failed = fault.stop()
        if let failure {
            if !path.mayThrow(failure) { findings.append("\(failure)") }
            if failed == 0 { findings.append("\(failure) without a fault") }
        }
        if let writer, let problem = useAgain(writer, last, &rows) { findings.append(problem) }
        observation?.cancel()
        observation = nil
        writer = nil
        let isReleased = isEventually {
            folder.openFiles ?? [] == [] && sqlite3_memory_used() <= memory
        }
        if !isReleased {
            findings.append(
                "open files: \(folder.openFiles ?? []), bytes: \(sqlite3_memory_used() - memory)"
            )
        }
        do {
            if let problem = try path.check(folder, rows) { findings.append(problem) }
            let reopened = try subject.open(folder.database)
            let contradiction = try reopened.read { try rows.contradiction(in: $0) }
            if let contradiction { findings.append("reopened: \(contradiction)") }
            try reopened.close()
        } catch { findings.append("\(error) when the files are opened again") }
        if let failure, !findings.isEmpty { findings[0] += " (after \(failure))" }
        return (failed, findings)
    }

    /// Uses a database object after a fault, unless the path has closed it.
    ///
    /// The observation, if any, must have ended with an error or must deliver the committed value.
    ///
    /// - Returns: A description of the problem, or `nil` if the object works.
    private func useAgain(
        _ writer: any DatabaseWriter,
        _ last: LastValue,
        _ rows: inout WrittenRows
    ) -> String? {
        do {
            try rows.write(writer)
            if let contradiction = try writer.read({ try rows.contradiction(in: $0) }) {
                return contradiction
            }
            if path.isObserved {
                let count = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
                guard isEventually({ last.error != nil || last.value == count }) else {
                    return "observed \(last.value as Any) of \(count as Any) rows"
                }
                if let error = last.error, !(error is DatabaseError) { return "observed \(error)" }
            }
            if let pool = writer as? DatabasePool, !isEventually({ isIdle(pool) }) {
                return "connections stay in use: \(pool.status().readers as Any)"
            }
            try writer.close()
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_MISUSE && path.closesDatabase
        {
            // The path has closed the connection.
        } catch { return "\(error) when the object is used again" }
        return nil
    }

    /// Returns whether each connection of a pool has been released.
    private func isIdle(_ pool: DatabasePool) -> Bool {
        let status = pool.status()
        return status.readers?.inUse == 0 && status.snapshots.isEmpty
            && status.connections.allSatisfy { $0.state == .idle }
    }
}
