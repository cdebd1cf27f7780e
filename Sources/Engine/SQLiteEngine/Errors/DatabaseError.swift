import CSQLite
import Foundation
import Telemetry

/// An error from SQLite, or an error from this library with an SQLite result code.
public struct DatabaseError: Error, ResultCodes {
    /// The extended code, such as `SQLITE_CONSTRAINT_UNIQUE`.
    public let extendedResultCode: ResultCode

    /// The description of the error, in English.
    public let message: String?

    /// The SQL that failed.
    public let sql: String?

    /// The arguments of the statement that failed.
    ///
    /// ``description`` omits the arguments unless `Configuration.publicStatementArguments` is set,
    /// because they can contain private data.
    public let arguments: StatementArguments?

    /// The location of the error and a remedy, if known, for ``description``.
    var explanation: String?

    /// The calls to the busy handler before `SQLITE_BUSY`, or `nil` for other errors.
    package var lockWait: LockWait?

    private let publicStatementArguments: Bool

    /// Creates an error with a primary or extended code.
    ///
    /// If `message` is `nil`, the error uses SQLite's text for the code.
    public init(
        resultCode: ResultCode = .SQLITE_ERROR,
        message: String? = nil,
        sql: String? = nil,
        arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false
    ) {
        self.extendedResultCode = resultCode
        self.message = message ?? resultCode.message
        self.sql = sql
        self.arguments = arguments
        self.publicStatementArguments = publicStatementArguments
    }

    /// The primary code, such as `SQLITE_CONSTRAINT`.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// Whether an interrupt ended the statement (`SQLITE_INTERRUPT`) or its transaction
    /// (`SQLITE_ABORT`).
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
    }
}

extension DatabaseError {
    /// Returns an error for a call that the library does not support.
    static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }

    static func connectionIsClosed() -> DatabaseError { misuse("Connection is closed") }
}

extension DatabaseError: CustomStringConvertible {
    /// The code, the message, and the SQL, with the arguments only if they are public.
    public var description: String { describe(withArguments: publicStatementArguments) }

    /// The code, the message, the SQL, and the arguments, even if they are private.
    public var expandedDescription: String { describe(withArguments: true) }

    private func describe(withArguments showsArguments: Bool) -> String {
        var text = "SQLite error \(resultCode.rawValue)"
        if let message { text += ": \(message)" }
        if let sql { text += " - while executing `\(sql.trimmedSQL)`" }
        if showsArguments, let arguments, !arguments.isEmpty {
            text += " with arguments \(arguments)"
        }
        if let explanation { text += " - \(explanation)" }
        return text
    }
}

extension DatabaseError: CustomNSError {
    /// The domain of the corresponding `NSError`.
    public static var errorDomain: String { "SQLiteEngine.DatabaseError" }

    /// The extended result code.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// The description, and the message as the failure reason.
    public var errorUserInfo: [String: Any] {
        var info = [NSLocalizedDescriptionKey: description]
        if let message { info[NSLocalizedFailureReasonErrorKey] = message }
        return info
    }
}

extension StringProtocol {
    var trimmedSQL: String {
        let isPadding = { (character: Character) in character.isWhitespace || character == ";" }
        let start = drop(while: isPadding)
        guard let end = start.lastIndex(where: { !isPadding($0) }) else { return "" }
        return String(start[...end])
    }
}

/// The key of a value in a row.
@usableFromInline
enum RowKey: Hashable, Sendable {
    case columnName(String)
    case columnIndex(Int)
}

/// An error that occurs when a value does not have the requested type or is missing from a row.
public struct RowDecodingError: Error {
    enum Impl: Sendable {
        case keyNotFound(RowKey, Context)
        case valueMismatch(any Any.Type, Context)
    }

    struct Context: CustomDebugStringConvertible, Sendable {
        let debugDescription: String

        let columns: [(name: String, value: DatabaseValue)]

        /// The key of the value, or `nil` if the row has no such value.
        let key: RowKey?

        let sql: String?

        let statementArguments: StatementArguments?
    }

    var impl: Impl

    private var context: Context {
        switch impl {
        case .keyNotFound(_, let context), .valueMismatch(_, let context): context
        }
    }
}

extension RowDecodingError {
    /// Returns the error for a column of the current row whose value cannot be decoded as `type`.
    @usableFromInline
    static func valueMismatch(
        _ type: any Any.Type,
        statement: Statement,
        index: Int
    ) -> RowDecodingError {
        valueMismatch(type, row: Row(statement: statement, layout: statement.layout), index: index)
    }

