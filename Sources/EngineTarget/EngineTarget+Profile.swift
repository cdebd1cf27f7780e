import CSQLite
import SQLiteEngine
import WorkloadEngine

extension EngineTarget {
    func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? {
        var profile = OperationProfile()
        let client = WorkloadClientName("profile")
        switch access {
        case .read, .snapshot:
            // A reader's page cache is what the load's reads met.
            try perform(.read, as: client) { session in
                try Self.profile(statements, session, running, &profile)
            }
        case .write, .writeWithoutTransaction:
            try perform(.writeWithoutTransaction, as: client) { session in
                guard let session = session as? EngineSession else { return }
                try session.database.inTransaction(.immediate) {
                    try Self.profile(statements, session, running, &profile)
                    return .rollback
                }
            }
        }
        return profile
    }

    private static func profile(
        _ statements: [BoundStatement],
        _ session: any WorkloadSession,
        _ running: Bool,
        _ profile: inout OperationProfile
    ) throws {
        guard let session = session as? EngineSession else { return }
        for statement in statements {
            profile.plans.append(
                .init(sql: statement.sql, lines: try planLines(of: statement, session))
            )
        }
        guard running else {
            profile.note = "explained only: running it once more would take too long"
            return
        }
        if let other = statements.first(where: { !isRepeatable($0.sql) }) {
            profile.note = "explained only: '\(other.sql)' could not be taken back"
            return
        }
        do {
            profile.counters = try counters(of: statements, session)
        } catch {
            profile.note = "explained only: \(error)"
        }
    }

    /// Whether a rollback takes back all that the statement does.
    private static func isRepeatable(_ sql: String) -> Bool {
        let verb = sql.drop(while: \.isWhitespace).prefix { $0.isLetter }.uppercased()
        return ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES"].contains(verb)
    }

    /// Runs the statements, and reads what SQLite counted meanwhile.
    private static func counters(
        of statements: [BoundStatement],
        _ session: EngineSession
    ) throws -> OperationProfile.Counters {
        let database = session.database
        var counters = OperationProfile.Counters()
        let before = CacheCounts(of: database)
        for bound in statements {
            let statement = try database.cachedStatement(sql: bound.sql)
            let pointer = statement.sqliteStatement
            func take(_ counter: CInt) -> Int { Int(sqlite3_stmt_status(pointer, counter, 1)) }
            for counter in [
                SQLITE_STMTSTATUS_FULLSCAN_STEP, SQLITE_STMTSTATUS_SORT,
                SQLITE_STMTSTATUS_AUTOINDEX, SQLITE_STMTSTATUS_VM_STEP,
            ] {
                _ = take(counter)
            }
            counters.rows += try session.run(bound.sql, bound.values)
            counters.fullScanSteps += take(SQLITE_STMTSTATUS_FULLSCAN_STEP)
            counters.sorts += take(SQLITE_STMTSTATUS_SORT)
            counters.automaticIndexes += take(SQLITE_STMTSTATUS_AUTOINDEX)
            counters.vmSteps += take(SQLITE_STMTSTATUS_VM_STEP)
        }
        let after = CacheCounts(of: database)
        counters.cacheHits = after.hits - before.hits
        counters.cacheMisses = after.misses - before.misses
        counters.cacheSpills = after.spills - before.spills
        return counters
    }

    /// The lines of `EXPLAIN QUERY PLAN`, indented as its tree is
    /// (https://sqlite.org/eqp.html: id, parent, unused, detail).
    private static func planLines(
        of statement: BoundStatement,
        _ session: any WorkloadSession
    ) throws -> [String] {
        var depths: [Int64: Int] = [:]
        return try session.rows("EXPLAIN QUERY PLAN " + statement.sql, statement.values)
            .compactMap { row in
                guard row.count == 4, case .integer(let id) = row[0],
                    case .integer(let parent) = row[1], case .text(let detail) = row[3]
                else { return nil }
                let depth = depths[parent].map { $0 + 1 } ?? 0
                depths[id] = depth
                return String(repeating: "  ", count: depth) + detail
            }
    }
}

/// What a connection's page cache has counted since it was opened.
private struct CacheCounts {
    var hits: Int
    var misses: Int
    var spills: Int

    init(of database: Database) {
        func count(_ counter: CInt) -> Int {
            var (current, highest): (CInt, CInt) = (0, 0)
            sqlite3_db_status(database.sqliteConnection, counter, &current, &highest, 0)
            return Int(current)
        }
        hits = count(SQLITE_DBSTATUS_CACHE_HIT)
        misses = count(SQLITE_DBSTATUS_CACHE_MISS)
        spills = count(SQLITE_DBSTATUS_CACHE_SPILL)
    }
}
