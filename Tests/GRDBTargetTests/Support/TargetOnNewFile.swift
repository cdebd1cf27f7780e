import Foundation
import GRDBTarget
import Scenarios
import WorkloadEngine

/// Opens an arm on a new file that contains the table `item`, calls `body`, then closes the arm and
/// deletes the file.
func withTargetOnNewFile(
    _ arm: Arm,
    setup client: WorkloadClientName,
    _ body: (any WorkloadTarget) throws -> Void
) throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("poolgauge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = try LibraryTargetFactory()
        .open(arm, at: folder.appendingPathComponent("test.sqlite").path)
    try target.perform(.write, as: client) { session in
        try session.run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data)", [])
    }
    do { try body(target) } catch {
        try? target.close()
        throw error
    }
    try target.close()
}
