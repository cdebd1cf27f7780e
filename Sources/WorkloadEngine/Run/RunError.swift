/// Why a run could not be carried out.
public struct RunError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// The data set could not be built.
        case dataset
        /// The arm's database could not be opened or set up.
        case opening
        /// An access did not end, though it was interrupted again and again.
        case stuck
        /// The database could not be closed.
        case closing
        /// A scenario that cannot be run or compared as it is.
        case scenario
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, to whom.
    public let message: String
    /// The error behind it, if there is one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, and its cause.
    public var description: String {
        cause.map { "\(message): \($0)" } ?? message
    }
}
