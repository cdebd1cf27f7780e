import Foundation
import Units
import Yams

extension ScenarioDecoder {
    /// Returns the path of a database, or logs an error and returns `nil` if the file does not
    /// exist.
    func databasePath(_ text: String, at mark: Mark?) -> String? {
        let path = Self.path(text, relativeTo: log.file)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            log.add("there is no file '\(path)'" + Self.neighbors(of: path), at: mark)
            return nil
        }
        if isFolder.boolValue {
            log.add("'\(path)' is a folder, not a database", at: mark)
            return nil
        }
        return path
    }

    /// Resolves a path that is absolute, in the home folder, or relative to a file's folder.
    static func path(_ text: String, relativeTo file: String) -> String {
        let text = (text as NSString).expandingTildeInPath
        if text.hasPrefix("/") { return text }
        // Pipes and presets have no folder.
        let isPlaced = file.contains("/") && !file.hasPrefix("/dev/")
        let folder = isPlaced ? (file as NSString).deletingLastPathComponent : ""
        return folder.isEmpty ? text : (folder as NSString).appendingPathComponent(text)
    }

    private static func neighbors(of path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.isEmpty ? "." : folder
        )
        let name = (path as NSString).lastPathComponent
        return NearestName.of(name, among: names ?? []).map { "; did you mean '\($0)'?" } ?? ""
    }
}
