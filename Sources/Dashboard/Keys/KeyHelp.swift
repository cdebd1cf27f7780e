import Telemetry
import TerminalUI

/// The help overlay, which lists all keys and the symbols in lanes.
struct KeyHelp {
    let keys: DashboardKeys
    /// The attached program, or `nil` for a run.
    let program: ProgramStatus?
    var replayKeys: ReplayKeys?
    /// The index of the first displayed line.
    let top: Int

    func draw(on canvas: inout Canvas, in rect: Rect) {
        overlay(theme: canvas.theme, glyphs: canvas.glyphs).draw(on: &canvas, in: rect)
    }

    func lastTop(in size: Size) -> Int {
        overlay(theme: .standard, glyphs: .braille).lastTop(in: size)
    }

    private func title(of purpose: DashboardCommand.Purpose) -> String {
        purpose == .actions && program != nil ? "Actions on the program" : purpose.rawValue
    }

    private func overlay(theme: Theme, glyphs: GlyphSet) -> HelpOverlay {
        keys.help(
            sections: (replayKeys?.replayHelp(theme: theme) ?? [])
                + DashboardCommand.Purpose.allCases.map { purpose in
                    keys.helpSection(title(of: purpose), theme: theme) { command in
                        command.purpose == purpose && (program.map(command.applies) ?? true)
                    } help: { command in
                        if replayKeys != nil, let text = command.helpForReplay { return text }
                        return program == nil ? nil : command.helpForProgram
                    }
                }.filter { !$0.entries.isEmpty },
            marks: HelpOverlay.Section(
                title: "Symbols in the connection lanes",
                entries: LaneState.allCases.filter { $0 != .absent }.map {
                    $0.mark.help(meaning: $0.meaning, short: $0.label, theme, glyphs)
                }
            ),
            back: .back,
            top: top
        )
    }
}

extension LaneStrip.Mark {
    func help(
        meaning: String,
        short: String,
        _ theme: Theme,
        _ glyphs: GlyphSet
    ) -> HelpOverlay.Entry {
        HelpOverlay.Entry(
            term: Span(text(in: glyphs), theme.style(role)),
            meaning: meaning,
            short: short
        )
    }
}

extension KeyTable {
    func help(
        sections: [HelpOverlay.Section],
        marks: HelpOverlay.Section,
        back: Command,
        top: Int
    ) -> HelpOverlay {
        HelpOverlay(
            title: "Help",
            sections: sections + [marks],
            hint: "\(key(for: back)?.label ?? "Esc") closes; you can also click keys, rows, "
                + "titles, and charts",
            top: top
        )
    }

    func helpSection(
        _ title: String,
        theme: Theme,
        where isIncluded: (Command) -> Bool,
        help: (Command) -> String? = { _ in nil }
    ) -> HelpOverlay.Section {
        HelpOverlay.Section(
            title: title,
            entries: bindings.filter { isIncluded($0.command) && !$0.keys.isEmpty }.map { binding in
                HelpOverlay.Entry(
                    term: Span(
                        binding.keys.map(\.label).joined(separator: " "),
                        theme.bold(.accent)
                    ),
                    meaning: help(binding.command) ?? binding.help,
                    short: binding.name
                )
            }
        )
    }
}

extension KeyTable<ReplayCommand> {
    /// Returns the help section about the keys of a replay.
    func replayHelp(theme: Theme) -> [HelpOverlay.Section] {
        [helpSection("Replay", theme: theme) { _ in true }]
    }
}
