import CSQLite

/// The statements that a connection keeps prepared, by their SQL.
///
/// It keeps at most ``capacity`` statements of at most ``byteCapacity`` bytes in total. The least
/// recently used statement is removed first. Finding, adding, and removing a statement take
/// constant time.
struct StatementCache {
    /// The largest number of statements.
    static let capacity = 256

    /// The largest amount of memory for the statements, in bytes: 4 MiB.
    ///
    /// An ordinary statement occupies 2 to 8 KB, so the limit affects only unusually large
    /// statements. A single statement above the limit is not kept. The values of arguments are not
    /// included.
    static let byteCapacity = 4 << 20

    /// The number of statements that are compared directly before hashing.
    private static let recentCapacity = 4

    private struct Entry {
        let sql: String
        let isASCII: Bool
        /// The place in ``order``; 32 bits keep the entry at four words.
        let place: Int32
        let statement: Statement

        /// Returns whether this is the statement of `sql`, which is `==` to the key of the entry.
        ///
        /// `==` also holds for strings that are canonically equivalent in Unicode but have
        /// different bytes, which SQLite distinguishes. A string that is equal to an ASCII string
        /// of the same length has the same bytes.
        @inline(__always)
        func hasSameBytes(as sql: String) -> Bool {
            self.sql.utf8.count == sql.utf8.count
                && (isASCII || self.sql.utf8.elementsEqual(sql.utf8))
        }

        @inline(__always)
        var isBusy: Bool { sqlite3_stmt_busy(statement.pointer) != 0 }
    }

    /// The data required to remove the statement at a place.
    private struct Occupant {
        let sql: String
        let byteCount: Int
    }

    /// The most recently found statements.
    ///
    /// Most programs use string literals as SQL. Two references to the same literal are equal in
    /// their first word, so no bytes are compared.
    private var recent: [Entry] = []

    /// The index of the next entry of ``recent`` to replace.
    private var hand = 0

    private var entries: [String: Entry] = [:]

    /// The order in which the statements were last used, by their places.
    private var order = RecencyList()

    /// The statements by their places; nil for a free place.
    private var occupants: [Occupant?] = []

    /// The memory of the kept statements, in bytes.
    private(set) var byteCount = 0

    /// The number of kept statements.
    var count: Int { entries.count }

    /// Returns the statement for SQL text; nil if none is kept or if it is in use.
    @inline(__always)
    mutating func statement(sql: String) -> Statement? {
        for index in recent.indices where recent[index].sql == sql {
            guard recent[index].hasSameBytes(as: sql) else { break }
            guard !recent[index].isBusy else { return nil }
            order.use(Int(recent[index].place))
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
        order.use(Int(entry.place))
        return entry.statement
    }

    /// Adds a statement.
    ///
    /// An existing statement with the same SQL that is in use takes precedence.
    mutating func insert(_ statement: Statement, sql: String) {
        if let entry = entries[sql] {
            if entry.isBusy, entry.hasSameBytes(as: sql) { return }
            remove(at: Int(entry.place))
        }
        let byteCount = Self.byteCount(of: statement, sql)
        guard byteCount <= Self.byteCapacity else { return }
        while count >= Self.capacity || self.byteCount + byteCount > Self.byteCapacity,
            let place = order.leastRecent
        {
            remove(at: place)
        }
        let place = order.insert()
        let entry = Entry(
            sql: sql,
            isASCII: sql.utf8.allSatisfy { $0 < 0x80 },
            place: Int32(place),
            statement: statement
        )
        let occupant = Occupant(sql: sql, byteCount: byteCount)
        if place < occupants.count {
            occupants[place] = occupant
        } else {
            occupants.append(occupant)
        }
        entries[sql] = entry
        self.byteCount += byteCount
        addToRecent(entry)
    }

    /// Removes the statements that satisfy a condition.
    mutating func removeAll(where condition: (Statement) -> Bool) {
        for entry in entries.values where condition(entry.statement) {
            remove(at: Int(entry.place))
        }
    }

    /// Removes all statements.
    ///
    /// Statements without other references are finalized.
    mutating func removeAll() { self = StatementCache() }

    private mutating func remove(at place: Int) {
        guard let occupant = occupants[place] else { return }
        occupants[place] = nil
        entries[occupant.sql] = nil
        order.remove(place)
        byteCount -= occupant.byteCount
        if let index = recent.firstIndex(where: { Int($0.place) == place }) {
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

    /// Returns a statement's memory: SQLite's memory, including the text, and the two copies of the
    /// text in the cache and in the connection's status.
    private static func byteCount(of statement: Statement, _ sql: String) -> Int {
        let used = sqlite3_stmt_status(
            statement.pointer,
            SQLITE_STMTSTATUS_MEMUSED,
            0
        )
        return Int(used) + 2 * sql.utf8.count
    }
}
