import Foundation

/// An error from SQLite, or an error from this library with an SQLite result code.
public struct DatabaseError: Error {
    /// The extended code, such as `SQLITE_CONSTRAINT_UNIQUE`.
    public let extendedResultCode: ResultCode

    /// The description of the error, in English.
    public let message: String?

    /// The SQL that failed.
    public let sql: String?

    /// The arguments of the statement that failed.
    ///
    /// The arguments may be private: ``description`` omits them unless
    /// `Configuration.publicStatementArguments` is set.
    public let arguments: StatementArguments?

    /// Where the error occurred and a remedy, if known; part of ``description``.
    var explanation: String?

    /// The busy handler's calls before `SQLITE_BUSY`; nil for other errors.
    package var lockWait: LockWait?

    private let publicStatementArguments: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - resultCode: A primary or extended code.
    ///   - message: The description of the error; by default, SQLite's text for the code.
    ///   - sql: The SQL that failed.
    ///   - arguments: The arguments of the statement that failed.
    ///   - publicStatementArguments: Whether ``description`` shows the arguments.
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

    /// Whether an interrupt ended the statement (`SQLITE_INTERRUPT`), or the transaction that it
    /// belonged to (`SQLITE_ABORT`).
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The code, the message, and the SQL, with the arguments only if they are public.
    public var description: String { describe(withArguments: publicStatementArguments) }

    /// The code, the message, the SQL, and the arguments, which may be private.
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
    /// The SQL without surrounding white space and semicolons.
    var trimmedSQL: String {
        let isPadding = { (character: Character) in character.isWhitespace || character == ";" }
        let start = drop(while: isPadding)
        guard let end = start.lastIndex(where: { !isPadding($0) }) else { return "" }
        return String(start[...end])
    }
}
