import CSQLite
import SQLText

/// A cursor over the statements in SQL text.
public class SQLStatementCursor: Cursor {
    private let database: Database
    private let bytes: ContiguousArray<CChar>
    private let flags: UInt32

    /// The byte offset of the next statement.
    private var offset = 0

    /// The remaining arguments, or `nil` to prepare the statements without arguments.
    private var arguments: StatementArguments?

    private let argumentCount: Int

    init(database: Database, sql: String, arguments: StatementArguments?, flags: UInt32 = 0) {
        self.database = database
        self.bytes = sql.utf8CString
        self.flags = flags
        self.arguments = arguments
        self.argumentCount = arguments?.positionalCount ?? 0
    }

    /// Prepares the next statement and sets its arguments.
    ///
    /// - Returns: The statement, or `nil` at the end of the text.
    /// - Throws: The error that SQLite reports for the SQL, `SQLITE_MISUSE` if the arguments do not
    ///   match the parameters, or `CancellationError` if the access's task was canceled.
    public func next() throws -> Statement? {
        guard let connection = database.handle, !database.isStandIn else {
            let error = database.standInError ?? .connectionIsClosed()
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: error.message,
                sql: text(from: offset)
            )
        }
        let start = offset
        if isAtEnd {
            try checkEnd(from: start)
            return nil
        }
        // Check for cancellation here as well as during execution, because the interrupts that
        // cancel an access also stop the parser. A canceled access may run only `ROLLBACK`.
        let isRollback = database.cancellation != nil && nextEffect.isRollback
        if !isRollback { try database.cancellation?.check() }
        try database.confirmSchemaState()
        database.discardOutdatedSchema()
        var pointer: SQLiteStatement?
        var code = SQLITE_OK
        func prepare() {
            bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                var end: UnsafePointer<CChar>?
                code = database.probe.prepare {
                    sqlite3_prepare_v3(connection, base + start, -1, flags, &pointer, &end)
                }
                if let end { offset = end - base }
            }
        }
        var analysis: StatementAnalysis?
        if database.analyzesStatements {
            analysis = database.analysis(whilePreparing: prepare)
        } else {
            prepare()
        }
        var tries = 0
        while isRollback, code & 0xff == SQLITE_INTERRUPT, tries < Database.maximumRollbackCount {
            database.resetStatements()
            prepare()
            tries += 1
        }
        guard code == SQLITE_OK else {
            offset = start
            let message = database.lastErrorMessage
            let resultCode = database.meaning(of: code, message)
            if resultCode == .SQLITE_INTERRUPT { database.probe.didFail(SQLITE_INTERRUPT) }
            throw DatabaseError(
                resultCode: resultCode,
                message: message,
                sql: text(from: start)
            )
        }
        guard let pointer else {
            try checkEnd(from: start)
            return nil
        }
        let statement = Statement(
            database: database,
            probe: database.probe,
            sqliteStatement: pointer
        )
        statement.analysis = analysis
        if arguments != nil, let values = try arguments?.removeValues(for: statement) {
            try statement.setArguments(StatementArguments(values))
        }
        return statement
    }

    /// The effect of the next statement.
    private var nextEffect: SQLStatementKind {
        bytes.withUnsafeBufferPointer { buffer in
            SQLStatementKind(buffer.baseAddress.map { $0 + offset })
        }
    }

    /// Whether only white space and semicolons follow.
    ///
    /// This property does not call SQLite. An interrupt can stop SQLite even if there is nothing to
    /// prepare, which would make a statement that has already run appear to fail.
    private var isAtEnd: Bool {
        for index in offset..<bytes.count - 1 {
            switch UInt8(bitPattern: bytes[index]) {
            case 0x20, 0x09...0x0D, UInt8(ascii: ";"): continue
            default: return false
            }
        }
        return true
    }

    /// Throws an error if arguments remain, or if text follows a NUL character.
    ///
    /// SQLite stops reading at a NUL character.
    private func checkEnd(from start: Int) throws {
        if let terminator = bytes[start...].firstIndex(of: 0), terminator < bytes.count - 1 {
            throw DatabaseError.misuse(
                "the SQL contains a NUL character at byte \(terminator)",
                sql: text(from: 0)
            )
        }
        if arguments?.first != nil {
            throw DatabaseError.misuse("wrong number of statement arguments: \(argumentCount)")
        }
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start...].dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension Database {
    /// Prepares a statement.
    ///
    /// - Parameter sql: One statement, optionally surrounded by white space, comments, and
    ///   semicolons.
    /// - Returns: The statement, without arguments.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the SQL contains
    ///   several statements.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Returns a cached statement, or prepares and caches a new statement.
    ///
    /// A connection caches up to 256 statements with a total size of up to 4 MiB, and evicts the
    /// least recently used statement first. The methods that fetch from SQL text use a separate
    /// cache of the same size.
    ///
    /// A cached statement keeps the arguments of its last use. Do not use a cursor over it after
    /// the access ends. While a cursor iterates over a cached statement, this method returns
    /// a different statement for the same SQL.
    public func cachedStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        discardOutdatedSchema()
        if let statement = statementCache.statement(sql: sql) { return statement }
        return try prepareStatement(sql: sql, for: \.statementCache)
    }

    /// Returns a cached statement for a fetch that retains neither the statement nor its arguments.
    @usableFromInline
    func fetchStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        discardOutdatedSchema()
        if let statement = fetchCache.statement(sql: sql) { return statement }
        return try prepareStatement(sql: sql, for: \.fetchCache)
    }

    @inline(never)
    private func prepareStatement(
        sql: String,
        for cache: ReferenceWritableKeyPath<Database, StatementCache>
    ) throws -> Statement {
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        self[keyPath: cache].insert(statement, sql: sql)
        return statement
    }

    /// Returns a cursor over the statements in SQL text.
    ///
    /// The cursor prepares each statement just before returning it.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all parameters, or `nil` if the caller sets them later.
    /// - Returns: A cursor over the statements.
    /// - Throws: This method throws no errors. The cursor throws an error when it reaches invalid
    ///   SQL.
    public func allStatements(
        sql: String,
        arguments: StatementArguments? = nil
    ) throws -> SQLStatementCursor {
        SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    /// Runs one or more statements.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all parameters. Statements consume positional values from left
    ///     to right, and can share named values.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters.
    public func execute(
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws {
        let statements = SQLStatementCursor(
            database: self,
            sql: sql,
            arguments: arguments.isEmpty ? nil : arguments
        )
        while let statement = try statements.next() {
            try statement.execute()
        }
    }

    private func makeStatement(sql: String, flags: UInt32) throws -> Statement {
        preconditionRightThread()
        let statements = SQLStatementCursor(database: self, sql: sql, arguments: nil, flags: flags)
        guard let statement = try statements.next() else {
            throw DatabaseError(message: "empty statement", sql: sql)
        }
        // Treat trailing text that does not compile as another statement.
        let isLast: Bool
        do {
            isLast = try statements.next() == nil
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_MISUSE
        {
            isLast = false
        }
        guard isLast else {
            throw DatabaseError.misuse(
                """
                Multiple statements found. To execute multiple statements, use \
                Database.execute(sql:) or Database.allStatements(sql:) instead.
                """,
                sql: sql
            )
        }
        return statement
    }
}

extension Database {
    /// The maximum number of parameters in a statement.
    public var maximumStatementArgumentCount: Int {
        Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
    }
}
