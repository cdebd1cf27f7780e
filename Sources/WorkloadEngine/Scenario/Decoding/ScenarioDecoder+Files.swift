import Foundation
import Text
import Yams

extension ScenarioDecoder {
    /// Returns the path of a database, or logs an error and returns `nil` if the file does not
    /// exist.
    func databasePath(_ text: String, at mark: Mark?) -> String? {
        let path = Self.path(text, relativeTo: log.file)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            log.add("there is no file '\(path)'; " + Self.remedy(for: path), at: mark)
            return nil
        }
        if isFolder.boolValue {
            log.add("'\(path)' is a folder; specify a database file in it", at: mark)
            return nil
        }
        return path
    }

    /// Resolves a path that is absolute, in the home folder, or relative to a file's folder.
    static func path(_ text: String, relativeTo file: String) -> String {
        let text = (text as NSString).expandingTildeInPath
        if text.hasPrefix("/") { return text }
        // Pipes and presets have no folder.
        let hasFolder = file.contains("/") && !file.hasPrefix("/dev/")
        return hasFolder ? split(file).folder + "/" + text : text
    }

    private static func remedy(for path: String) -> String {
        let (folder, name) = split(path)
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return NearestName.of(name, among: names ?? []).map { "did you mean '\($0)'?" }
            ?? "check the path"
    }

    /// Splits a path at its last slash.
    ///
    /// `NSString.deletingLastPathComponent` traps for a path of one character (Swift 6.3 on Linux).
    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.utf8.index(after: slash)...]))
    }
}
