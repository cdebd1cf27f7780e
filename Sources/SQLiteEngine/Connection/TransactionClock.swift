import Foundation

/// A type that provides the date of a transaction.
public protocol TransactionClock: Sendable {
    /// Returns the date for a transaction that starts on `db`.
    func now(_ db: Database) throws -> Date
}

/// A clock that returns the current date.
public struct DefaultTransactionClock: TransactionClock {
    /// Returns the current date.
    public func now(_ db: Database) throws -> Date { Date() }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// A clock that returns the current date.
    public static var `default`: Self { DefaultTransactionClock() }
}

/// A clock that calls a closure.
public struct CustomTransactionClock: TransactionClock {
    private let closure: @Sendable (Database) throws -> Date

    /// Creates a clock that calls `closure`.
    public init(_ closure: @escaping @Sendable (Database) throws -> Date) {
        self.closure = closure
    }

    /// Returns the date that the closure returns.
    public func now(_ db: Database) throws -> Date { try closure(db) }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// Returns a clock that calls `closure`.
    public static func custom(_ closure: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(closure)
    }
}
