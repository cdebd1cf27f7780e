import Foundation
import TerminalUI

/// The themes that there are: those that come along, and those of somebody's folder.
struct ThemeLibrary {
    /// The themes that can be used; one of the folder takes the place of one that has its name.
    let themes: [Theme]
    /// What is wrong with files of the folder.
    let failures: [any Error]
    /// What is wrong, by the name that the theme would have.
    private let failuresByName: [String: any Error]

    private static let ending = ".yaml"

    /// Reads the themes of a folder, if it is there.
    init(folder: String?) {
        var themes = Theme.builtIn
        var failures: [(name: String, error: any Error)] = []
        for path in Self.files(in: folder) {
            do {
                let theme = try Self.read(path)
                if let known = themes.firstIndex(where: { $0.name == theme.name }) {
                    themes[known] = theme
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

    /// The theme of this name, or of a file: whatever has a slash or ends with `.yaml`.
    ///
    /// - Throws: What is wrong with the file, or the nearest name.
    func theme(named name: String) throws -> Theme {
        if name.contains("/") || name.hasSuffix(Self.ending) { return try Self.read(name) }
        // A file of somebody's that is wrong is not quietly replaced by the one that comes along.
        if let failure = failuresByName[name] { throw failure }
        if let theme = themes.first(where: { $0.name == name }) { return theme }
        throw UnknownThemeError(name: name, known: themes.map(\.name))
    }

    private static func files(in folder: String?) -> [String] {
        guard let folder,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return [] }
        return names.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    private static func read(_ path: String) throws -> Theme {
        guard let yaml = try TextFile.read(path) else {
            throw CommandFailure("there is no file \(path)")
        }
        return try Theme.parse(yaml: yaml, file: path)
    }

    private static func name(of path: String) -> String {
        String((path.split(separator: "/").last ?? "").dropLast(ending.count))
    }
}
