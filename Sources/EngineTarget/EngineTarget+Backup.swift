import SQLiteEngine
import WorkloadEngine

extension EngineTarget {
    func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws {
        let copy = try DatabaseQueue(path: path)
        do {
            try writer.backup(to: copy, pagesPerStep: CInt(clamping: pagesPerStep)) { state in
                let total = Double(max(1, state.totalPageCount))
                try progress(Double(state.completedPageCount) / total)
            }
        } catch {
            try? copy.close()
            throw error
        }
        try copy.close()
    }
}
