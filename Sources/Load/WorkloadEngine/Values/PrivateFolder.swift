import Foundation
import Telemetry
import Text

/// A type that creates folders that only the current user can use.
///
/// The system's temporary folder is shared, and the folder of a run may contain a copy of a private
/// database.
package enum PrivateFolder {
    /// Creates a folder with the mode 0700, and its parent folders if they are missing.
    ///
    /// - Throws: An error if the path exists, even as a link, or if the folder cannot be created.
    package static func create(at url: URL) throws {
        let files = FileManager.default
        let parent = url.deletingLastPathComponent()
        if !files.fileExists(atPath: parent.path) {
            try files.createDirectory(at: parent, withIntermediateDirectories: true)
        }
        // `createDirectory` accepts an existing folder, which may belong to another user.
        guard mkdir(url.path, 0o700) == 0 else {
            throw Failure(path: url.path, reason: String(cString: strerror(errno)))
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var path: String
        var reason: String

        var description: String { "cannot create the folder \(path): \(reason)" }
    }
}

package enum FreeSpace {
    package struct Shortage: Error, Sendable, Equatable, CustomStringConvertible {
        package var folder: String
        package var purpose: String
        /// The required space, in bytes.
        package var required: UInt64
        /// The free space of the folder's file system, in bytes.
        package var free: UInt64

        package init(folder: String, purpose: String, required: UInt64, free: UInt64) {
            self.folder = folder
            self.purpose = purpose
            self.required = required
            self.free = free
        }

        package var description: String {
            "the folder '\(folder)' is full: \(purpose) needs \(ReportUnits.bytes(required)), but "
                + "only \(ReportUnits.bytes(free)) are free; free some space, or set TMPDIR to a "
                + "folder with enough space"
        }
    }

    /// Returns the free space on a folder's file system, in bytes, or `nil` if it is unavailable.
    package static func bytes(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    package static func size(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }

    /// Returns progress text for a database copy, such as `copying app.sqlite (7.9 MiB)`.
    package static func copyText(of path: String) -> String {
        let name = URL(fileURLWithPath: path).lastPathComponent
        return "copying \(name) (\(ReportUnits.bytes(size(of: path) + size(of: path + "-wal"))))"
    }

    /// Throws ``Shortage`` if a folder has fewer than `required` bytes of free space.
    package static func check(_ required: UInt64, in folder: String, for purpose: String) throws {
        guard let free = bytes(in: folder), free < required else { return }
        throw Shortage(folder: folder, purpose: purpose, required: required, free: free)
    }
}
