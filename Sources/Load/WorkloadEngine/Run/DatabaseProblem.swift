import Foundation
import Scenarios

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
