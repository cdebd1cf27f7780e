import Telemetry
import TerminalUI
import Text

/// The overview screen, which adapts its panels to the size of the terminal.
struct OverviewScreen: RunScreen {
    static let title = "Overview"
    static let help = "overview: the whole run at a glance"
    static let parts = ["connections", "pool", "waiting", "clients", "log", "snapshots", "events"]
    static let listsConnections = true

    static func canExpand(_ view: ListView) -> Bool { view.part != nil || view.selected != nil }

    let scene: ScreenScene

    var rowNames: [String] { scene.history.lanes.map(\.label) }

    func copyText(of row: String) -> String? { scene.history.text(ofConnection: row) }

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

    /// The selectable parts, in the order of ``RunScreen/parts``.
    private enum Part: Int {
        case connections
        case pool
        case waiting
        case clients
        case log
        case snapshots
        case events
    }

    private func mark(_ part: Part, on canvas: inout Canvas, in rect: Rect) {
        scene.markPart(part.rawValue, on: &canvas, in: rect)
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
        mark(part, on: &canvas, in: area)
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
            mark(.connections, on: &$0, in: $1)
        }
        draw(.pool) { drawDemand(pool, on: &$0, in: $1) }
        draw(.clients) {
            clients.draw(on: &$0, in: $1)
            mark(.clients, on: &$0, in: $1)
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
        mark(.pool, on: &canvas, in: columns[0])
        if widths[1] > 0 {
            waitingPanel.draw(on: &canvas, in: columns[1])
            mark(.waiting, on: &canvas, in: columns[1])
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
            mark(part, on: &canvas, in: column)
        }
    }
}

/// The panel with the open snapshots and the outcomes of interrupts.
struct SnapshotsPanel {
    let history: History

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let inner = Panel(title: "Snapshots and interrupts").draw(on: &canvas, in: rect)
        guard let database = history.displayedSample?.database, !inner.isEmpty else { return }
        let dim = theme.style(.dim)
        guard !history.isUnknown else {
            canvas.write("unknown", in: inner.row(0), style: dim, alignment: .leading)
            return
        }
        let isOpen = !database.snapshots.isEmpty
        let openText = HumanUnits.counted(database.snapshots.count, "snapshot", "snapshots")
        let createdText =
            "\(HumanUnits.count(database.snapshotsMade)) created"
            + (history.isOver ? "" : " so far")
        canvas.write(
            [
                Span("\(openText) open", isOpen ? theme.bold(.snapshot) : theme.style(.text)),
                Span(", \(createdText)", dim),
            ],
            x: inner.minX,
            y: inner.minY,
            limit: inner.width
        )
        // Reserve the two bottom rows for interrupts.
        let room = max(0, inner.height - 3)
        let shown = database.snapshots.count <= room ? database.snapshots.count : max(0, room - 1)
        for (index, snapshot) in database.snapshots.prefix(shown).enumerated() {
            let row = inner.row(index + 1)
            let age = "\(HumanUnits.duration(nanoseconds: snapshot.ageNanoseconds)) old"
            canvas.write(age, in: row, style: theme.style(.snapshot), alignment: .trailing)
            canvas.write(
                "  \(snapshot.origin?.name ?? snapshot.label)",
                x: row.minX,
                y: row.minY,
                style: theme.style(.text),
                limit: row.width - canvas.width(of: age) - 1
            )
        }
        if shown < database.snapshots.count, room > 0 {
            let text = "  and \(database.snapshots.count - shown) more"
            canvas.write(text, in: inner.row(shown + 1), style: dim, alignment: .leading)
        }
        guard inner.height >= 3 else { return }
        drawInterrupts(database.interrupts, on: &canvas, in: inner)
    }

    private func drawInterrupts(
        _ interrupts: InterruptStatus?,
        on canvas: inout Canvas,
        in inner: Rect
    ) {
        let theme = canvas.theme
        let dim = theme.style(.dim)
        guard let interrupts, interrupts.requested > 0 else {
            let text = interrupts == nil ? "interrupts unknown" : "no interrupts"
            canvas.write(text, x: inner.minX, y: inner.maxY - 1, style: dim)
            return
        }
        // The numbers of calls and statements differ: a call may find no statement, end several
        // statements, or arrive just before a statement ends.
        let effectiveCount =
            interrupts.requested - min(interrupts.requested, interrupts.withoutEffect)
        let calls = [
            Span("interrupts: ", theme.style(.text)),
            Span(HumanUnits.count(interrupts.requested), theme.bold(.text)),
            Span(interrupts.requested == 1 ? " call, " : " calls, ", dim),
            Span(HumanUnits.count(effectiveCount), theme.style(.text)),
        ]
        let longText = calls + [Span(" interrupted a statement", dim)]
        canvas.write(
            canvas.width(of: longText) <= inner.width
                ? longText : calls + [Span(" during SQL", dim)],
            x: inner.minX,
            y: inner.maxY - 2,
            limit: inner.width
        )
        var ended = [
            Span("  \(HumanUnits.count(interrupts.delivered))", theme.style(.text)),
            Span(interrupts.delivered == 1 ? " statement ended" : " statements ended", dim),
        ]
        if let latency = interrupts.latency {
            let latencyText = [
                Span(" within ", dim),
                Span(HumanUnits.duration(nanoseconds: latency.max), theme.style(.text)),
            ]
            if canvas.width(of: ended + latencyText) <= inner.width { ended += latencyText }
        }
        canvas.write(ended, x: inner.minX, y: inner.maxY - 1, limit: inner.width)
    }
}

