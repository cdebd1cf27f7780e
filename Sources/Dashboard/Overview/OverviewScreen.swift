import Telemetry
import TerminalUI

/// The overview screen, which adapts its panels to the size of the terminal.
struct OverviewScreen {
    let scene: ScreenScene

    private var history: History { scene.history }
    private var seconds: Double { scene.seconds }

    private enum Row: Int, CaseIterable {
        case verdict
        case connections
        case pool
        case clients
        case details
        case summary
        case events
    }

    /// The selectable parts, in the order of ``DashboardScreen/parts``.
    private enum Part: Int {
        case connections
        case pool
        case waiting
        case clients
        case log
        case snapshots
        case events
    }

    private func mark(_ part: Part, on canvas: inout Canvas, _ rect: Rect) {
        scene.markPart(part.rawValue, on: &canvas, rect)
    }

    private func draw(_ part: Part, on canvas: inout Canvas, in rect: Rect) {
        let verdict = VerdictLine(verdict: Verdict(history))
        let headerHeight = min(1, rect.height)
        let areas = rect.rows([headerHeight, rect.height - headerHeight])
        verdict.draw(on: &canvas, in: areas[0])
        let area = areas[1]
        switch part {
        case .connections:
            ConnectionsPanel(history: history, seconds: seconds, selected: scene.view.selected)
                .draw(on: &canvas, in: area)
        case .pool: PoolPanel(history: history, seconds: seconds).draw(on: &canvas, in: area)
        case .waiting: waitingPanel.draw(on: &canvas, in: area)
        case .clients:
            clients(isCompact: false).draw(on: &canvas, in: area)
        case .log: logPanel.draw(on: &canvas, in: area)
        case .snapshots: SnapshotsPanel(history: history).draw(on: &canvas, in: area)
        case .events: EventsPanel(history: history).draw(on: &canvas, in: area)
        }
        mark(part, on: &canvas, area)
    }

    private var logPanel: WALPanel {
        WALPanel(
            history: history,
            seconds: seconds,
            detailsKey: scene.keys.label(of: .snapshots)
        )
    }

    private var waitingPanel: WaitingPanel {
        WaitingPanel(history: history, seconds: seconds, detailsKey: scene.keys.label(of: .waiters))
    }

    private func clients(isCompact: Bool) -> ClientsPanel {
        ClientsPanel(
            history: history,
            seconds: seconds,
            isCompact: isCompact,
            detailsKey: scene.keys.label(of: .latency)
        )
    }

    /// The minimum height at which all panels have borders.
    private static let minimumBorderedHeight = 27

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if history.displayedSample == nil {
            drawBeforeFirstSample(on: &canvas, in: rect)
        } else if let part = scene.expandedPart.flatMap(Part.init) {
            draw(part, on: &canvas, in: rect)
        } else {
            drawPanels(on: &canvas, in: rect)
        }
    }

    private func drawBeforeFirstSample(on canvas: inout Canvas, in rect: Rect) {
        let text =
            "Building the dataset and opening the database. Each connection will then have a lane "
            + "here that shows its holder and the waiters."
        let lines = TextWrapping.lines(of: text, width: min(rect.width - 4, 60))
        let top = max(0, (rect.height - lines.count) / 2)
        for (index, line) in lines.enumerated() where top + index < rect.height {
            let style = canvas.theme.style(index == 0 ? .text : .dim)
            canvas.write(line, in: rect.row(top + index), style: style, alignment: .center)
        }
    }

    private func drawPanels(on canvas: inout Canvas, in rect: Rect) {
        let verdict = VerdictLine(verdict: Verdict(history))
        let isShort = rect.height < Self.minimumBorderedHeight
        let connections = ConnectionsPanel(
            history: history,
            seconds: seconds,
            selected: scene.view.selected
        )
        let pool = PoolPanel(history: history, seconds: seconds)
        let clients = clients(isCompact: isShort)
        var tracks = Row.allCases.map { row in
            switch row {
            case .verdict: VerdictLine.track(in: rect.size)
            case .connections: connections.track(isShort: isShort)
            case .pool: pool.track(isShort: isShort)
            case .clients: clients.track
            case .details:
                Track(minimum: 6, ideal: 7, maximum: 12, priority: 50, flex: 1)
            case .summary, .events: Track.fixed(0, priority: 0)
            }
        }
        var heights = Track.lengths(of: tracks, available: rect.height)
        if isShort || heights[Row.details.rawValue] == 0 {
            // Two rows summarize the detail panels if they do not fit.
            tracks[Row.details.rawValue] = Track.fixed(0, priority: 0)
            tracks[Row.summary.rawValue] = Track.fixed(1, priority: 85)
            tracks[Row.events.rawValue] = Track.fixed(1, priority: 60)
            heights = Track.lengths(of: tracks, available: rect.height)
        }
        let rows = rect.rows(heights)
        func area(_ row: Row) -> Rect { rows[row.rawValue] }
        func draw(_ row: Row, _ body: (inout Canvas, Rect) -> Void) {
            canvas.clipped(to: area(row)) { body(&$0, area(row)) }
        }
        draw(.verdict) { verdict.draw(on: &$0, in: $1) }
        draw(.connections) {
            connections.draw(on: &$0, in: $1)
            mark(.connections, on: &$0, $1)
        }
        draw(.pool) { drawDemand(pool, on: &$0, in: $1) }
        draw(.clients) {
            clients.draw(on: &$0, in: $1)
            mark(.clients, on: &$0, $1)
        }
        draw(.details) { drawDetails(on: &$0, in: $1) }
        draw(.summary) {
            guard history.cursor == nil else {
                MomentPanels(history: history).drawLine(on: &$0, in: $1.inset(horizontal: 2))
                return
            }
            SummaryLine(history: history, detailsKey: scene.keys.label(of: .snapshots)).draw(
                on: &$0,
                in: $1.inset(horizontal: 2)
            )
        }
        draw(.events) {
            EventsPanel(history: history).drawNewest(on: &$0, in: $1.inset(horizontal: 2))
        }
    }

    /// Draws the chart and, if they fit, the waiters next to it.
    private func drawDemand(_ pool: PoolPanel, on canvas: inout Canvas, in rect: Rect) {
        let chart = Track(minimum: 34, ideal: 44, maximum: .max, priority: 9, flex: 1)
        let widths = Track.lengths(of: [chart, WaitingPanel.track], available: rect.width)
        let columns = rect.columns(widths)
        pool.draw(on: &canvas, in: columns[0])
        mark(.pool, on: &canvas, columns[0])
        if widths[1] > 0 {
            waitingPanel.draw(on: &canvas, in: columns[1])
            mark(.waiting, on: &canvas, columns[1])
        }
    }

    private func drawDetails(on canvas: inout Canvas, in rect: Rect) {
        guard history.cursor == nil else {
            MomentPanels(history: history).draw(on: &canvas, in: rect)
            return
        }
        let tracks = [
            Track(minimum: 26, ideal: 34, maximum: 60, priority: 9, flex: 1),
            Track(minimum: 30, ideal: 36, maximum: 50, priority: 8, flex: 1),
            Track(minimum: 24, ideal: 40, maximum: .max, priority: 7, flex: 3),
        ]
        let columns = rect.columns(Track.lengths(of: tracks, available: rect.width))
        logPanel.draw(on: &canvas, in: columns[0])
        SnapshotsPanel(history: history).draw(on: &canvas, in: columns[1])
        EventsPanel(history: history).draw(on: &canvas, in: columns[2])
        for (part, column) in zip([Part.log, .snapshots, .events], columns) {
            mark(part, on: &canvas, column)
        }
    }
}
