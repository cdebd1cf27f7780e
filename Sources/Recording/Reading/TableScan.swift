import SQLiteEngine

/// A scan that reads the rows of tables by key, and skips damaged rows.
struct TableScan {
    let db: Database
    /// The sentences that describe damage to the tables.
    private(set) var problems: [String] = []
    /// The names of the tables with damaged rows.
    private(set) var damagedTables: [String] = []

    /// The distance between successive keys to try after a damaged row.
    ///
    /// A damaged page makes dozens of small rows unreadable.
    private static let stride: Int64 = 16
    /// The maximum number of keys to try after a damaged row.
    ///
    /// The distance doubles after every 64 keys, so these keys cover a million rows.
    private static let maximumAttempts = 640

    init(db: Database) { self.db = db }

    /// The values of a row, starting with the key.
    struct Values {
        let row: Row

        var id: Int64 { integer(0) ?? 0 }

        func integer(_ index: Int) -> Int64? {
            if case .int64(let value)? = storage(index) { value } else { nil }
        }

        /// Returns a time in milliseconds since 1970, or `nil` for a time after the year 9999.
        ///
        /// Differences of these times do not overflow.
        func time(_ index: Int) -> Int64? {
            integer(index).flatMap { (0..<253_402_300_800_000).contains($0) ? $0 : nil }
        }

        /// Returns a count of events, bytes, or nanoseconds, or `nil` if sums could overflow.
        func count(_ index: Int) -> UInt64? {
            integer(index).flatMap { (0..<1 << 53).contains($0) ? UInt64($0) : nil }
        }

        func real(_ index: Int) -> Double? {
            switch storage(index) {
            case .double(let value)?: value.isFinite ? value : nil
            case .int64(let value)?: Double(value)
            default: nil
            }
        }

        func text(_ index: Int) -> String? {
            if case .string(let value)? = storage(index) { value } else { nil }
        }

        private func storage(_ index: Int) -> DatabaseValue.Storage? {
            (try? row.decode(DatabaseValue.self, atIndex: index))?.storage
        }
    }

    /// Calls a closure for each row, in the order of the key.
    ///
    /// The closure returns whether the row is valid.
    mutating func forEach(_ table: String, _ columns: String, _ body: (Values) -> Bool) {
        // The `payload` table's key is not named `id`, but the key of each table is its rowid.
        let sql = "SELECT rowid, \(columns) FROM \(table) WHERE rowid > ? ORDER BY rowid"
        var last: Int64 = 0
        var invalid = 0
        var damagedAfter: Int64?
        var attempts = 0
        while attempts < Self.maximumAttempts {
            do {
                let cursor = try Row.fetchCursor(
                    db,
                    sql: sql,
                    arguments: [last]
                )
                while let row = try cursor.next() {
                    let values = Values(row: row)
                    // In a damaged page, keys may be out of order.
                    guard values.id > last else {
                        invalid += 1
                        continue
                    }
                    last = values.id
                    attempts = 0
                    if !body(values) { invalid += 1 }
                }
                break
            } catch {
                damagedAfter = damagedAfter ?? last
                attempts += 1
                last += Self.stride << (attempts / 64)
            }
        }
        if let damagedAfter {
            damagedTables.append(table)
            problems.append(
                "The table '\(table)' is damaged after row \(damagedAfter); its intact rows are "
                    + "shown."
            )
        } else if invalid > 0 {
            problems.append(
                invalid == 1
                    ? "1 row of the table '\(table)' is invalid and is omitted."
                    : "\(invalid) rows of the table '\(table)' are invalid and are omitted."
            )
        }
    }
}
