import Telemetry
import TestSupport

@testable import SQLiteEngine

/// An access that runs each statement when the test requests it.
///
/// A test can therefore interleave several accesses.
///
/// The access runs on a separate thread. Call all methods on the test's thread.
final class SteppedAccess: Sendable {
    private struct Abandoned: Error {}

    private enum Step {
        case run(@Sendable (Database) throws -> Void)
        case end
        case abandon
    }

    private let next = Lock<Step>(.abandon)
    private let outcome = Lock<Result<Void, any Error>>(.success(()))
    private let mayContinue = Gate()
    private let isDone = Gate()
    private let thread: Background<Void>

    /// Starts an access, and returns immediately.
    ///
    /// - Parameter access: A closure that performs the access, and calls its own argument with the
    ///   connection.
    init(_ access: @escaping @Sendable ((Database) throws -> Void) throws -> Void) {
        let (next, outcome, mayContinue, isDone) = (next, outcome, mayContinue, isDone)
        thread = Background {
            try access { db in
                while true {
                    try mayContinue.wait()
                    switch next.withLock({ $0 }) {
                    case .run(let body):
                        let result = Result { try body(db) }
                        outcome.withLock { $0 = result }
                        isDone.open()
                    case .end: return
                    case .abandon: throw Abandoned()
                    }
                }
            }
        }
    }

    /// Starts an access on the writer's connection without opening a transaction.
    convenience init(on writer: any DatabaseWriter) {
        self.init { body in try writer.writeWithoutTransaction(body) }
    }

    /// Ends the access with an error if the test has not ended it.
    deinit { set(.abandon) }

    private func set(_ step: Step) {
        next.withLock { $0 = step }
        mayContinue.open()
    }

    /// Runs a closure in the access, and waits until the closure returns.
    func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) throws -> T {
        let value = Lock<T?>(nil)
        set(
            .run { db in
                let result = try body(db)
                value.withLock { $0 = result }
            }
        )
        try isDone.wait()
        try outcome.withLock { $0 }.get()
        guard let value = value.withLock({ $0 }) else { throw Gate.Timeout() }
        return value
    }

    func run(_ sql: String) throws { try perform { try $0.execute(sql: sql) } }

    /// Runs statements, and returns their error code, or `nil` if they succeed.
    func errorCode(of sql: String) -> ResultCode? {
        databaseError { try run(sql) }?.extendedResultCode
    }

    /// Returns the values in the table `test`, keyed by identifier.
    func values(where condition: String = "true") throws -> [Int: Int] {
        try perform { db in
            let rows = try Row.fetchAll(db, sql: "SELECT id, value FROM test WHERE \(condition)")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        }
    }

    /// Makes the access return, and waits until the access has ended.
    ///
    /// - Throws: The error that the access throws.
    func end() throws {
        set(.end)
        try thread.value()
    }

    /// Ends the access with an error, and waits until the access has ended.
    func abandon() throws {
        set(.abandon)
        do { try thread.value() } catch is Abandoned {}
    }
}
