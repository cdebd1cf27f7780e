import Foundation

/// The program under test, which SwiftPM builds next to the tests.
enum Program {
    /// The path of `poolgauge`.
    static let path: String = {
        var folders = CommandLine.arguments.filter { $0.contains(".xctest") }
            .map { URL(fileURLWithPath: $0) }
        folders.append(Bundle.main.bundleURL)
        for var folder in folders {
            while folder.path != "/" {
                let candidate = folder.appendingPathComponent("poolgauge").path
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
                    !isFolder.boolValue
                {
                    return candidate
                }
                folder.deleteLastPathComponent()
            }
        }
        return "poolgauge-is-not-built"
    }()

    /// Returns the complete environment of a program.
    ///
    /// - Parameter folder: The folder for temporary files.
    /// - Returns: The variables by name.
    static func environment(temporary folder: URL) -> [String: String] {
        [
            "HOME": folder.path,
            "LANG": "C.UTF-8",
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "SWIFT_BACKTRACE": "enable=no",
            "TERM": "xterm-256color",
            "TMPDIR": folder.path,
        ]
    }
}

/// An error thrown when a program ends unexpectedly.
struct ProgramEnded: Error, CustomStringConvertible {
    var description: String
}

/// Returns the names of the files in a folder.
func contents(of folder: URL) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
}
