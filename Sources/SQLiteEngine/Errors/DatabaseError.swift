import Foundation

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
