import Foundation

/// The folder for the user's configuration: `$XDG_CONFIG_HOME/poolgauge`.
///
/// If the variable does not contain an absolute path, the folder is `~/.config/poolgauge`
/// (<https://specifications.freedesktop.org/basedir-spec/latest/>).
struct ConfigurationFolder: Sendable, Equatable {
    /// The path of the folder, or `nil` if there is no home folder.
    let path: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            path = base + "/poolgauge"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/poolgauge"
        } else {
            path = nil
        }
    }

    /// The path of the configuration file, or `nil` if there is no home folder.
    var configuration: String? { path.map { $0 + "/config.yaml" } }

    /// The path of the folder for the user's themes, or `nil` if there is no home folder.
    var themes: String? { path.map { $0 + "/themes" } }
}

enum TextFile {
    /// Reads a text file.
    ///
    /// - Returns: The text, or `nil` if the file does not exist.
    /// - Throws: ``CommandFailure`` with the reason if the file cannot be read.
    static func read(_ path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw CommandFailure("cannot read \(path): \(error.localizedDescription)")
        }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw CommandFailure("cannot read \(path): it is not encoded in UTF-8")
        }
        return text
    }
}
