import CSQLite
import SQLText

/// A pointer to the C structure `sqlite3_stmt`.
public typealias SQLiteStatement = OpaquePointer

/// A prepared statement of one connection.
///
/// Like its connection, a statement is valid only during the access that created it. If you step
/// ``sqliteStatement`` directly, reset it afterward.
///
/// Some variables are exempt from exclusivity checks, because a check takes as long as binding a
/// value. This exemption is safe because only one thread at a time holds the connection, and no
/// variable is passed `inout` to code that could access it again.
public final class Statement {
    /// The C statement, for use with features that this library does not provide.
    ///
    /// Reading this property has the same effects on the connection as reading
    /// ``Database/sqliteConnection``.
    public var sqliteStatement: SQLiteStatement {
        database.willExposeHandle()
        return pointer
    }

    @usableFromInline package let pointer: SQLiteStatement

    /// The connection.
    ///
    /// The connection's caches contain statements. This reference cycle ends when the connection
    /// closes, because closing empties the caches.
    let database: Database

    let probe: ConnectionProbe

    /// The number that identifies the statement in the probe.
    let number: UInt64

    /// The number of parameters, or the highest index if the SQL numbers the parameters.
    let parameterCount: Int

    /// Whether the statement makes no direct changes to the database (`sqlite3_stmt_readonly`).
    public let isReadonly: Bool

    /// Whether the statement may run on a read-only connection.
    ///
    /// SQLite reports `PRAGMA optimize` as read-only, but the statement writes statistics and must
    /// not run. SQLite reports a `PRAGMA journal_mode` query as a write, but the query may run.
    let mayRunReadOnly: Bool

    /// The effect of the statement beyond reading and writing rows.
    let effect: SQLStatementKind

    let hasEffect: Bool

    /// The analysis of the statement's reads and writes, or `nil` until it is first requested.
    var analysis: StatementAnalysis?

    /// The version for which ``analysis`` was created.
    var analysisVersion: AnalysisVersion

    /// Whether the statement is `VACUUM [schema] INTO file`.
    var isVacuumInto: Bool { effect == .vacuum(isInto: true) }

    /// Whether the SQL contains the word `REPLACE`.
    private(set) lazy var containsReplace = sql.lowercased().contains("replace")

    /// The authorizer's epoch when the statement was prepared.
    let preparationEpoch: Int

    /// The arguments that are bound, or that failed to bind.
    @exclusivity(unchecked) var storedArguments = StatementArguments()

    /// Whether ``storedArguments`` are bound.
    @exclusivity(unchecked) var areArgumentsBound: Bool

    /// The number of executions.
    ///
    /// A cursor uses this number to detect that another call has executed the statement.
    @exclusivity(unchecked) private(set) var executionCount: UInt64 = 0

    /// Whether the statement is known to start a read transaction if none is open.
    @exclusivity(unchecked) var beginsRead = false

    /// Whether a step has occurred since the last reset.
    @exclusivity(unchecked) private(set) var isStepped = false

    var columns: RowLayout?

    /// The statement's reprepare count when ``columns`` was created.
    var columnsVersion: CInt = 0

    /// The names of the parameters, with `nil` for each parameter without a name.
    private(set) lazy var parameterNames: [String?] = (0..<parameterCount).map {
        // Drop the first byte, which is `:`, `@`, `$`, or `?`. SQLite treats the number in `?5` as
        // a name.
        guard let name = sqlite3_bind_parameter_name(pointer, CInt($0 + 1)) else {
            return nil
        }
        return String(cString: name + 1)
    }

    init(database: Database, probe: ConnectionProbe, sqliteStatement: SQLiteStatement) {
        self.database = database
        self.probe = probe
        pointer = sqliteStatement
        parameterCount = Int(sqlite3_bind_parameter_count(sqliteStatement))
        areArgumentsBound = parameterCount == 0
        isReadonly = sqlite3_stmt_readonly(sqliteStatement) != 0
        let text = sqlite3_sql(sqliteStatement)
        effect = SQLStatementKind(text)
        mayRunReadOnly = effect.mayRunReadOnly(isReadOnly: isReadonly)
        hasEffect = effect.hasEffect
        preparationEpoch = database.authorizer?.epoch ?? 0
        analysisVersion = AnalysisVersion(schemaEpoch: database.schemaEpoch)
        number = probe.register(sql: text.map { String(cString: $0).trimmedSQL } ?? "")
    }

