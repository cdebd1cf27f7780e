import Findings
import SQLiteWatch
import TerminalUI

/// The screen with all findings and a table of episodes.
struct EpisodesScreen: WatchScreen {
    static let title = "Episodes"
    static let help = "episodes: long-held locks, all findings"
    static let parts = ["findings", "episodes"]
    static let sortableTitles = WatchEpisodeList.listing.sortableTitles.filter { !$0.isEmpty }

    let scene: WatchScene

    private var episodes: [WatchEpisode] {
        WatchEpisodeList.listing.arranged(scene.history?.episodes ?? [], view: scene.view)
    }

    var rowNames: [String] { episodes.map(\.label) }

    func copyText(of row: String) -> String? {
        episodes.first { $0.label == row }?.summary
    }

    func destination(forRow row: String) -> WatchOpening {
        guard let episode = episodes.first(where: { $0.label == row }) else { return .details }
        return .process(label: WatchLabels.process(episode.name, pid: episode.pid))
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if let part = scene.expandedPart {
            draw(part, on: &canvas, in: rect)
            return
        }
        let findings = findings(width: rect.width - 4).count
        let tracks = [
            Track(
                minimum: 3,
                ideal: min(findings, rect.height / 2) + 2,
                maximum: findings + 2,
                priority: 8,
                flex: 0
            ),
            Track(minimum: 5, ideal: 10, priority: 9),
        ]
        let areas = rect.rows(Track.lengths(of: tracks, available: rect.height))
        for (part, area) in areas.enumerated() where !area.isEmpty {
            draw(part, on: &canvas, in: area)
        }
    }

    private func draw(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        canvas.clipped(to: rect) { canvas in
            if part == 0 {
                drawFindings(on: &canvas, in: rect)
            } else {
                drawEpisodes(on: &canvas, in: rect)
            }
            scene.markPart(part, on: &canvas, in: rect)
        }
    }

    /// Returns the lines of the findings, remedies, and notes.
    ///
    /// Lines with `isSecondary` are dim.
    private func findings(width: Int) -> [(String, isSecondary: Bool)] {
        guard let report = scene.report else { return [] }
        let findings = report.findings.isEmpty ? [report.verdict] : report.findings
        let notes = report.notes.flatMap { note in
            TextWrapping.lines(of: "note: " + note, width: width - 2).map { ("  " + $0, true) }
        }
        return findings.flatMap { finding in
            let text = TextWrapping.lines(of: finding.text, width: width - 2)
            let remedy = TextWrapping.lines(of: finding.remedy ?? "", width: width - 4)
            return text.enumerated().map { index, line in
                ((index == 0 ? "* " : "  ") + line, false)
            } + remedy.map { ("    " + $0, true) }
        } + notes
    }

    private func drawFindings(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Findings", remark: "most important first")
            .draw(on: &canvas, in: rect)
        for (index, line) in findings(width: inner.width).prefix(inner.height).enumerated() {
            let style = canvas.theme.style(line.isSecondary ? .dim : .text)
            canvas.write(line.0, in: inner.row(index), style: style, alignment: .leading)
        }
    }

    private func drawEpisodes(on canvas: inout Canvas, in rect: Rect) {
        WatchEpisodeList.listing.draw(
            scene.history?.episodes ?? [],
            view: scene.view,
            in: Panel(title: "Episodes", subtitle: "locks held for a long time"),
            item: "episode",
            placeholder: "no episodes since watching started",
            on: &canvas,
            in: rect
        )
    }
}
