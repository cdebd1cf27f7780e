import SQLiteEngine
import WorkloadEngine

extension EngineTarget {
    func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? {
        try StatementProfiler(running: running).profile(statements, in: access, of: self)
    }
}

extension EngineSession: ProfiledSession {
    var sqliteConnection: OpaquePointer? { database.handle }

    func preparedStatement(_ sql: String) throws -> OpaquePointer {
        try database.cachedStatement(sql: sql).pointer
    }

    func rollingBack(_ body: () throws -> Void) throws {
        try database.inTransaction(.immediate) {
            try body()
            return .rollback
        }
    }
}
