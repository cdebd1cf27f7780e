import ArgumentParser
import Foundation
import Testing

@testable import poolgauge

/// Commands and links in the README and the pages in `docs` are valid.
struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The Markdown files for users, by their paths below the root.
    static let pages: [String] = {
        let docs = try? FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("docs").path
        )
        let names = (docs ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
        return ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] + names
    }()

    private func text(of page: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
    }

    /// The commands of a page: lines in code blocks and code in tables that start with `poolgauge`.
    private func commands(in text: String) -> [String] {
        var commands: [String] = []
        var isInBlock = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInBlock.toggle()
            } else if isInBlock {
                let command = line.hasPrefix("$ ") ? line.dropFirst(2) : line[...]
                if command.hasPrefix("poolgauge") { commands.append(String(command)) }
            } else {
                commands += line.matches(of: /`(poolgauge [^`]+)`/).map { String($0.1) }
            }
        }
        return commands
    }

    /// The arguments of a command line; nil for the name of a command alone.
    private func arguments(_ command: String) -> [String]? {
        // A comment, a pipe or a redirection ends the command.
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

    @Test(arguments: pages)
    func everyCommandIsValid(page: String) throws {
        for command in commands(in: try text(of: page)) {
            guard let arguments = arguments(command) else { continue }
            do {
                _ = try Poolgauge.parseAsRoot(SQLArguments.expanded(arguments))
            } catch  where Poolgauge.exitCode(for: error) != .success {
                Issue.record("\(command): \(Poolgauge.message(for: error))")
            } catch {
                // Help and versions are requested by errors.
            }
        }
    }

    @Test func commandsAreFound() throws {
        #expect(commands(in: try text(of: "README.md")).count >= 6)
        #expect(
            arguments("poolgauge run a.yaml --set 'x=1 2'   # why") == [
                "run", "a.yaml", "--set", "x=1 2",
            ]
        )
        #expect(arguments("poolgauge themes preview NAME") == nil)
    }

    @Test(arguments: pages)
    func everyLinkHasATarget(page: String) throws {
        let folder = Self.root.appendingPathComponent(page).deletingLastPathComponent()
        for match in try text(of: page).matches(of: /\]\(([^)#]+)(#[^)]*)?\)/) {
            let target = String(match.1)
            if target.contains("://") { continue }
            let file = folder.appendingPathComponent(target)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(target)")
        }
    }

    @Test func theREADMEIsShort() throws {
        let words = try text(of: "README.md").split { $0 == " " || $0 == "\n" }
        #expect(words.count <= 900)
    }
}
