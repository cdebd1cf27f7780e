import Foundation

/// Gives the date of a transaction.
public protocol TransactionClock: Sendable {
    /// The date for a transaction that begins on `db`.
    func now(_ db: Database) throws -> Date
}

/// The clock that gives the current date.
public struct DefaultTransactionClock: TransactionClock {
    /// The current date.
    public func now(_ db: Database) throws -> Date { Date() }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The clock that gives the current date.
    public static var `default`: Self { DefaultTransactionClock() }
}

/// A clock made of a closure.
public struct CustomTransactionClock: TransactionClock {
    private let closure: @Sendable (Database) throws -> Date

    /// Creates a clock that calls `closure`.
    public init(_ closure: @escaping @Sendable (Database) throws -> Date) {
        self.closure = closure
    }

    /// The date that the closure gives.
    public func now(_ db: Database) throws -> Date { try closure(db) }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A clock that calls `closure`.
    public static func custom(_ closure: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(closure)
    }
}
