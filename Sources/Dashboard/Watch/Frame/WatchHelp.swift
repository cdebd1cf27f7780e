import TerminalUI

/// The help overlay of the watch dashboard, which lists all keys and the symbols in lanes.
struct WatchHelp {
    let keys: WatchKeys
    var replayKeys: ReplayKeys?
    /// The index of the first displayed line.
    let top: Int

    func draw(on canvas: inout Canvas, in rect: Rect) {
        overlay(theme: canvas.theme, glyphs: canvas.glyphs).draw(on: &canvas, in: rect)
    }

    func lastTop(in size: Size) -> Int {
        overlay(theme: .standard, glyphs: .braille).lastTop(in: size)
    }

    private func overlay(theme: Theme, glyphs: GlyphSet) -> HelpOverlay {
        keys.help(
            sections: (replayKeys?.replayHelp(theme: theme) ?? [])
                + WatchCommand.Purpose.allCases.map { purpose in
                    keys.helpSection(purpose.rawValue, theme: theme) { command in
                        command.purpose == purpose
                    } help: { command in
                        guard replayKeys != nil, case .common(.back) = command else { return nil }
                        return DashboardCommand.back.helpForReplay
                    }
                }.filter { !$0.entries.isEmpty },
            marks: HelpOverlay.Section(
                title: "Symbols in the process lanes",
                entries: WatchLaneState.allCases.filter { $0 != .absent }.map {
                    $0.mark.help(meaning: $0.meaning, short: $0.label, theme, glyphs)
                }
            ),
            back: .common(.back),
            top: top
        )
    }
}
