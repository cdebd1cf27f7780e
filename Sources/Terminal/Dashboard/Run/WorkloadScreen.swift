import Telemetry
import TerminalUI

/// The screen with the load's settings: current values, requested values, and measurements.
struct WorkloadScreen: RunScreen {
    static let title = "Workload"
    static let help = "workload: settings of the load"
    static let parts = ["settings", "clients", "pool"]
    static let highlightsFirstRow = true

    let scene: ScreenScene

    var rowNames: [String] { settings.map(\.name) }

    private var requestedSettings: [String: Double] { scene.requestedSettings }
    private var keys: DashboardKeys { scene.keys }

    private var settings: [SettingRow] { scene.history.displayedSample.map(SettingRow.all) ?? [] }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let settings = settings
        let table = Track(
            minimum: min(max(settings.count, 2) + 3, 9),
            ideal: max(settings.count, 2) + 3,
            maximum: max(settings.count, 2) + 3,
            priority: 99,
            flex: 1
        )
        let effect = Track(minimum: 6, ideal: 9, priority: 7, flex: 2)
        let clients = ClientsPanel(
            history: scene.history,
            seconds: scene.seconds,
            isCompact: false,
            detailsKey: keys.label(of: .latency)
        )
        var areas = rect.rows(
            Track.lengths(of: [table, clients.track, effect], available: rect.height)
        )
        if let part = scene.expandedPart {
            let emptyArea = Rect(x: rect.minX, y: rect.minY, width: 0, height: 0)
            areas = areas.indices.map { $0 == part ? rect : emptyArea }
        }
        drawTable(settings, on: &canvas, in: areas[0])
        if areas[1].height >= 4 { clients.draw(on: &canvas, in: areas[1]) }
        if areas[2].height >= 4 {
            PoolPanel(history: scene.history, seconds: scene.seconds)
                .draw(on: &canvas, in: areas[2])
        }
        for (part, area) in areas.enumerated() { scene.markPart(part, on: &canvas, in: area) }
    }

    private func drawTable(_ settings: [SettingRow], on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let dim = theme.style(.dim)
        let inner = Panel(
            title: "Workload",
            subtitle: "settings of the load",
            remark: scene.history.displayedSample?.scenario ?? "",
            legend: [[Span(hint, dim)]]
        ).draw(on: &canvas, in: rect)
        guard scene.history.displayedSample?.settings != nil || !settings.isEmpty else {
            let text = "this run has no settings"
            canvas.write(text, in: inner.row(0), style: dim, alignment: .leading)
            return
        }
        var table = Table(columns: columns, rows: settings.map { row($0, theme: theme) })
        table.names = settings.map(\.name)
        table.selected = scene.view.selected ?? settings.first?.name
        table.draw(on: &canvas, in: inner)
    }

    private var hint: String {
        // A replay has no keys that control a run.
        guard keys.bindings.contains(where: { $0.command.controlsRun }) else {
            return "arrows select a setting"
        }
        let raiseKey = keys.key(for: .zoomIn)?.label ?? "+"
        let lowerKey = keys.key(for: .zoomOut)?.label ?? "-"
        let pauseHint = keys.key(for: .pauseLoad).map { "; \($0.label) pauses the load" } ?? ""
        return "arrows select; \(raiseKey) or right raises, \(lowerKey) or left lowers\(pauseHint)"
    }

    private var isOver: Bool { scene.history.isOver }

    private var columns: [Table.Column] {
        [
            Table.Column(
                title: "setting",
                track: Track(minimum: 16, ideal: 22, maximum: 30, priority: 20, flex: 1)
            ),
            Table.Column(title: "set to", alignment: .trailing, track: .fixed(11, priority: 19)),
            Table.Column(title: "requested", alignment: .trailing, track: .fixed(10, priority: 15)),
            Table.Column(
                title: isOver ? "at the end" : "measured now",
                track: Track(minimum: 14, ideal: 22, maximum: 30, priority: 17, flex: 0)
            ),
            Table.Column(
                title: "effect",
                track: Track(minimum: 20, ideal: 44, maximum: .max, priority: 5, flex: 1)
            ),
        ]
    }

    private func row(_ setting: SettingRow, theme: Theme) -> [Span] {
        let requested = requestedSettings[setting.name].flatMap { $0 == setting.value ? nil : $0 }
        return [
            Span(setting.name, theme.bold(.text)),
            Span(setting.text(setting.value), theme.bold(.accent)),
            requested.map { Span(setting.text($0), theme.bold(.warning)) }
                ?? Span("–", theme.style(.dim)),
            setting.actual.map { Span($0, theme.style(.text)) } ?? Span("–", theme.style(.dim)),
            Span(setting.meaning, theme.style(.dim)),
        ]
    }
}
