import CSQLite

/// A cache of a connection's prepared statements, indexed by SQL.
///
/// The cache keeps at most ``capacity`` statements with a total size of at most ``byteCapacity``
/// bytes, and evicts the least recently used statement first. Finding a statement takes constant
/// time. Eviction scans the last use of every statement, which takes much less time than preparing
/// a statement.
struct StatementCache {
    static let capacity = 256

    /// The maximum total size of the statements, in bytes (4 MiB).
    ///
    /// The size excludes the values of arguments. A typical statement occupies 2 to 8 KB, so the
    /// limit affects only unusually large statements. The cache rejects a statement that exceeds
    /// the limit on its own.
    static let byteCapacity = 4 << 20

    /// The number of statements to compare directly before hashing the SQL.
    private static let recentCapacity = 4

    private struct Entry {
        let sql: String
        let isASCII: Bool
        /// The position in ``slots``, stored in 32 bits so that an entry occupies only four words.
        let position: Int32
        let statement: Statement

        /// Returns whether the entry is for `sql`.
        @inline(__always)
        func matches(_ sql: String) -> Bool {
            // Two references to the same literal consist of the same words.
            unsafeBitCast(self.sql, to: SIMD2<UInt64>.self)
                == unsafeBitCast(sql, to: SIMD2<UInt64>.self)
                || self.sql == sql && hasSameBytes(as: sql)
        }

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

    private struct Slot {
        var sql: String
        var byteCount: Int
        /// The value of ``useCount`` at the last use, or the maximum value for a free slot.
        var lastUse: UInt64
    }

    /// The statements that were found or inserted most recently.
    ///
    /// Most programs use string literals as SQL. Two references to the same literal have the same
    /// representation, so the comparison does not read their bytes.
    private var recent: [Entry] = []

    /// The index of the ``recent`` entry to replace next.
    private var nextRecentIndex = 0

    private var entries: [String: Entry] = [:]

    /// The slots of the cached statements.
    private var slots: [Slot] = []

    /// The positions of unused slots.
    private var freePositions: [Int] = []

    /// The number of uses, where consecutive uses of the same statement count as one.
    private var useCount: UInt64 = 0

    /// The position of the most recently used statement, or -1.
    private var lastUsedPosition: Int32 = -1

    private(set) var byteCount = 0

    var count: Int { entries.count }

    /// Returns the statement for SQL text, or `nil` if the statement is missing or in use.
    @inline(__always)
    mutating func statement(sql: String) -> Statement? {
        for index in recent.indices where recent[index].matches(sql) {
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
        if position == lastUsedPosition { return }
        lastUsedPosition = position
        useCount &+= 1
        slots[Int(position)].lastUse = useCount
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
            let position = slots.indices.min(by: {
                slots[$0].lastUse < slots[$1].lastUse
            })
        {
            remove(at: position)
        }
        let slot = Slot(sql: sql, byteCount: byteCount, lastUse: .max)
        let position = freePositions.popLast() ?? count
        if position < slots.count {
            slots[position] = slot
        } else {
            slots.append(slot)
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
        entries[slots[position].sql] = nil
        byteCount -= slots[position].byteCount
        slots[position] = Slot(sql: "", byteCount: 0, lastUse: .max)
        freePositions.append(position)
        lastUsedPosition = -1
        if let index = recent.firstIndex(where: { Int($0.position) == position }) {
            recent.remove(at: index)
            nextRecentIndex = 0
        }
    }

    private mutating func addToRecent(_ entry: Entry) {
        if recent.count < Self.recentCapacity {
            recent.append(entry)
        } else {
            recent[nextRecentIndex] = entry
            nextRecentIndex = (nextRecentIndex + 1) % Self.recentCapacity
        }
    }

    /// Returns the number of bytes that a statement uses.
    ///
    /// SQLite's memory count includes one copy of the text. The cache and the connection's status
    /// each hold another copy.
    private static func byteCount(of statement: Statement, _ sql: String) -> Int {
        let used = sqlite3_stmt_status(statement.pointer, SQLITE_STMTSTATUS_MEMUSED, 0)
        return Int(used) + 2 * sql.utf8.count
    }
}
