import Foundation

/// Determines the free space in a folder for databases.
package enum FreeSpace {
    /// The error for a folder with too little free space.
    package struct Shortage: Error, Sendable, Equatable, CustomStringConvertible {
        /// The folder.
        package var folder: String
        /// The purpose of the required space.
        package var purpose: String
        /// The required space, in bytes.
        package var required: UInt64
        /// The free space of the folder's file system, in bytes.
        package var free: UInt64

        /// Creates an error.
        package init(folder: String, purpose: String, required: UInt64, free: UInt64) {
            self.folder = folder
            self.purpose = purpose
            self.required = required
            self.free = free
        }

        /// The folder, the required space, the free space, and a remedy.
        package var description: String {
            "the folder '\(folder)' is full: \(purpose) needs \(HumanUnits.bytes(required)), but "
                + "only \(HumanUnits.bytes(free)) are free; free some space, or set TMPDIR to a "
                + "folder with enough space"
        }
    }

    /// Returns the free space of a folder's file system, in bytes, or `nil` if the system does not
    /// report it.
    package static func bytes(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// Returns the size of a file, in bytes, or 0 if the file does not exist.
    package static func size(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }

    /// Returns the progress text for a copy of a database, such as `copying app.sqlite (7.9 MiB)`.
    package static func copyText(of path: String) -> String {
        let name = URL(fileURLWithPath: path).lastPathComponent
        return "copying \(name) (\(HumanUnits.bytes(size(of: path) + size(of: path + "-wal"))))"
    }

    /// Checks that a folder has `required` bytes of free space.
    ///
    /// - Throws: ``Shortage`` if there is too little free space.
    package static func check(_ required: UInt64, in folder: String, for purpose: String) throws {
        guard let free = bytes(in: folder), free < required else { return }
        throw Shortage(folder: folder, purpose: purpose, required: required, free: free)
    }
}
