import Foundation

/// The user documentation in Markdown, and the commands that it contains.
enum Documentation {
    /// The folder of the package.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of the pages, relative to the root.
    static let pages: [String] = {
        let docs = try? FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("docs").path
        )
        let names = (docs ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
        return ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] + names
    }()

    /// Returns the text of a page.
    static func text(of page: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    }

    /// Returns the commands on a page.
    ///
    /// These are the lines in code blocks and the inline code that start with `poolgauge`.
    static func commands(of page: String) throws -> [String] {
        var commands: [String] = []
        var isInBlock = false
        for line in try text(of: page).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInBlock.toggle()
            } else if isInBlock {
                let command = line.trimmingPrefix("$ ").trimmingPrefix("sudo ")
                if command.hasPrefix("poolgauge") { commands.append(String(command)) }
            } else {
                commands += line.matches(of: /`(poolgauge [^`]+)`/).map { String($0.1) }
            }
        }
        return commands
    }

    /// Returns the arguments of a command line, or `nil` if the line contains a placeholder, such
    /// as `NAME` or `…`.
    static func arguments(_ command: String) -> [String]? {
        // An unquoted comment, pipe, or redirection ends the command.
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in command + " " {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else if "#|>".contains(character), word.isEmpty {
                break
            } else {
                word.append(character)
            }
        }
        words.removeFirst()
        return words.contains { $0.hasPrefix("…") || $0 == $0.uppercased() && $0.count > 2 }
            ? nil : words
    }
}