    deinit {
        sqlite3_finalize(pointer)
        probe.unregister(number)
    }

    /// The SQL without surrounding white space and semicolons.
    public var sql: String {
        sqlite3_sql(pointer).map { String(cString: $0).trimmedSQL } ?? ""
    }

    func countExecution() { executionCount &+= 1 }

    /// Records that a step is about to run.
    @inline(__always)
    func willStep() {
        if !isStepped {
            isStepped = true
            probe.unfinishedCount &+= 1
        }
    }

    /// Ends the current execution, if any, and prepares the statement for the next execution.
    ///
    /// - Returns: The error code of the last step or of the commit that the reset performs in
    ///   autocommit mode, or `SQLITE_OK`.
    @discardableResult
    func reset() -> CInt {
        if isStepped {
            isStepped = false
            probe.unfinishedCount &-= 1
        }
        let code = sqlite3_reset(pointer)
        probe.didReset(number, statement: pointer)
        return code
    }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
    /// The SQL.
    public var description: String { sql }
}

extension Statement {
    /// The columns of the result.
    ///
    /// After a schema change, SQLite reprepares the statement, which can change the columns of
    /// `SELECT *`. The reprepare count indicates whether the cached names are still valid.
    var layout: RowLayout {
        let version = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let columns, columnsVersion == version { return columns }
        let layout = RowLayout(
            names: (0..<sqlite3_column_count(pointer)).map {
                sqlite3_column_name(pointer, $0).map { String(cString: $0) } ?? ""
            }
        )
        // SQLite returns no name if it cannot allocate memory for it.
        guard sqlite3_errcode(database.handle) != SQLITE_NOMEM else { return layout }
        columns = layout
        columnsVersion = version
        return layout
    }

    /// The names of the result columns.
    ///
    /// After a schema change, the first step of the next execution updates the names.
    public var columnNames: [String] { layout.names }

    /// The number of result columns, or 0 if the statement returns no rows.
    public var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// Returns the index of the leftmost column with the given name, ignoring case, or `nil` if
    /// there is none.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    /// Returns the index of the result column that an adapter maps to the first column.
    @usableFromInline
    func firstColumn(_ adapter: (any RowAdapter)?) throws -> CInt {
        guard let adapter else { return 0 }
        let columns = try adapter.layout(from: layout)
        guard columns.count > 0 else {
            throw DatabaseError.misuse("the row adapter removes all columns", sql: sql)
        }
        return columns.source(of: 0)
    }

    /// Runs the statement to completion and discards its rows.
    ///
    /// - Parameter arguments: The values of all parameters, or `nil` to keep the current arguments.
    /// - Throws: A ``DatabaseError``.
    public func execute(arguments: StatementArguments? = nil) throws {
        guard let arguments, parameterCount > 0, parameterCount <= Self.borrowedParameterLimit
        else {
            try prepareExecution(arguments)
            return try executeAllSteps()
        }
        countExecution()
        try executeBorrowing(arguments)
    }

    /// The maximum number of parameters for which SQLite borrows text and blobs instead of copying
    /// them.
    ///
    /// Each borrowed parameter uses a few stack frames.
    private static var borrowedParameterLimit: Int { 20 }

    func executeAllSteps() throws {
        let database = database
        try database.statementWillExecute(self)
        willStep()
        var tries = 0
        while true {
            switch step() {
            case SQLITE_DONE:
                reset()
                try database.statementDidExecute(self)
                return
            case SQLITE_ROW:
                continue
            case let code
            where code & 0xff == SQLITE_INTERRUPT && effect.isRollback
                && tries < Database.maximumRollbackCount:
                // An interrupt must not keep the transaction open.
                reset()
                database.resetStatements()
                tries += 1
                willStep()
            case let code:
                throw database.statementDidFail(self, code: code)
            }
        }
    }

