import Dashboard
import Findings
import PoolgaugeAgent
import Recording
import SQLiteWatch
import Telemetry
import TerminalUI

/// The dashboard model for the kind of a recording.
enum ReplayModel {
    case run(DashboardModel)
    case watch(WatchDashboard)

    enum Action {
        case quit
        case copy(String)
        /// An action that is available only in a live run.
        case refused
    }

    var refreshRate: Double {
        switch self {
        case .run(let model): model.refreshRate
        case .watch(let model): model.refreshRate
        }
    }

    var isFrozen: Bool {
        switch self {
        case .run(let model): model.isPaused
        case .watch(let model): model.isPaused
        }
    }

    var hasOverlay: Bool {
        switch self {
        case .run(let model): model.hasOverlay
        case .watch(let model): model.hasOverlay
        }
    }

    var theme: Theme {
        switch self {
        case .run(let model): model.theme
        case .watch(let model): model.theme
        }
    }

    var glyphs: GlyphSet {
        switch self {
        case .run(let model): model.glyphs
        case .watch(let model): model.glyphs
        }
    }

    func render(size: Size) -> Surface {
        switch self {
        case .run(let model): model.render(size: size)
        case .watch(let model): model.render(size: size)
        }
    }

    mutating func setDisplayCost(_ share: Double?) {
        if case .run(var model) = self {
            model.displayCPUShare = share
            self = .run(model)
        }
    }

    mutating func handle(_ event: InputEvent) -> [Action] {
        switch self {
        case .run(var model):
            let actions = model.handle(event)
            if actions.contains(where: Self.isRefused) { model.discardRequestedSettings() }
            self = .run(model)
            return actions.compactMap { action in
                switch action {
                case .quit: .quit
                case .copy(let text): .copy(text)
                case .setRefreshRate: nil
                default: .refused
                }
            }
        case .watch(var model):
            let actions = model.handle(event)
            self = .watch(model)
            return actions.map { action in
                switch action {
                case .quit: .quit
                case .copy(let text): .copy(text)
                case .toggleRecording: .refused
                }
            }
        }
    }

    private static func isRefused(_ action: DashboardAction) -> Bool {
        switch action {
        case .quit, .copy, .setRefreshRate: false
        default: true
        }
    }

    /// Adds samples after the displayed samples.
    ///
    /// The newest displayed sample is `last`.
    mutating func append(
        _ entries: [ReplayWindow.Entry],
        after last: ReplayWindow.Entry?,
        of contents: RecordingContents
    ) {
        switch self {
        case .run(var model):
            for sample in Self.samples(entries, after: last, contents) { model.ingest(sample) }
            self = .run(model)
        case .watch(var model):
            model.ingest(Self.reports(entries))
            self = .watch(model)
        }
    }

    /// Replaces the displayed samples.
    mutating func replace(by entries: [ReplayWindow.Entry], of contents: RecordingContents) {
        switch self {
        case .run(var model):
            model.show(Self.samples(entries, contents))
            self = .run(model)
        case .watch(var model):
            let start = WatchTime(milliseconds: contents.start ?? 0)
            model.show(Self.reports(entries), start: start)
            self = .watch(model)
        }
    }

    private static func samples(
        _ entries: [ReplayWindow.Entry],
        after last: ReplayWindow.Entry? = nil,
        _ contents: RecordingContents
    ) -> [Sample] {
        var previous: AgentStatus?
        if case .agent(let status)? = last?.value { previous = status }
        return entries.compactMap { entry in
            switch entry.value {
            case .run(let sample): return sample
            case .agent(let status):
                defer { previous = status }
                let row = contents.rows[entry.index]
                return Sample(
                    status,
                    since: previous?.process == status.process ? previous : nil,
                    sequence: entry.index,
                    time: Double(row.time - (contents.start ?? row.time)) / 1000
                )
            case .watch: return nil
            }
        }
    }

    /// Returns the reports among the entries.
    private static func reports(_ entries: [ReplayWindow.Entry]) -> [WatchReport] {
        entries.compactMap { entry in
            if case .watch(let report) = entry.value { report } else { nil }
        }
    }
}
