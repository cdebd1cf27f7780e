import ArgumentParser
import CursesTerminal
import Foundation
import TerminalUI

/// A session that runs a display in the process's terminal, or renders the display for a picture.
struct DisplaySession {
    let options: DisplayOptions

    struct Glyphs {
        /// The initial character set.
        var first: GlyphSet
        /// The character sets that the terminal supports.
        var choices: [GlyphSet]
    }

    /// Shows content in the process's terminal until the display ends.
    ///
    /// - Parameters:
    ///   - make: A closure that creates the content.
    ///   - report: A closure that writes the results after the terminal is restored.
    /// - Throws: `TerminalError`, errors from `make` and `report`, or an exit code for a signal.
    func run<Content: DisplayContent>(
        _ make: (any Terminal, Glyphs) throws -> Content,
        report: (Content) throws -> Void
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        let terminal = try CursesTerminal(environment: environment, usesMouse: options.usesMouse)
        let isUTF8 = TextEncoding.setLocale()
        // The fonts of the Linux console do not contain braille characters.
        let isConsole = environment["TERM"] == "linux"
        let glyphs = Glyphs(
            first: options.glyphs ?? (isUTF8 && !isConsole ? .braille : .ascii),
            // Offer only the character sets that the terminal supports.
            choices: isUTF8 ? GlyphSet.allCases : [.ascii]
        )
        let content: Content
        do { content = try make(terminal, glyphs) } catch {
            terminal.close()
            throw error
        }
        var loop = DisplayLoop(content, on: terminal, keys: keyPlan)
        let end = loop.show()
        terminal.close()
        loop.end()
        if case .signal(let signal) = end {
            // After a hangup, standard output is unavailable, but a report file is still writable.
            try? writeCosts(loop.cost)
            try? report(loop.content)
            throw ExitCode(128 + signal)
        }
        try writeCosts(loop.cost)
        try report(loop.content)
    }

    /// Renders content without a terminal and returns the last frame.
    ///
    /// - Throws: Errors from `make`, or an exit code for a signal.
    func picture<Content: DisplayContent>(
        size: Size,
        _ make: (any Terminal, Glyphs) throws -> Content
    ) throws -> Surface {
        let terminal = SurfaceTerminal(size: size)
        let interruption = Interruption(terminal.interrupt)
        let glyphs = Glyphs(first: options.glyphs ?? .braille, choices: GlyphSet.allCases)
        var loop = DisplayLoop(try make(terminal, glyphs), on: terminal, keys: keyPlan)
        let end = loop.show()
        loop.end()
        if case .signal = end, let signal = interruption.signal { throw ExitCode(128 + signal) }
        return terminal.surface
    }

    private var keyPlan: KeyPlan {
        KeyPlan(
            keys: options.keys,
            start: options.keysStart,
            takesPicture: options.takesPicture
        )
    }

    private func writeCosts(_ cost: DisplayCost) throws {
        guard let costs = options.costs, let total = cost.total else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try costs.write(String(decoding: encoder.encode(total), as: UTF8.self) + "\n")
    }
}
