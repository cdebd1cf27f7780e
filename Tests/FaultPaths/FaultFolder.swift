import Foundation

/// A folder with a database, which the deinitializer removes.
package final class FaultFolder {
    package let url: URL
    package var database: String { url.appendingPathComponent("db.sqlite").path }
    /// The path of the target of backups.
    var copy: String { url.appendingPathComponent("copy.sqlite").path }
    var recording: String { url.appendingPathComponent("faults.recording").path }

    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("pg-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Replaces the content with the files of another folder.
    func copyFiles(of other: FaultFolder) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: other.url.path) {
            try FileManager.default.copyItem(
                at: other.url.appendingPathComponent(name),
                to: url.appendingPathComponent(name)
            )
        }
    }

    /// The names of the files in the folder that this process has open, or `nil` if unknown.
    package var openFiles: [String]? {
        guard let links = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return links.compactMap { link in
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + link
            )
            guard let path, path.hasPrefix(url.path) else { return nil }
            return String(path.dropFirst(url.path.count + 1))
        }
    }
}
