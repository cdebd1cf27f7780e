import Foundation

/// A type that creates folders that only the current user can use.
///
/// The system's temporary folder is shared, and the folder of a run may contain a copy of a private
/// database.
enum PrivateFolder {
    /// Creates a folder with the mode 0700, and its parent folders if they are missing.
    ///
    /// - Throws: An error if the path exists, even as a link, or if the folder cannot be created.
    static func create(at url: URL) throws {
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
