import Foundation
import TerminalUI

/// The built-in themes and the themes in the user's folder.
struct ThemeLibrary {
    /// The valid themes.
    ///
    /// A theme in the user's folder replaces a built-in theme with the same name.
    let themes: [Theme]
    /// The errors in the files of the user's folder.
    let failures: [any Error]
    private let failuresByName: [String: any Error]

    private static let fileExtension = ".yaml"

    init(folder: String?) {
        var themes = Theme.builtIn
        var failures: [(name: String, error: any Error)] = []
        for path in Self.files(in: folder) {
            do {
                let theme = try Self.read(path)
                if let index = themes.firstIndex(where: { $0.name == theme.name }) {
                    themes[index] = theme
                } else {
                    themes.append(theme)
                }
            } catch {
                failures.append((Self.name(of: path), error))
            }
        }
        self.themes = themes
        self.failures = failures.map(\.error)
        failuresByName = Dictionary(failures.map { ($0.name, $0.error) }) { first, _ in first }
    }

    /// Returns the theme with the given name.
    ///
    /// If the name contains `/` or ends with `.yaml`, it is the path of a theme file.
    ///
    /// - Throws: The errors in the file, or ``UnknownThemeError``.
    func theme(named name: String) throws -> Theme {
        if name.contains("/") || name.hasSuffix(Self.fileExtension) { return try Self.read(name) }
        // A built-in theme must not hide an error in the user's file with the same name.
        if let failure = failuresByName[name] { throw failure }
        if let theme = themes.first(where: { $0.name == name }) { return theme }
        throw UnknownThemeError(name: name, knownNames: themes.map(\.name))
    }

    private static func files(in folder: String?) -> [String] {
        guard let folder,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return [] }
        return names.filter { $0.hasSuffix(fileExtension) && !$0.hasPrefix(".") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    private static func read(_ path: String) throws -> Theme {
        guard let yaml = try TextFile.read(path) else {
            throw CommandFailure("there is no theme file '\(path)'; check the path")
        }
        return try Theme.parse(yaml: yaml, file: path)
    }

    private static func name(of path: String) -> String {
        String((path.split(separator: "/").last ?? "").dropLast(fileExtension.count))
    }
}
