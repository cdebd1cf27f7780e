import Synchronization
import Telemetry

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

    var isWrite: Bool { self == .write || self == .writeWithoutTransaction }
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

/// The kind of failure of an access.
public enum WorkloadFailure: Sendable, Codable, Hashable {
    /// An interrupt ended the access with `SQLITE_INTERRUPT`, or with a subsequent
    /// `SQLITE_ABORT`.
    case interrupted
    /// The database was busy or locked, with the name of the result code, such as `SQLITE_BUSY`.
    case busy(String)
    /// Any other error, with the name of its code.
    case error(String)
}

/// A client's name, prepared so that accesses do not have to create or look up strings.
public struct WorkloadClientName: Sendable, Hashable {
    /// The name in the scenario.
    public let name: String
    package let memo = Memo()

    /// Creates a name.
    public init(_ name: String) { self.name = name }

    /// Returns whether two clients have the same name.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// A number that a target stores with a name, shared by all copies of the name.
    package final class Memo: Sendable {
        private let number = Atomic<Int>(-1)

        /// Returns the stored number, or stores and returns the result of `make` if there is
        /// none.
        ///
        /// Concurrent callers may each call `make`, which must always return the same number.
        package func number(orMake make: () -> Int) -> Int {
            let stored = number.load(ordering: .relaxed)
            if stored >= 0 { return stored }
            let made = make()
            number.store(made, ordering: .relaxed)
            return made
        }
    }
}

/// A statement with the values of its parameters.
public struct BoundStatement: Sendable, Hashable {
    /// The SQL text.
    public var sql: String
    /// The values of the parameters, in order of first appearance.
    public var values: [WorkloadValue]

    /// Creates a statement with values.
    public init(sql: String, values: [WorkloadValue]) {
        self.sql = sql
        self.values = values
    }
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

    var sql: String { "PRAGMA wal_checkpoint(\(rawValue.uppercased()))" }
}

/// The details of a `SQLITE_BUSY` failure that a target can report.
public struct BusyFailure: Sendable, Codable, Hashable {
    /// The role of the connection's busy handler in the failure.
    public enum Handler: Sendable, Codable, Hashable {
        /// The target does not report the handler's role.
        case unknown
        /// SQLite did not call the handler, because waiting could cause a deadlock.
        ///
        /// A transaction tried to write after a read while another connection was writing.
        case skipped
        /// The handler stopped waiting.
        ///
        /// Both times are in nanoseconds. The timeout is `nil` if unknown.
        case gaveUp(waited: UInt64, timeout: UInt64?)
    }

    /// The SQL that failed, or `nil` if unknown.
    public var statement: String?
    /// The role of the busy handler.
    public var handler: Handler
    /// The client that held the lock or last changed the database, or `nil` if unknown.
    public var holder: String?

    /// Creates a description of a failure.
    public init(statement: String? = nil, handler: Handler = .unknown, holder: String? = nil) {
        self.statement = statement
        self.handler = handler
        self.holder = holder
    }
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
