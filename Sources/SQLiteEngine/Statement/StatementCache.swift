import CSQLite

/// The statements that a connection keeps prepared, by their SQL.
///
/// It keeps at most ``capacity`` statements of at most ``byteCapacity`` bytes together. The one
/// that was not used for longest makes room. Finding, adding and removing one takes constant time.
struct StatementCache {
    /// How many statements are kept at most.
    static let capacity = 256

    /// How much memory the kept statements occupy at most, in bytes: 4 MiB.
    ///
    /// An ordinary statement takes 2 to 8 KB, so that only unusually large ones are kept in smaller
    /// numbers. A single statement above the limit is not kept at all. The values of arguments are
    /// not included.
    static let byteCapacity = 4 << 20

    /// How many of them are compared directly, before anything is hashed.
    private static let recentCapacity = 4

    private struct Entry {
        let sql: String
        let isASCII: Bool
        /// Its place in ``order``; 32 bits keep the entry at four words.
        let place: Int32
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

        @inline(__always)
        var isBusy: Bool { sqlite3_stmt_busy(statement.pointer) != 0 }
    }

    /// What is needed to remove the statement at a place.
    private struct Occupant {
        let sql: String
        let byteCount: Int
    }

    /// The statements that were found last.
    ///
    /// The SQL of most programs is made of literals, and two equal literals are equal at their
    /// first word: no byte is compared.
    private var recent: [Entry] = []

    /// Where the next of ``recent`` is replaced.
    private var hand = 0

    private var entries: [String: Entry] = [:]

    /// The order in which the statements were last used, by their places.
    private var order = RecencyList()

    /// The statements by their places; nil where a place is free.
    private var occupants: [Occupant?] = []

    /// The memory that the kept statements occupy, in bytes.
    private(set) var byteCount = 0

    /// How many statements are kept.
    var count: Int { entries.count }

    /// The statement of an SQL text; nil when none is kept, or when it is in use.
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
        remember(entry)
        order.use(Int(entry.place))
        return entry.statement
    }

    /// Keeps a statement.
    ///
    /// One that has the same SQL and is in use stays instead of it.
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
        remember(entry)
    }

    /// Removes the statements for which a condition holds.
    mutating func removeAll(where condition: (Statement) -> Bool) {
        for entry in entries.values where condition(entry.statement) {
            remove(at: Int(entry.place))
        }
    }

    /// Removes all statements.
    ///
    /// Those that nothing else holds are finalized.
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

    private mutating func remember(_ entry: Entry) {
        if recent.count < Self.recentCapacity {
            recent.append(entry)
        } else {
            recent[hand] = entry
            hand = (hand + 1) % Self.recentCapacity
        }
    }

    /// What a statement occupies: SQLite's memory, its text included, and the two copies of the
    /// text that the cache and the connection's status keep.
    private static func byteCount(of statement: Statement, _ sql: String) -> Int {
        let used = sqlite3_stmt_status(
            statement.pointer,
            SQLITE_STMTSTATUS_MEMUSED,
            0
        )
        return Int(used) + 2 * sql.utf8.count
    }
}
