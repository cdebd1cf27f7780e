import Foundation
import WorkloadEngine

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

    /// The file, for a scenario by its name or path.
    ///
    /// - Throws: ``CommandFailure`` when there is none, or when the scenario is a preset.
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
