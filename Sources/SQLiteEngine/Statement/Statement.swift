import CSQLite

/// A pointer to the C structure `sqlite3_stmt`.
public typealias SQLiteStatement = OpaquePointer

/// A prepared statement of one connection.
///
/// It is bound to the access that made it, like its connection. Whoever steps
/// ``sqliteStatement`` by hand leaves it reset.
///
/// Its variables are exempt from the checks of exclusive access, which cost as much as binding a
/// value: one thread at a time has the connection, and no variable is passed `inout` to code that
/// could come back.
public final class Statement {
    /// The C statement, for what this library does not offer.
    ///
    /// A program that uses it may run anything on the connection, as with
    /// ``Database/sqliteConnection``.
    public var sqliteStatement: SQLiteStatement {
        database.willExposeHandle()
        return pointer
    }

    /// The C statement, for the engine's own calls.
    @usableFromInline package let pointer: SQLiteStatement

    unowned let database: Database

    let probe: ConnectionProbe

    /// The statement's number at the probe.
    let number: UInt64

    /// The number of parameters: the highest index, when the SQL numbers them itself.
    let parameterCount: Int

    /// Whether the statement writes nothing itself (`sqlite3_stmt_readonly`).
    public let isReadonly: Bool

    /// Whether it may run where writing is refused.
    ///
    /// `PRAGMA optimize` may not: it says that it is read-only, and writes statistics. `PRAGMA
    /// journal_mode` may: it says that it writes, also where it only asks.
    let mayRunReadOnly: Bool

    /// What it does beyond reading and writing rows.
    let effect: StatementEffect

    /// Whether it has an ``effect``.
    let hasEffect: Bool

    /// What it reads and changes, once somebody has asked.
    var analysis: StatementAnalysis?

    /// How often SQLite had prepared the statement anew when ``analysis`` was made.
    var analysisVersion: CInt = 0

    /// The authorizer's epoch when the statement was made.
    let preparationEpoch: Int

    /// The arguments that are bound, or that failed to bind.
    @exclusivity(unchecked) var storedArguments = StatementArguments()

    /// Whether ``storedArguments`` are what SQLite has bound.
    @exclusivity(unchecked) var areArgumentsBound: Bool

    /// Counts the executions, so that a cursor knows whether the statement is still its own.
    @exclusivity(unchecked) private(set) var execution: UInt64 = 0

    /// Whether it is known to begin a read transaction where none is open.
    @exclusivity(unchecked) var beginsRead = false

    /// Whether a step came after the last reset.
    @exclusivity(unchecked) @usableFromInline var isStepped = false

    /// The columns, as of ``columnsVersion``.
    var columns: RowLayout?

    /// How often SQLite had prepared the statement anew when ``columns`` was made.
    var columnsVersion: CInt = 0

    /// The names of the parameters; nil for those without a name.
    private(set) lazy var parameterNames: [String?] = (0..<parameterCount).map {
        // The first byte is the `:`, `@`, `$` or `?`. `?5` counts as a name for SQLite, not here.
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
        mayRunReadOnly =
            isReadonly ? !PragmaOptimize.matches(text) : PragmaJournalMode.asks(text)
        effect = StatementEffect(text)
        hasEffect = effect != .none
        preparationEpoch = database.authorizer?.epoch ?? 0
        number = probe.register(sql: text.map { String(cString: $0).trimmedSQL } ?? "")
    }

    deinit {
        sqlite3_finalize(pointer)
        probe.unregister(number)
    }

    /// The SQL, without the white space and the semicolons around it.
    public var sql: String {
        sqlite3_sql(pointer).map { String(cString: $0).trimmedSQL } ?? ""
    }

    func countExecution() { execution &+= 1 }

    /// Makes the statement ready for its next execution, and ends the one that is under way.
    ///
    /// - Returns: The code of the last step's failure, or of the commit that a reset in
    ///   autocommit mode brings; else `SQLITE_OK`.
    @discardableResult
    func reset() -> CInt {
        isStepped = false
        let code = sqlite3_reset(pointer)
        probe.didReset(number, pointer)
        return code
    }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
    /// The SQL.
    public var description: String { sql }
}