    /// Ends the current execution, if any, and binds the arguments for the next execution.
    @inlinable
    @inline(__always)
    func prepareExecution(_ arguments: StatementArguments?) throws {
        // The caller usually knows whether there are arguments. Without a copy of the optional, the
        // arguments are copied only once.
        if let arguments {
            try prepareExecution(with: arguments)
        } else {
            try prepareExecution()
        }
    }

    @usableFromInline
    func prepareExecution(with arguments: StatementArguments) throws {
        countExecution()
        try assign(arguments)
    }

    /// Ends the current execution, if any, and keeps the current arguments.
    @usableFromInline
    func prepareExecution() throws {
        countExecution()
        if isStepped { reset() }
        if !areArgumentsBound { try setArguments(storedArguments) }
    }

    /// Executes the statement up to the first row.
    ///
    /// - Returns: Whether the step produced a row. If so, the caller must end the execution, for
    ///   example with ``finishFirstRow()``.
    @inlinable
    @inline(__always)
    func executeToFirstRow(_ arguments: StatementArguments?) throws -> Bool {
        try prepareExecution(arguments)
        return try startStepping()
    }

    /// Ends an execution after the first row.
    ///
    /// - Throws: The error from the commit that a reset performs in autocommit mode.
    @usableFromInline
    func finishFirstRow() throws {
        let code = reset()
        let database = database
        guard code == SQLITE_OK else { throw database.statementDidFail(self, code: code) }
        try database.statementDidExecute(self)
    }

    /// Performs the first step of an execution, and returns whether the step produced a row.
    @usableFromInline
    func startStepping() throws -> Bool {
        let database = database
        try database.statementWillExecute(self)
        willStep()
        return try finishStep(step(), database: database)
    }

    /// Performs the next step, and returns whether the step produced a row.
    @usableFromInline
    func continueStepping() throws -> Bool {
        let code = step()
        if code == SQLITE_ROW { return true }
        return try finishStep(code, database: database)
    }

    /// Ends an unfinished execution in a context that cannot throw an error.
    @usableFromInline
    func abandon() {
        guard isStepped else { return }
        let code = reset()
        let database = database
        if code == SQLITE_OK {
            try? database.statementDidExecute(self)
        } else {
            _ = database.statementDidFail(self, code: code)
        }
    }

    @inline(__always)
    private func step() -> CInt {
        probe.beginStep(number)
        let code = sqlite3_step(pointer)
        probe.endStep(of: self)
        return code
    }

    @inline(__always)
    private func finishStep(_ code: CInt, database: Database) throws -> Bool {
        switch code {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            reset()
            try database.statementDidExecute(self)
            return false
        default:
            throw database.statementDidFail(self, code: code)
        }
    }
}

extension Statement {
    /// Returns the error for a cursor whose statement the engine has reset to end a transaction.
    func resetError() -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "the transaction of the cursor has ended",
            sql: sql
        )
    }

    /// Returns the error for a cursor whose statement has been executed by another call.
    func reexecutionError() -> DatabaseError {
        DatabaseError.misuse(
            "the statement was executed again while a cursor iterated over it",
            sql: sql
        )
    }
}

extension Statement {
    @usableFromInline
    func endWithMismatch(_ type: any Any.Type, column: CInt) -> any Error {
        defer { abandon() }
        return mismatch(type, column: column)
    }

    /// Returns the error for a column whose value cannot be decoded.
    @usableFromInline
    func mismatch(_ type: any Any.Type, column: CInt) -> any Error {
        // If SQLite runs out of memory while it converts a value, it returns `NULL`.
        let database = database
        if sqlite3_errcode(database.handle) == SQLITE_NOMEM {
            return database.lastError(sql: sql, arguments: arguments)
        }
        return RowDecodingError.valueMismatch(type, statement: self, index: Int(column))
    }
}