/// The panel with the log's size over time and the reason that the log does not shrink.
struct WALPanel {
    let history: History
    let seconds: Double
    /// The key of the screen with details, if any.
    let detailsKey: String?

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let inner = Panel(title: "Write-ahead log", legend: hint(theme: theme))
            .draw(on: &canvas, in: rect)
        guard let database = history.displayedSample?.database, !inner.isEmpty else { return }
        guard !history.isUnknown, let wal = database.wal else {
            return drawText(
                history.logPlaceholder,
                style: theme.style(.dim),
                on: &canvas,
                in: inner
            )
        }
        let size = HumanUnits.bytes(wal.bytes)
        let room = inner.width - size.utf8.count - 2
        var frames = WALWords.frames(wal, width: room)
        if history.isOver {
            // After the run, the peak is more relevant than the last size.
            let peak = HumanUnits.bytes(history.peaks.walBytes)
            let texts = ["at the end, peak \(peak)", "at end; peak \(peak)"]
            frames = texts.first { $0.utf8.count <= room } ?? "at the end"
        }
        canvas.write(
            [Span(size, theme.bold(.text)), Span("  " + frames, theme.style(.dim))],
            x: inner.minX,
            y: inner.minY,
            limit: inner.width
        )
        let maximum = max(0, inner.height - 2)
        let state = WALWords.state(wal, width: inner.width, rows: min(maximum, 2))
        let needed = TextWrapping.lines(of: state.text, width: inner.width).count
        let lines = min(needed, maximum)
        let heights = [1, inner.height - 1 - lines, lines]
        let areas = inner.rows(heights)
        drawSizes(on: &canvas, in: areas[1])
        let style = theme.style(state.isPinned ? .warning : .ok)
        drawText(state.text, style: style, on: &canvas, in: areas[2])
    }

    private func hint(theme: Theme) -> [[Span]] {
        guard let detailsKey, let wal = history.displayedSample?.database.wal else { return [] }
        let isPinned = wal.pin != nil
        guard isPinned || history.isLogGrowing else { return [] }
        let purpose = isPinned ? " to see what pins it" : " to see why it grows"
        return [
            [
                Span("press ", theme.style(.dim)), Span(detailsKey, theme.bold(.accent)),
                Span(purpose, theme.style(.dim)),
            ]
        ]
    }

    private func drawSizes(on canvas: inout Canvas, in rect: Rect) {
        let moments = history.moments
        let bins = TimeBins(
            history,
            seconds: seconds,
            count: Sparkline.points(in: rect.width, glyphs: canvas.glyphs)
        )
        let values = bins.values(.mean) { moments[$0].walBytes }
        let maximum = values.reduce(0) { $1.isFinite ? max($0, $1) : $0 }
        Sparkline(values: values, maximum: maximum, gradient: .wal).draw(on: &canvas, in: rect)
    }

    private func drawText(_ text: String, style: Style, on canvas: inout Canvas, in rect: Rect) {
        let lines = TextWrapping.lines(of: text, width: rect.width)
        for (index, line) in lines.prefix(rect.height).enumerated() {
            let isTruncated = index == rect.height - 1 && lines.count > rect.height
            // Append the next line so that the text is truncated with an ellipsis.
            let whole = isTruncated ? line + " " + lines[index + 1] : line
            canvas.write(whole, in: rect.row(index), style: style, alignment: .leading)
        }
    }
}

