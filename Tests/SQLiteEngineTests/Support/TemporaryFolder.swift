import Foundation

/// A new folder that is removed when the object is released.
///
/// A suite stores the folder in a property, which keeps the folder alive during the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "poolgauge-\(UUID().uuidString)"
        let isCreated = mkdir(path, 0o700) == 0
        precondition(isCreated, "cannot create \(path)")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder.
    func file(_ name: String = "db.sqlite") -> String { "\(path)/\(name)" }
}
