import Foundation

/// A database of the user's, as `--database` names it.
enum DatabaseFile {
    /// The file.
    ///
    /// - Throws: ``CommandFailure`` when there is none.
    static func url(_ path: String) throws -> URL {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure("--database: there is no file '\(path)'")
        }
        guard !isFolder.boolValue else {
            throw CommandFailure("--database: '\(path)' is a folder")
        }
        return URL(fileURLWithPath: path)
    }
}
