import Foundation

/// The space that a folder has left for databases.
package enum FreeSpace {
    /// A folder has less space than what must be written to it.
    package struct Shortage: Error, Sendable, Equatable, CustomStringConvertible {
        /// The folder.
        package var folder: String
        /// What needs the space.
        package var purpose: String
        /// The bytes that it needs.
        package var required: UInt64
        /// The bytes that the folder's file system has left.
        package var free: UInt64

        /// Creates an error.
        package init(folder: String, purpose: String, required: UInt64, free: UInt64) {
            self.folder = folder
            self.purpose = purpose
            self.required = required
            self.free = free
        }

        /// The folder, what is required, what is free, and what to do.
        package var description: String {
            "the folder '\(folder)' is full: \(purpose) needs \(HumanUnits.bytes(required)), and "
                + "\(HumanUnits.bytes(free)) are free; free some space there, or set TMPDIR to a "
                + "folder with enough"
        }
    }

    /// The bytes that the file system of a folder has left; nil where the system does not report
    /// them.
    package static func bytes(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The size of a file, in bytes; 0 where there is none.
    package static func size(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }

    /// The size of a file for people, such as `7.9 MiB`.
    package static func sizeText(of path: String) -> String { HumanUnits.bytes(size(of: path)) }

    /// Checks that a folder has space.
    ///
    /// - Throws: ``Shortage``.
    package static func check(_ required: UInt64, in folder: String, for purpose: String) throws {
        guard let free = bytes(in: folder), free < required else { return }
        throw Shortage(folder: folder, purpose: purpose, required: required, free: free)
    }
}
