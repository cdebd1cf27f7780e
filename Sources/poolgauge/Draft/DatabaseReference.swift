import Foundation

/// A database's path as a scenario's file refers to it.
enum DatabaseReference {
    /// A name where both lie in one folder, absolute otherwise.
    ///
    /// - Parameters:
    ///   - database: The path of the database.
    ///   - output: The path of the scenario's file; nil for standard output.
    /// - Returns: The path.
    static func path(of database: String, from output: String?) -> String {
        let file = URL(fileURLWithPath: database).standardizedFileURL
        guard let output else { return file.path }
        let folder = URL(fileURLWithPath: output).standardizedFileURL.deletingLastPathComponent()
        // A relative path that has no slash would not be looked up beside a file that has none.
        let isBeside = file.deletingLastPathComponent().path == folder.path
        return isBeside ? file.lastPathComponent : file.path
    }
}
