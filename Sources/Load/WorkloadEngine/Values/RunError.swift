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
