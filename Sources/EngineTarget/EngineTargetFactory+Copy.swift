import SQLiteEngine
import WorkloadEngine

extension EngineTargetFactory {
    /// The number of pages to copy between two checks for cancellation: 4 MiB at 4 KiB per page.
    private static let pagesPerStep: CInt = 1024

    /// Copies a database with SQLite's backup API (<https://sqlite.org/backup.html>).
    ///
    /// - Throws: A `DatabaseError` that contains the path, or the error of `progress`.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "source"
        let from = try DatabaseQueue(path: source, configuration: configuration)
        do {
            try copy(from, to: path, progress)
        } catch {
            try? from.close()
            throw error
        }
        try from.close()
    }

    private func copy(
        _ from: DatabaseQueue,
        to path: String,
        _ progress: (Double) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.label = "copy"
        let to = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try withoutActuallyEscaping(progress) { progress in
                try from.backup(to: to, pagesPerStep: Self.pagesPerStep) { state in
                    let total = Double(max(1, state.totalPageCount))
                    try progress(Double(state.completedPageCount) / total)
                }
            }
            // The copy has the journal mode of its source; the arm determines its final mode.
            try to.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        } catch {
            try? to.close()
            throw error
        }
        try to.close()
    }
}
