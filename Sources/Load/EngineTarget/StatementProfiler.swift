import CSQLite
import Scenarios
import WorkloadEngine

/// A session with access to SQLite's counters.
package protocol ProfiledSession: WorkloadSession {
    var sqliteConnection: OpaquePointer? { get }

    /// Returns the library's cached statement for `sql`.
    func preparedStatement(_ sql: String) throws -> OpaquePointer

    /// Runs `body` in a transaction, and rolls the transaction back.
    func rollingBack(_ body: () throws -> Void) throws
}

/// A target whose sessions are ``ProfiledSession``s.
package protocol ProfiledTarget: WorkloadTarget {}

extension ProfiledTarget {
    package func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? {
        try StatementProfiler(running: running).profile(statements, in: access, of: self)
    }
}

/// A profiler that reports how SQLite executes statements, for any library.
package struct StatementProfiler {
    private let runsStatements: Bool

    /// Creates a profiler, which runs statements if `running` is `true` and otherwise only explains
    /// them.
    package init(running: Bool) {
        runsStatements = running
    }

    /// Explains the statements in an access to `target`.
    ///
    /// If requested, this method also runs the statements and rolls back their writes.
    ///
    /// - Throws: The library's error.
    package func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        of target: some WorkloadTarget
    ) throws -> OperationProfile {
        var profile = OperationProfile()
        let client = WorkloadClientName("profile")
        switch access {
        case .read, .snapshot:
            // Use a reader, because the accesses under load used a reader's page cache.
            try target.perform(.read, as: client) { session in
                profile = try self.profile(statements, on: session)
            }
        case .write, .writeWithoutTransaction:
            try target.perform(.writeWithoutTransaction, as: client) { session in
                guard let session = session as? any ProfiledSession else { return }
                try session.rollingBack { profile = try self.profile(statements, on: session) }
            }
        }
        return profile
    }

    /// Explains the statements and, if requested, runs them.
    ///
    /// The caller must roll back their writes.
    ///
    /// - Throws: An error if a statement cannot be explained.
    private func profile(
        _ statements: [BoundStatement],
        on session: any WorkloadSession
    ) throws -> OperationProfile {
        var profile = OperationProfile()
        for statement in statements {
            profile.plans.append(
                .init(sql: statement.sql, lines: try Self.planLines(of: statement, session))
            )
        }
        guard runsStatements, let session = session as? any ProfiledSession else {
            profile.note = "explained only: running it again would take too long"
            return profile
        }
        if let statement = statements.first(where: { !Self.canBeRolledBack($0.sql) }) {
            profile.note = "explained only: '\(statement.sql)' cannot be rolled back"
            return profile
        }
        do {
            profile.counters = try Self.counters(of: statements, session)
        } catch {
            profile.note = "explained only: \(error)"
        }
        return profile
    }

    private static func canBeRolledBack(_ sql: String) -> Bool {
        let verb = sql.drop(while: \.isWhitespace).prefix { $0.isLetter }.uppercased()
        return ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES"].contains(verb)
    }

    private static func counters(
        of statements: [BoundStatement],
        _ session: any ProfiledSession
    ) throws -> OperationProfile.Counters {
        var counters = OperationProfile.Counters()
        let before = CacheCounts(of: session.sqliteConnection)
        for bound in statements {
            let pointer = try session.preparedStatement(bound.sql)
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
        let after = CacheCounts(of: session.sqliteConnection)
        counters.cacheHits = after.hits - before.hits
        counters.cacheMisses = after.misses - before.misses
        counters.cacheSpills = after.spills - before.spills
        return counters
    }

    /// Returns the lines of `EXPLAIN QUERY PLAN`, indented by their depth in the tree.
    ///
    /// The columns are id, parent, unused, and detail (https://sqlite.org/eqp.html).
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

/// The values of a connection's page cache counters.
private struct CacheCounts {
    var hits: Int
    var misses: Int
    var spills: Int

    init(of connection: OpaquePointer?) {
        func count(_ counter: CInt) -> Int {
            var (current, highest): (CInt, CInt) = (0, 0)
            sqlite3_db_status(connection, counter, &current, &highest, 0)
            return Int(current)
        }
        hits = count(SQLITE_DBSTATUS_CACHE_HIT)
        misses = count(SQLITE_DBSTATUS_CACHE_MISS)
        spills = count(SQLITE_DBSTATUS_CACHE_SPILL)
    }
}
