import CSQLite

/// The statements that a connection keeps prepared, by their SQL.
///
/// At most ``capacity``: the one that was not used for longest makes room.
struct StatementCache {
    /// How many statements are kept at most.
    static let capacity = 256

    /// How many of them are compared directly, before anything is hashed.
    private static let recentCapacity = 4

    private struct Entry {
        let sql: String
        let isASCII: Bool
        let statement: Statement

        /// Whether the statement is the one of `sql`, which `==` its own.
        ///
        /// `==` also holds for different bytes that Unicode calls equivalent, and these are
        /// different text for SQLite. What equals an ASCII text of the same length is the same.
        @inline(__always)
        func hasSameBytes(as sql: String) -> Bool {
            self.sql.utf8.count == sql.utf8.count
                && (isASCII || self.sql.utf8.elementsEqual(sql.utf8))
        }
    }

    /// The statements that were found last.
    ///
    /// The SQL of most programs is made of literals, and two equal literals are equal at their
    /// first word: no byte is compared.
    private var recent: [Entry] = []

    /// Where the next of ``recent`` is replaced.
    private var hand = 0

    private var entries: [String: Entry] = [:]

    /// Counts the uses.
    private var clock: UInt64 = 0

    /// The statement of an SQL text; nil when none is kept, or when it is in use.
    @inline(__always)
    mutating func statement(sql: String) -> Statement? {
        for index in recent.indices where recent[index].sql == sql {
            guard recent[index].hasSameBytes(as: sql) else { break }
            return use(recent[index].statement)
        }
        return hashedStatement(sql: sql)
    }

    @inline(never)
    private mutating func hashedStatement(sql: String) -> Statement? {
        guard let entry = entries[sql], entry.hasSameBytes(as: sql) else { return nil }
        remember(entry)
        return use(entry.statement)
    }

    /// Keeps a statement.
    ///
    /// One that has the same SQL and is in use stays instead of it.
    mutating func insert(_ statement: Statement, sql: String) {
        if let kept = entries[sql] {
            let isBusy = sqlite3_stmt_busy(kept.statement.pointer) != 0
            if isBusy, kept.hasSameBytes(as: sql) { return }
            remove(kept.statement)
        } else if entries.count >= Self.capacity {
            // A scan of the whole cache costs less than the preparing that led here.
            let oldest = entries.values.min { $0.statement.lastUse < $1.statement.lastUse }
            if let oldest { remove(oldest.statement) }
        }
        let isASCII = sql.utf8.allSatisfy { $0 < 0x80 }
        let entry = Entry(sql: sql, isASCII: isASCII, statement: statement)
        entries[sql] = entry
        remember(entry)
        _ = use(statement)
    }

    /// Forgets a statement.
    mutating func remove(_ statement: Statement) {
        recent.removeAll { $0.statement === statement }
        entries = entries.filter { $0.value.statement !== statement }
        hand = 0
    }

    /// Forgets the statements for which a condition holds.
    mutating func removeAll(where condition: (Statement) -> Bool) {
        recent.removeAll { condition($0.statement) }
        entries = entries.filter { !condition($0.value.statement) }
        hand = 0
    }

    /// Forgets all statements.
    ///
    /// Those that nobody else holds are finalized.
    mutating func removeAll() {
        recent.removeAll()
        entries.removeAll()
        hand = 0
    }

    @inline(__always)
    private mutating func use(_ statement: Statement) -> Statement? {
        guard sqlite3_stmt_busy(statement.pointer) == 0 else { return nil }
        clock &+= 1
        statement.lastUse = clock
        return statement
    }

    private mutating func remember(_ entry: Entry) {
        if recent.count < Self.recentCapacity {
            recent.append(entry)
        } else {
            recent[hand] = entry
            hand = (hand + 1) % Self.recentCapacity
        }
    }
}
