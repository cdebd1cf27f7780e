import Foundation

/// A new folder that is removed when the value is deinitialized.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "poolgauge-watch-\(UUID().uuidString)"
        let isCreated = mkdir(path, 0o700) == 0
        precondition(isCreated, "cannot create \(path)")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "app.sqlite") -> String { "\(path)/\(name)" }
}