    @usableFromInline
    static func valueMismatch(
        _ type: any Any.Type,
        row: Row,
        index: Int
    ) -> RowDecodingError {
        let value = row.databaseValue(atUncheckedIndex: index)
        let context = Context(
            debugDescription: "could not decode \(type) from database value \(value)",
            row: row,
            key: .columnIndex(index)
        )
        return RowDecodingError(impl: .valueMismatch(type, context))
    }

    @usableFromInline
    static func columnNotFound(_ name: String, row: Row) -> RowDecodingError {
        let context = Context(
            debugDescription: "column not found: \(String(reflecting: name))",
            row: row,
            key: nil
        )
        return RowDecodingError(impl: .keyNotFound(.columnName(name), context))
    }
}

extension RowDecodingError.Context {
    init(debugDescription: String, row: Row, key: RowKey?) {
        self.debugDescription = debugDescription
        self.columns = row.map { (name: $0.0, value: $0.1) }
        self.key = key
        self.sql = row.statement?.sql
        self.statementArguments = row.statement?.arguments
    }

    var row: Row { Row(columns: columns) }
}

extension RowDecodingError: CustomStringConvertible {
    /// The description of the failure, with the column, the row, the SQL, and the arguments.
    public var description: String {
        var facts: [String] = []
        let columns = context.columns
        if case .columnIndex(let index) = context.key, columns.indices.contains(index) {
            facts.append("column: \(String(reflecting: columns[index].name))")
            facts.append("column index: \(index)")
        }
        let values = columns.map { "\($0.name):\($0.value)" }.joined(separator: " ")
        facts.append("row: [\(values)]")
        if let sql = context.sql { facts.append("sql: `\(sql)`") }
        if let arguments = context.statementArguments { facts.append("arguments: \(arguments)") }
        return "\(context.debugDescription) - \(facts.joined(separator: ", "))"
    }
}

extension DatabaseError {
    /// The maximum number of connections, and of waits in addition to the failing wait, that a
    /// message lists.
    private static let maximumListed = 8

    /// Returns the error for an access that would wait forever.
    ///
    /// SQLite also returns `SQLITE_LOCKED` if waiting for another connection of the same process
    /// would cause a deadlock (https://sqlite.org/unlock_notify.html). The first element of `waits`
    /// is the failing wait, which depends on the others.
    static func deadlock(_ waits: [AccessGate.NestedWait]) -> DatabaseError {
        var parts = waits.prefix(1 + maximumListed).enumerated().map { index, wait in
            (index == 0 ? "this access" : "another access") + describe(wait)
        }
        if waits.count > parts.count { parts.append("and \(waits.count - parts.count) more") }
        return DatabaseError(
            resultCode: .SQLITE_LOCKED,
            message: "deadlock: " + parts.joined(separator: "; ")
        )
    }

    private static func describe(_ wait: AccessGate.NestedWait) -> String {
        let holdings = wait.holdings.map { holding in
            (holding.isReserved ? "has reserved " : "holds ") + holding.slot.label
                + describe(holding.site)
        }
        return describe(wait.site) + " " + holdings.joined(separator: ", ") + " and waits for "
            + describe(wait.awaited.map(\.label))
    }

    private static func describe(_ labels: [String]) -> String {
        if labels.count <= maximumListed { return labels.joined(separator: " or ") }
        return "one of \(labels.count) connections from \(labels[0]) to \(labels[labels.count - 1])"
    }

    private static func describe(_ site: AccessSite) -> String {
        site.origin.map { " (\($0.name))" } ?? ""
    }
}

extension Database {
    /// A function that receives the code and the English message of an error that SQLite logs.
    public typealias LogErrorFunction = @Sendable (ResultCode, String) -> Void

    private static let errorLog = Lock<LogErrorFunction?>(nil)

    /// The function to call for each error that SQLite logs in this process, on any thread.
    ///
    /// Set this property before the first connection is opened, because SQLite does not accept a
    /// log function later. The function must not use SQLite. See https://sqlite.org/errlog.html.
    public static var logError: LogErrorFunction? {
        get { errorLog.withLock { $0 } }
        set {
            errorLog.withLock { $0 = newValue }
            guard newValue != nil else { return }
            poolgauge_config_log(
                { _, code, message in
                    guard let log = Database.logError else { return }
                    log(ResultCode(rawValue: code), message.map { String(cString: $0) } ?? "")
                },
                nil
            )
        }
    }
}

/// Stops the program with a message if a caller uses the library incorrectly.
///
/// Unlike `precondition`, this function also prints the message in release builds.
@inlinable
@inline(__always)
func requirement(
    _ isMet: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard isMet else { fatalError(message(), file: file, line: line) }
}
