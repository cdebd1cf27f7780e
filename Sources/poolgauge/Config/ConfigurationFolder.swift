import Foundation

/// Where somebody keeps what they set: `$XDG_CONFIG_HOME/poolgauge`.
///
/// <https://specifications.freedesktop.org/basedir-spec/latest/>: without the variable, or when it
/// is no absolute path, `~/.config`.
struct ConfigurationFolder: Sendable, Equatable {
    /// The folder; nil without a home.
    let path: String?

    /// The folder that the process's variables name.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            path = base + "/poolgauge"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/poolgauge"
        } else {
            path = nil
        }
    }

    /// The configuration.
    var configuration: String? { path.map { $0 + "/config.yaml" } }

    /// The folder of themes.
    var themes: String? { path.map { $0 + "/themes" } }
}

/// A text file that somebody wrote.
enum TextFile {
    /// The text of a file.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: A ``CommandFailure`` that says why it cannot be read.
    static func read(_ path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw CommandFailure("cannot read \(path): \(error.localizedDescription)")
        }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw CommandFailure("cannot read \(path): it is not UTF-8 text")
        }
        return text
    }
}
