import Foundation

enum DatabaseReference {
    /// Returns the database path to write to a scenario file.
    ///
    /// The path is the file name if the database and the scenario are in the same folder, and the
    /// absolute path otherwise. `output` is the path of the scenario file, or `nil` for standard
    /// output.
    static func path(of database: String, from output: String?) -> String {
        let file = URL(fileURLWithPath: database).standardizedFileURL
        guard let output else { return file.path }
        let folder = URL(fileURLWithPath: output).standardizedFileURL.deletingLastPathComponent()
        let isInSameFolder = file.deletingLastPathComponent().path == folder.path
        return isInSameFolder ? file.lastPathComponent : file.path
    }
}
