/// An error that prevents or ends a run.
public struct RunError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The dataset could not be built.
        case dataset
        /// The arm's database could not be opened or configured.
        case opening
        /// An access did not end despite repeated interrupts.
        case stuck
        /// The database could not be closed.
        case closing
        /// The scenario cannot be run or compared.
        case scenario
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message and the cause.
    public var description: String {
        cause.map { "\(message): \($0)" } ?? message
    }
}

extension RunError {
    /// Returns the error for a database that cannot be copied.
    static func copying(
        _ path: String,
        _ cause: any Error,
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
        _ cause: any Error,
        through factory: any WorkloadTargetFactory
    ) -> RunError {
        if case .file(let path) = scenario.dataset(of: arm) {
            return copying(path, cause, through: factory)
        }
        guard let failure = cause as? DatasetBuilder.Failure,
            scenario.statementPositions[failure.sql] != nil
        else { return RunError(.dataset, "the data cannot be built", cause: cause) }
        let issue = scenario.issue(failure.description, with: failure.sql)
        return RunError(.dataset, issue.description)
    }
}
