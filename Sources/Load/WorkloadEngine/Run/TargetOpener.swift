import Foundation
import Scenarios
import Text

struct TargetOpener {
    let arm: Arm
    let factory: any WorkloadTargetFactory
    let options: RunOptions
    let control: RunControl

    /// The maximum time to retry opening a locked file if the arm has no `busy-timeout`.
    private static let defaultTimeout = Duration.seconds(5)
    /// The time between attempts, in nanoseconds.
    private static let pause: UInt64 = 20_000_000

    struct Opened {
        let target: any WorkloadTarget
        fileprivate let factory: any WorkloadTargetFactory
        fileprivate let original: OriginalJournal?

        func close() throws {
            try target.close()
            original?.restore(through: factory)
        }
    }

    /// Opens the database and runs the arm's setup.
    ///
    /// If another process has locked a database that is used in place, this method reports the
    /// process and retries until the arm's `busy-timeout` expires. SQLite does not call the busy
    /// handler for some locks that it acquires while opening, such as the lock for a journal mode
    /// change (<https://sqlite.org/c3ref/busy_handler.html>).
    ///
    /// - Throws: `RunError`, or `CancellationError` if the run is stopped first.
    func open(at path: String, reporting report: (String) -> Void) throws -> Opened {
        guard case .inPlace = options.database else { return try openOnce(at: path) }
        let timeout = arm.busyTimeout ?? Self.defaultTimeout
        let sleeper = options.clock.makeSleeper()
        let end = options.clock.now() &+ timeout.wholeNanoseconds
        while true {
            do {
                return try openOnce(at: path)
            } catch let error as RunError {
                guard let cause = error.cause, case .busy = factory.failure(of: cause) else {
                    throw error
                }
                guard control.stage < .stopped else { throw CancellationError() }
                let holders = LockHolders(path: path, processes: nil).current
                let holderText =
                    holders.isEmpty ? "another process" : holders.joined(separator: ", ")
                guard options.clock.now() < end else {
                    throw RunError(
                        .opening,
                        "the database of arm '\(arm.name)' cannot be opened: it was locked by "
                            + "\(holderText) for \(ReportUnits.time(timeout.wholeNanoseconds))",
                        cause: cause
                    )
                }
                report("waiting because the database is locked by \(holderText)")
                sleeper.sleep(until: options.clock.now() &+ Self.pause)
            }
        }
    }

    private func openOnce(at path: String) throws -> Opened {
        var original: OriginalJournal?
        do {
            original = try OriginalJournal(of: options.database, through: factory)
            let target = try factory.open(arm, at: path)
            do {
                for sql in arm.setup {
                    try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
                        _ = try $0.run(sql, [])
                    }
                }
                // Start each run with an empty log, regardless of the arm's setup.
                if arm.isWAL, !arm.setup.isEmpty {
                    _ = try? Checkpoint.run(
                        .truncate,
                        on: target,
                        as: WorkloadClientName("setup")
                    )
                }
            } catch {
                try? target.close()
                throw error
            }
            return Opened(target: target, factory: factory, original: original)
        } catch {
            original?.restore(through: factory)
            throw openingError(error, path: path)
        }
    }

    private func openingError(_ error: any Error, path: String) -> RunError {
        let problem = "the database of arm '\(arm.name)' cannot be opened"
        // The caller retries while another process has locked the file.
        if case .busy = factory.failure(of: error) {
            return RunError(.opening, problem, cause: error)
        }
        if case .inPlace = options.database {
            let text = DatabaseProblem.text(
                for: error,
                at: path,
                named: DatabaseProblem.name(of: path),
                "cannot be opened",
                classifiedBy: factory
            )
            if let text { return RunError(.opening, text) }
        }
        return RunError(.opening, problem, cause: error)
    }
}

/// The journal mode of a database before an in-place run changes it.
///
/// Only WAL mode persists in the file (<https://sqlite.org/fileformat.html>, offset 18). This
/// type reads the mode through SQLite. If this process opened the file directly, closing it would
/// release the locks of all the process's connections.
struct OriginalJournal {
    private let path: String
    private let mode: Arm.Journal

