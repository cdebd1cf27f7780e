import CSQLite

/// The statements that a connection keeps prepared, indexed by SQL.
///
/// The cache keeps at most ``capacity`` statements with a total size of at most ``byteCapacity``
/// bytes, and removes the least recently used statement first. Finding a statement takes constant
/// time. Adding one scans the times of use, which takes much less time than preparing it.
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
        /// The position in ``occupants``, as 32 bits so that an entry occupies only four words.
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
        var sql: String
        var byteCount: Int
        /// The number of uses of the cache at the last use, or the maximum for a free position.
        var lastUse: UInt64
    }

    /// The statements that were found or inserted most recently.
    ///
    /// Most programs use string literals as SQL. Two references to the same literal are identical
    /// in their first word, so the comparison reads no bytes.
    private var recent: [Entry] = []

    /// The index of the ``recent`` entry to replace next.
    private var hand = 0

    private var entries: [String: Entry] = [:]

    /// The statements by position.
    private var occupants: [Occupant] = []

    /// The positions of ``occupants`` that no statement uses.
    private var freePositions: [Int] = []

    /// The number of times that another statement than the last was found or inserted.
    private var uses: UInt64 = 0

    /// The position of the last statement that was found or inserted, or -1.
    private var newest: Int32 = -1

    private(set) var byteCount = 0

    var count: Int { entries.count }

    /// Returns the statement for SQL text, or `nil` if the statement is missing or in use.
    @inline(__always)
    mutating func statement(sql: String) -> Statement? {
        for index in recent.indices where recent[index].sql == sql {
            guard recent[index].hasSameBytes(as: sql) else { break }
            guard !recent[index].isBusy else { return nil }
            use(recent[index].position)
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
        use(entry.position)
        return entry.statement
    }

    @inline(__always)
    private mutating func use(_ position: Int32) {
        if position == newest { return }
        newest = position
        uses &+= 1
        occupants[Int(position)].lastUse = uses
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
            let position = occupants.indices.min(by: {
                occupants[$0].lastUse < occupants[$1].lastUse
            })
        {
            remove(at: position)
        }
        let occupant = Occupant(sql: sql, byteCount: byteCount, lastUse: .max)
        let position = freePositions.popLast() ?? count
        if position < occupants.count {
            occupants[position] = occupant
        } else {
            occupants.append(occupant)
        }
        let entry = Entry(
            sql: sql,
            isASCII: sql.utf8.allSatisfy { $0 < 0x80 },
            position: Int32(position),
            statement: statement
        )
        entries[sql] = entry
        self.byteCount += byteCount
        addToRecent(entry)
        use(entry.position)
    }

    mutating func removeAll(where condition: (Statement) -> Bool) {
        for entry in entries.values where condition(entry.statement) {
            remove(at: Int(entry.position))
        }
    }

    /// Removes all statements, and finalizes the statements without other references.
    mutating func removeAll() { self = StatementCache() }

    private mutating func remove(at position: Int) {
        entries[occupants[position].sql] = nil
        byteCount -= occupants[position].byteCount
        occupants[position] = Occupant(sql: "", byteCount: 0, lastUse: .max)
        freePositions.append(position)
        newest = -1
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
        let used = sqlite3_stmt_status(statement.pointer, SQLITE_STMTSTATUS_MEMUSED, 0)
        return Int(used) + 2 * sql.utf8.count
    }
}
