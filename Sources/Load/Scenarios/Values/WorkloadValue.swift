/// A kind of access.
public enum WorkloadAccess: String, Sendable, Codable, CaseIterable {
    /// A read in one transaction.
    case read
    /// A write in one transaction.
    case write
    /// An access to the write connection without a transaction.
    case writeWithoutTransaction
    /// A snapshot.
    case snapshot

    package var isWrite: Bool { self == .write || self == .writeWithoutTransaction }
}

/// A value in a statement or a row.
public enum WorkloadValue: Sendable, Hashable {
    /// SQL NULL.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A double.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

/// The mode of a checkpoint (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
public enum CheckpointMode: String, Sendable, Codable, CaseIterable {
    /// Copies as many frames as possible without waiting.
    case passive
    /// Waits for writers, then copies all frames that readers allow.
    case full
    /// Works like ``full``, then waits for readers so that the next writer can restart the log.
    case restart
    /// Works like ``restart``, then truncates the log.
    case truncate
}

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
        /// A run of a search ended early, for example because the disk is full.
        case failed
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
