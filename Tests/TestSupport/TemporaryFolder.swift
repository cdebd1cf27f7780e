import Foundation

/// A new folder that is removed when the object is released.
///
/// A suite stores the folder in a property, which keeps the folder alive during the test.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        path = NSTemporaryDirectory() + "poolgauge-\(UUID().uuidString)"
        let isCreated = mkdir(path, 0o700) == 0
        precondition(isCreated, "cannot create \(path)")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder.
    package func file(_ name: String = "db.sqlite") -> String { "\(path)/\(name)" }
}

/// Calls `body` with a temporary folder that exists only during the call.
package func withTemporaryFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = TemporaryFolder()
    return try withExtendedLifetime(folder) {
        try body(URL(fileURLWithPath: folder.path, isDirectory: true))
    }
}
