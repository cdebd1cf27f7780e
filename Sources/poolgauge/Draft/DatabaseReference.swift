import Foundation

/// A reference to a database in a scenario file.
enum DatabaseReference {
    /// Returns the database's file name if the database and the scenario are in the same folder, or
    /// its absolute path otherwise.
    ///
    /// - Parameters:
    ///   - database: The path of the database.
    ///   - output: The path of the scenario file, or `nil` for standard output.
    /// - Returns: The path to write into the scenario file.
    static func path(of database: String, from output: String?) -> String {
        let file = URL(fileURLWithPath: database).standardizedFileURL
        guard let output else { return file.path }
        let folder = URL(fileURLWithPath: output).standardizedFileURL.deletingLastPathComponent()
        let isBeside = file.deletingLastPathComponent().path == folder.path
        return isBeside ? file.lastPathComponent : file.path
    }
}
