import CSQLite

/// The statements that a connection keeps prepared, indexed by SQL.
///
/// The cache keeps at most ``capacity`` statements with a total size of at most ``byteCapacity``
/// bytes, and removes the least recently used statement first. Finding, adding, and removing a
/// statement take constant time.
struct StatementCache {
    static let capacity = 256

    /// The maximum total size of the statements, in bytes (4 MiB).
    ///
    /// The size excludes the values of arguments. An ordinary statement occupies 2 to 8 KB, so the
    /// limit affects only unusually large statements. The cache rejects a single statement above
    /// the limit.
    static let byteCapacity = 4 << 20

    /// The number of statements to compare directly before hashing the SQL.
    private static let recentCapacity = 4

    private struct Entry {
        let sql: String
        let isASCII: Bool
        /// The position in ``order``, as 32 bits so that an entry occupies only four words.
        let position: Int32
        let statement: Statement

        /// Returns whether this entry's SQL has the same bytes as `sql`.
        ///
        /// Swift considers canonically equivalent strings equal even if their bytes differ, but
        /// SQLite distinguishes them. A string that equals an ASCII string of the same length has
        /// the same bytes.
        ///
        /// - Precondition: The two strings are equal.
        @inline(__always)
        func hasSameBytes(as sql: String) -> Bool {
            self.sql.utf8.count == sql.utf8.count
                && (isASCII || self.sql.utf8.elementsEqual(sql.utf8))
        }

        @inline(__always)
        var isBusy: Bool { sqlite3_stmt_busy(statement.pointer) != 0 }
    }

    private struct Occupant {
        let sql: String
        let byteCount: Int
    }

    /// The statements that were found or inserted most recently.
    ///
    /// Most programs use string literals as SQL. Two references to the same literal are identical
    /// in their first word, so the comparison reads no bytes.
    private var recent: [Entry] = []

    /// The index of the ``recent`` entry to replace next.
    private var hand = 0

    private var entries: [String: Entry] = [:]

    /// The positions of the statements, in order of last use.
    private var order = RecencyList()

    /// The statements by position, with `nil` for a free position.
    private var occupants: [Occupant?] = []

    private(set) var byteCount = 0

    var count: Int { entries.count }

    /// Returns the statement for SQL text, or `nil` if the statement is missing or in use.
    @inline(__always)
    mutating func statement(sql: String) -> Statement? {
        for index in recent.indices where recent[index].sql == sql {
            guard recent[index].hasSameBytes(as: sql) else { break }
            guard !recent[index].isBusy else { return nil }
            order.use(Int(recent[index].position))
            return recent[index].statement
        }
        return hashedStatement(sql: sql)
    }

    @inline(never)
    private mutating func hashedStatement(sql: String) -> Statement? {
        guard let entry = entries[sql], entry.hasSameBytes(as: sql), !entry.isBusy else {
            return nil
        }
        addToRecent(entry)
        order.use(Int(entry.position))
        return entry.statement
    }

    /// Adds a statement, unless a cached statement with the same SQL is in use.
    mutating func insert(_ statement: Statement, sql: String) {
        if let entry = entries[sql] {
            if entry.isBusy, entry.hasSameBytes(as: sql) { return }
            remove(at: Int(entry.position))
        }
        let byteCount = Self.byteCount(of: statement, sql)
        guard byteCount <= Self.byteCapacity else { return }
        while count >= Self.capacity || self.byteCount + byteCount > Self.byteCapacity,
            let position = order.leastRecent
        {
            remove(at: position)
        }
        let position = order.insert()
        let entry = Entry(
            sql: sql,
            isASCII: sql.utf8.allSatisfy { $0 < 0x80 },
            position: Int32(position),
            statement: statement
        )
        let occupant = Occupant(sql: sql, byteCount: byteCount)
        if position < occupants.count {
            occupants[position] = occupant
        } else {
            occupants.append(occupant)
        }
        entries[sql] = entry
        self.byteCount += byteCount
        addToRecent(entry)
    }

    mutating func removeAll(where condition: (Statement) -> Bool) {
        for entry in entries.values where condition(entry.statement) {
            remove(at: Int(entry.position))
        }
    }

    /// Removes all statements, and finalizes the statements without other references.
    mutating func removeAll() { self = StatementCache() }

    private mutating func remove(at position: Int) {
        guard let occupant = occupants[position] else { return }
        occupants[position] = nil
        entries[occupant.sql] = nil
        order.remove(position)
        byteCount -= occupant.byteCount
        if let index = recent.firstIndex(where: { Int($0.position) == position }) {
            recent.remove(at: index)
            hand = 0
        }
    }

    private mutating func addToRecent(_ entry: Entry) {
        if recent.count < Self.recentCapacity {
            recent.append(entry)
        } else {
            recent[hand] = entry
            hand = (hand + 1) % Self.recentCapacity
        }
    }

    /// Returns the memory that a statement uses.
    ///
    /// SQLite's memory includes the text. The cache and the connection's status each hold another
    /// copy of the text.
    private static func byteCount(of statement: Statement, _ sql: String) -> Int {
        let used = sqlite3_stmt_status(
            statement.pointer,
            SQLITE_STMTSTATUS_MEMUSED,
            0
        )
        return Int(used) + 2 * sql.utf8.count
    }
}
