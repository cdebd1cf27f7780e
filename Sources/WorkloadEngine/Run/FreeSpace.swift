import Foundation
import Text

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
