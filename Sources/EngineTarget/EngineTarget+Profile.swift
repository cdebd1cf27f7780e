import SQLiteEngine
import WorkloadEngine

extension EngineTarget: ProfiledTarget {}

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