struct EventsPanel {
    let history: History

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Events", remark: "newest first").draw(on: &canvas, in: rect)
        ticker(theme: canvas.theme, count: inner.height).draw(on: &canvas, in: inner)
    }

    /// Draws only the newest event.
    func drawNewest(on canvas: inout Canvas, in row: Rect) {
        ticker(theme: canvas.theme, count: 1).draw(on: &canvas, in: row)
    }

    private func ticker(theme: Theme, count: Int) -> Ticker {
        let lines = history.newestEvents(count).map { event in
            let (glyph, role): (String, Role) =
                switch event.severity {
                case .info: ("·", .accent)
                case .warning: ("▲", .warning)
                case .error: ("✖", .error)
                }
            return Ticker.Line(
                time: HumanUnits.seconds(event.time),
                mark: Span(glyph, theme.style(role)),
                message: event.message
            )
        }
        return Ticker(lines: lines, placeholder: "no events yet")
    }
}

struct TooSmallScreen {
    /// The minimum size of the overview.
    static let minimumSize = Size(width: 40, height: 10)

    /// Draws the longest message that fits.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty else { return }
        let needed = Self.minimumSize
        let size = "\(needed.width)x\(needed.height)"
        let texts = [
            "Poolgauge needs \(size) cells; this terminal has \(rect.width)x\(rect.height).",
            "needs \(size), has \(rect.width)x\(rect.height)",
            "needs \(size)",
            size,
        ]
        for text in texts {
            let lines = TextWrapping.lines(of: text, width: rect.width)
            let fitsWidth = lines.allSatisfy { $0.utf8.count <= rect.width }
            guard fitsWidth, lines.count <= rect.height else { continue }
            let top = (rect.height - lines.count) / 2
            for (index, line) in lines.enumerated() {
                let row = rect.row(top + index)
                canvas.write(line, in: row, style: canvas.theme.style(.text), alignment: .center)
            }
            return
        }
    }
}

/// The verdict below the header, as a mark and a sentence.
struct VerdictLine {
    let verdict: Verdict

    /// Returns the height of the verdict: two rows on a narrow, tall screen, and one row otherwise.
    ///
    /// The height does not depend on the verdict, so the rows below do not move when the verdict
    /// changes.
    static func track(in size: Size) -> Track {
        Track.fixed(size.width < 110 && size.height >= 25 ? 2 : 1, priority: 99)
    }

    /// Draws the mark and as much of the sentence as fits.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let (glyph, role) = verdict.level.mark
        let style = canvas.theme.bold(role)
        canvas.write(glyph, x: rect.minX + 1, y: rect.minY, style: style)
        let room = rect.width - 4
        let isASCII = canvas.glyphs == .ascii
        let text = verdict.text(
            fitting: room * rect.height - (rect.height > 1 ? 8 : 0),
            isASCII: isASCII
        )
        let lines = rect.height == 1 ? [text] : TextWrapping.lines(of: text, width: room)
        for (index, line) in lines.prefix(rect.height).enumerated() {
            canvas.write(line, x: rect.minX + 3, y: rect.minY + index, style: style, limit: room)
        }
    }
}
