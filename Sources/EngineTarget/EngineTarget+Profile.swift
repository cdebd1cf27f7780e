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
                profile = try StatementProfiler(running: running).profile(statements, on: session)
            }
        case .write, .writeWithoutTransaction:
            try perform(.writeWithoutTransaction, as: client) { session in
                guard let session = session as? EngineSession else { return }
                try session.database.inTransaction(.immediate) {
                    profile = try StatementProfiler(running: running)
                        .profile(statements, on: session)
                    return .rollback
                }
            }
        }
        return profile
    }
}

extension EngineSession: ProfiledSession {
    var sqliteConnection: OpaquePointer? { database.sqliteConnection }

    func preparedStatement(_ sql: String) throws -> OpaquePointer {
        try database.cachedStatement(sql: sql).sqliteStatement
    }
}
