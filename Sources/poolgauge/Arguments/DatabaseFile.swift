import Foundation
import WorkloadEngine

/// The user's database, which `--database` names.
enum DatabaseFile {
    /// Returns the URL of the file at a path.
    ///
    /// - Throws: ``CommandFailure`` if no file exists there.
    static func url(_ path: String) throws -> URL {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure("--database: there is no file '\(path)'")
        }
        guard !isFolder.boolValue else {
            throw CommandFailure("--database: '\(path)' is a folder; name a database file in it")
        }
        return URL(fileURLWithPath: path)
    }

    /// Returns the URL of the file at a path, for a scenario given by its name or path.
    ///
    /// - Throws: ``CommandFailure`` if no file exists there or the scenario is a preset.
    static func url(_ path: String, for scenario: String) throws -> URL {
        let file = try url(path)
        guard Presets.named(scenario) == nil else {
            throw CommandFailure(
                "--database: '\(scenario)' is a preset, and presets need their own data; write a "
                    + "scenario with statements for '\(path)'"
            )
        }
        return file
    }
}
