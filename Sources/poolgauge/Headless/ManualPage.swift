import ArgumentParser
import Foundation

/// The manual page, made of what `--help` says, so that the two never differ.
struct ManualPage {
    /// The page, in man(7)'s macros.
    let text: String

    /// Writes the page of a command and its subcommands.
    init(of command: (some ParsableCommand).Type) throws {
        let help = try JSONDecoder().decode(Help.self, from: Data(command._dumpHelp().utf8))
        var page = Writer()
        page.line(".\\\" Made by `poolgauge manual`; the tests compare the two.")
        page.line(".TH POOLGAUGE 1 \"\" \"Poolgauge \(Poolgauge.version)\" \"User Commands\"")
        page.section("NAME")
        page.line("poolgauge \\- " + Writer.escaped(lowercasedFirst(help.command.abstract ?? "")))
        page.section("SYNOPSIS")
        page.line(".B poolgauge")
        page.line("[\\fISUBCOMMAND\\fR] [\\fIOPTIONS\\fR]")
        page.section("DESCRIPTION")
        page.paragraphs(help.command.discussion ?? "")
        page.section("COMMANDS")
        for command in help.command.subcommands ?? [] where command.commandName != "help" {
            page.command(command, path: "poolgauge")
        }
        page.section("EXIT STATUS")
        for (status, meaning) in Poolgauge.exitStatuses {
            page.line(".TP")
            page.line(".B \(status)")
            page.line(Writer.escaped(meaning))
        }
        page.section("ENVIRONMENT")
        for (name, meaning) in Poolgauge.variables {
            page.line(".TP")
            page.line(".B \(name)")
            page.line(Writer.escaped(meaning))
        }
        text = page.text
    }

    /// What ArgumentParser tells of a command, as far as the page shows it.
    private struct Help: Decodable {
        var command: Command
    }

    fileprivate struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    fileprivate struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var valueName: String?
        var defaultValue: String?
        var allValues: [String]?
        var abstract: String?
    }
}

private func lowercasedFirst(_ text: String) -> String {
    let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
}

/// Writes man(7) text.
private struct Writer {
    private(set) var text = ""

    mutating func line(_ line: String) { text += line + "\n" }

    mutating func section(_ title: String) { line(".SH \(title)") }

    mutating func paragraphs(_ text: String) {
        for (index, paragraph) in text.split(separator: "\n\n").enumerated() {
            if index > 0 { line(".PP") }
            line(Self.escaped(paragraph.split(separator: "\n").joined(separator: " ")))
        }
    }

    mutating func command(_ command: ManualPage.Command, path: String) {
        let path = "\(path) \(command.commandName)"
        line(".SS \"\(path)\"")
        let arguments = (command.arguments ?? []).filter {
            $0.shouldDisplay
                && !($0.names ?? []).contains { ["help", "version"].contains($0.name) }
        }
        line(([".B \(path)"] + arguments.map(Self.synopsis)).joined(separator: "\n"))
        line(".PP")
        line(Self.escaped(command.abstract ?? ""))
        if let discussion = command.discussion, !discussion.isEmpty {
            line(".PP")
            paragraphs(discussion)
        }
        for argument in arguments { describe(argument) }
        for inner in command.subcommands ?? [] where inner.commandName != "help" {
            self.command(inner, path: path)
        }
    }

    private mutating func describe(_ argument: ManualPage.Argument) {
        line(".TP")
        line(Self.title(argument))
        var text = argument.abstract ?? ""
        if let values = argument.allValues, !values.isEmpty {
            text += " One of: \(values.joined(separator: ", "))."
        }
        if let value = argument.defaultValue { text += " Default: \(value)." }
        line(Self.escaped(text))
    }

    private static func value(_ argument: ManualPage.Argument) -> String {
        "\\fI\(escaped(argument.valueName ?? "value"))\\fR"
    }

    private static func title(_ argument: ManualPage.Argument) -> String {
        guard argument.kind != "positional" else { return value(argument) }
        let names = (argument.names ?? []).map { name in
            "\\fB" + (name.kind == "long" ? "\\-\\-" : "\\-") + escaped(name.name) + "\\fR"
        }
        let title = names.joined(separator: ", ")
        return argument.kind == "flag" ? title : "\(title) \(value(argument))"
    }

    private static func synopsis(_ argument: ManualPage.Argument) -> String {
        let title = title(argument)
        let dots = argument.isRepeating ? " ..." : ""
        return argument.isOptional ? "[\(title)\(dots)]" : title + dots
    }

    /// The text with what troff would take for itself made harmless.
    static func escaped(_ text: String) -> String {
        var result = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        if result.hasPrefix(".") || result.hasPrefix("'") { result = "\\&" + result }
        return result
    }
}