    /// Reads the mode, or returns `nil` if the run uses a copy or the library cannot report the
    /// mode.
    ///
    /// - Throws: The library's error, for example if the database is locked.
    init?(of database: UserDatabase?, through factory: any WorkloadTargetFactory) throws {
        guard case .inPlace(let file) = database,
            let mode = try factory.journalMode(ofDatabaseAt: file.path)
        else { return nil }
        path = file.path
        self.mode = mode
    }

    /// Restores WAL mode or a rollback-journal mode.
    ///
    /// Close the run's target first. SQLite does not leave WAL mode while another connection is
    /// open.
    func restore(through factory: any WorkloadTargetFactory) {
        guard let current = try? factory.journalMode(ofDatabaseAt: path),
            (current == .wal) != (mode == .wal)
        else { return }
        let arm = Arm(name: "restore", kind: .queue, journal: mode == .wal ? .wal : .delete)
        try? factory.open(arm, at: path).close()
    }
}

extension RunError {
    /// Returns the error for a database that cannot be copied.
    static func copying(
        _ path: String,
        cause: any Error,
        through factory: any WorkloadTargetFactory
    ) -> RunError {
        let name = DatabaseProblem.name(of: path)
        let text = DatabaseProblem.text(
            for: cause,
            at: path,
            named: name,
            "cannot be copied",
            classifiedBy: factory
        )
        return text.map { RunError(.dataset, $0) }
            ?? RunError(.dataset, "'\(name)' cannot be copied", cause: cause)
    }

    /// Returns the error for data that cannot be built, with the position of a failed statement.
    static func building(
        _ scenario: Scenario,
        for arm: Arm,
        cause: any Error,
        through factory: any WorkloadTargetFactory
    ) -> RunError {
        if case .file(let path) = scenario.dataset(of: arm) {
            return copying(path, cause: cause, through: factory)
        }
        guard let failure = cause as? DatasetBuilder.Failure,
            scenario.statementPositions[failure.sql] != nil
        else { return RunError(.dataset, "the data cannot be built", cause: cause) }
        let issue = scenario.issue(failure.description, with: failure.sql)
        return RunError(.dataset, issue.description)
    }
}

/// Explanations of errors that occur while a library reads, copies, or opens a database file.
package enum DatabaseProblem {
    /// The remedy for a damaged database.
    package static let damageRemedy =
        "restore it from a backup, or try the .recover command of the sqlite3 shell"

    /// Explains an error.
    ///
    /// - Parameters:
    ///   - error: The library's error.
    ///   - path: The path of the database.
    ///   - name: The database's name in the message.
    ///   - problem: The consequence of a lock, such as `cannot be copied`.
    ///   - factory: The factory that classifies the library's errors.
    /// - Returns: A message with the file, the reason, and a remedy, or `nil` for an unknown error.
    package static func text(
        for error: any Error,
        at path: String,
        named name: String,
        _ problem: String,
        classifiedBy factory: any WorkloadTargetFactory
    ) -> String? {
        switch factory.failure(of: error) {
        case .busy:
            let holders = LockHolders(path: path, processes: nil).current
            let holder = holders.isEmpty ? "another process" : holders.joined(separator: ", ")
            return "'\(name)' \(problem), because it is locked by \(holder); try again when the "
                + "lock has been released"
        case .error(let code) where code.hasPrefix("SQLITE_CORRUPT"):
            // The statement that found the damage is internal.
            let reason = String(describing: error)
                .replacing(/\s- while (executing|opening) [\s\S]*/, with: "")
            return "'\(name)' is damaged (\(reason)); \(damageRemedy)"
        case .error("SQLITE_READONLY") where access(path, W_OK) != 0:
            return "'\(name)' cannot be written by this user; change its permissions, and run the "
                + "command again"
        case .error, .interrupted: return nil
        }
    }

    /// Returns the last component of a path.
    static func name(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }
}
