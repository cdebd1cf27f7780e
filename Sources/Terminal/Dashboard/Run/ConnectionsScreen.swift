import Telemetry
import TerminalUI
import Text

/// The screen with a table of all connections and details of the selected connection.
struct ConnectionsScreen: RunScreen {
    static let title = "Connections"
    static let help = "connections: holder, SQL, counts"
    static let parts = ["table", "time", "details", "pool"]
    static var sortableTitles: [String] { ConnectionList.listing.sortableTitles }
    static let listsConnections = true

    static func canExpand(_ view: ListView) -> Bool { true }

    let scene: ScreenScene

    var rowNames: [String] { lanes.map(\.label) }

    func copyText(of row: String) -> String? { scene.history.text(ofConnection: row) }

    var lanes: [Lane] { ConnectionList.listing.arranged(scene.history.lanes, view: scene.view) }

    /// The selected connection or, by default, the connection that has been held longest.
    private var selected: Lane? {
        lanes.first { $0.label == scene.view.selected }
            ?? lanes.max { ($0.status?.heldNanoseconds ?? 0) < ($1.status?.heldNanoseconds ?? 0) }
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let lanes = lanes
        if let part = scene.expandedPart {
            draw(part, lanes: lanes, on: &canvas, in: rect)
            return
        }
        let isExpanded = scene.view.isExpanded
        let isTall = rect.height >= 18
        let table = Track(
            minimum: min(max(lanes.count, 3), 11) + 3,
            ideal: lanes.count + 3,
            maximum: isTall || isExpanded ? lanes.count + 3 : .max,
            priority: 9,
            flex: 2
        )
        let hiddenTrack = Track.fixed(0, priority: 0)
        let strips = Track(
            minimum: 4,
            ideal: lanes.count + 2,
            maximum: lanes.count + 2,
            priority: 3
        )
        let details = Track(
            minimum: 5,
            ideal: isExpanded ? rect.height / 2 : 5,
            maximum: isExpanded ? .max : 9,
            priority: 5
        )
        let pool = Track(minimum: 7, ideal: 9, priority: 1, flex: 3)
        let shown = [
            table,
            isTall && !isExpanded ? strips : hiddenTrack,
            isTall || isExpanded ? details : hiddenTrack,
            isTall && !isExpanded ? pool : hiddenTrack,
        ]
        let areas = rect.rows(Track.lengths(of: shown, available: rect.height))
        for (part, area) in areas.enumerated() { draw(part, lanes: lanes, on: &canvas, in: area) }
    }

    /// Draws the part whose index in ``RunScreen/parts`` is `part`.
    private func draw(_ part: Int, lanes: [Lane], on canvas: inout Canvas, in rect: Rect) {
        switch part {
        case 0: drawTable(on: &canvas, in: rect)
        case 1: drawStrips(lanes, on: &canvas, in: rect)
        case 2: drawDetails(on: &canvas, in: rect)
        default:
            guard rect.height >= 5 else { return }
            PoolPanel(history: scene.history, seconds: scene.seconds).draw(on: &canvas, in: rect)
        }
        scene.markPart(part, on: &canvas, in: rect)
    }

    private func drawStrips(_ lanes: [Lane], on canvas: inout Canvas, in rect: Rect) {
        guard rect.height >= 3 else { return }
        let inner = Panel(
            title: "Over time",
            remark: "last \(HumanUnits.secondsLabel(scene.seconds))",
            legend: LaneState.legend(theme: canvas.theme, glyphs: canvas.glyphs)
        ).draw(on: &canvas, in: rect)
        let strip = Rect(
            x: inner.minX + 13,
            y: inner.minY,
            width: inner.width - 13,
            height: min(inner.height, lanes.count)
        )
        let bins = TimeBins(scene.history, seconds: scene.seconds, count: strip.width)
        for (index, lane) in lanes.prefix(inner.height).enumerated() {
            let row = inner.row(index)
            let style = canvas.theme.style(lane.role.colorRole)
            canvas.write(lane.shortLabel, x: row.minX, y: row.minY, style: style, limit: 12)
            LaneStrip(
                marks: LaneState.marks,
                cells: bins.states(of: lane, in: scene.history.moments)
            ).draw(on: &canvas, in: strip.row(index))
        }
        scene.markTime(on: &canvas, in: strip)
    }

    private func drawTable(on canvas: inout Canvas, in rect: Rect) {
        let lanes = scene.history.lanes
        ConnectionList.listing.draw(
            lanes,
            view: scene.view,
            in: Panel(
                title: "Connections",
                subtitle: scene.history.isOver
                    ? "the run has ended: last known holder and SQL"
                    : "busy: SQLITE_BUSY conflicts",
                remark: remark(lanes.count)
            ),
            item: "connection",
            placeholder: scene.history.connectionsPlaceholder,
            on: &canvas,
            in: rect
        )
    }

    /// Returns the totals, such as `5 connections; 24 interrupts ended 9 statements`.
    private func remark(_ connections: Int) -> String {
        guard connections > 0 || !scene.history.hidesConnections else { return "" }
        let count = HumanUnits.counted(connections, "connection", "connections")
        guard let interrupts = scene.history.displayedSample?.database.interrupts,
            interrupts.requested > 0
        else { return count }
        let calls = interrupts.requested
        let ended = interrupts.delivered
        return count + "; \(HumanUnits.count(calls)) \(calls == 1 ? "interrupt" : "interrupts") "
            + "ended \(HumanUnits.count(ended)) \(ended == 1 ? "statement" : "statements")"
    }

    private func drawDetails(on canvas: inout Canvas, in rect: Rect) {
        guard rect.height >= 3 else { return }
        guard let lane = selected else { return }
        let isChosen = lane.label == scene.view.selected
        let inner = Panel(
            title: lane.label,
            subtitle: isChosen ? "" : "held the longest",
            remark: isChosen ? "" : "use arrow keys or click to see another"
        ).draw(on: &canvas, in: rect)
        guard inner.height > 0 else { return }
        var x = inner.minX
        for fact in facts(of: lane, theme: canvas.theme) {
            // Omit a fact that does not fit completely.
            guard x + canvas.width(of: fact) <= inner.maxX else { break }
            x += canvas.write(fact, x: x, y: inner.minY)
        }
        let sql = lane.displayedStatus?.sql ?? (lane.state == .absent ? "closed" : "no statement")
        let style = canvas.theme.style(lane.status?.sql == nil ? .dim : .text)
        let lines = TextWrapping.lines(of: sql, width: inner.width)
        let room = max(0, inner.height - 1)
        for (index, line) in lines.prefix(room).enumerated() {
            let isTruncated = index == room - 1 && lines.count > room
            let text = isTruncated ? line + " …" : line
            canvas.write(text, in: inner.row(index + 1), style: style, alignment: .leading)
        }
    }

    /// Returns facts about a connection, most important first.
    private func facts(of lane: Lane, theme: Theme) -> [[Span]] {
        let dim = theme.style(.dim)
        let text = theme.bold(.text)
        var facts = [[Span(lane.state.label, theme.bold(lane.state.mark.role))]]
        func add(_ name: String, _ value: String) {
            facts.append([Span("  \(name) ", dim), Span(value, text)])
        }
        guard let status = lane.status else { return facts }
        if lane.hasRunEnded, let last = lane.lastHeldStatus?.holder {
            add("last known holder", last.name)
        }
        if let holder = status.holder { add("held by", holder.name) }
        if let held = status.heldNanoseconds { add("for", HumanUnits.duration(nanoseconds: held)) }
        if let sql = status.sqlNanoseconds, sql > 0 {
            add("running for", HumanUnits.duration(nanoseconds: sql))
        }
        if let transaction = status.transaction { add("transaction", transaction.rawValue) }
        add("accesses", HumanUnits.count(status.accessCount))
        add("busy", HumanUnits.count(status.busyCount))
        if let time = status.busyWaitNanoseconds, time > 0 {
            add("waited for locks", HumanUnits.duration(nanoseconds: time))
        }
        if let interrupts = status.interruptCount {
            add("interrupted", HumanUnits.count(interrupts))
        }
        return facts
    }
}

enum ConnectionList {
    static let listing = Listing<Lane>(
        columns: [
            Listing.Column(
                "connection",
                Track(minimum: 10, ideal: 12, maximum: 16, priority: 20, flex: 0)
            ) { lane, theme in
                Span(lane.shortLabel, theme.style(lane.role.colorRole))
            },
            Listing.Column("role", .fixed(8, priority: 3), rank: { .text($0.role.rawValue) }) {
                Span($0.role.rawValue, $1.style(.dim))
            },
            Listing.Column("state", .fixed(13, priority: 18), rank: { .text($0.state.label) }) {
                Span($0.state.label, $1.style($0.state == .idle ? .dim : $0.state.mark.role))
            },
            Listing.Column(
                "holder",
                Track(minimum: 6, ideal: 10, maximum: 24, priority: 17, flex: 1),
                rank: { .text($0.displayedStatus?.holder?.name ?? "") }
            ) {
                Span(
                    $0.displayedStatus?.holder?.name ?? "",
                    $0.hasRunEnded ? $1.style(.dim) : $1.bold(.text)
                )
            },
            .number(
                "held",
                width: HumanUnits.durationWidth,
                priority: 16,
                { Double($0.status?.heldNanoseconds ?? 0) }
            ) { lane, theme in
                let held = lane.status?.heldNanoseconds
                return Span(
                    held.map(HumanUnits.duration) ?? "",
                    held ?? 0 >= 1_000_000_000 ? theme.bold(.warning) : theme.style(.text)
                )
            },
            count("accesses", width: 9, priority: 12) { $0.accessCount },
            count("busy", width: 6, priority: 10) { $0.busyCount },
            .number(
                "busy for",
                width: 8,
                priority: 9,
                { Double($0.status?.busyWaitNanoseconds ?? 0) }
            ) {
                lane,
                theme in
                let time = lane.status?.busyWaitNanoseconds ?? 0
                return Span(
                    time == 0 ? "–" : HumanUnits.duration(nanoseconds: time),
                    theme.style(time == 0 ? .dim : .warning)
                )
            },
            count("interrupted", width: 11, priority: 8) { $0.interruptCount },
            Listing.Column(
                "SQL",
                Track(minimum: 20, ideal: 30, maximum: .max, priority: 14, flex: 6),
                rank: { .text($0.displayedStatus?.sql ?? "") }
            ) {
                Span($0.displayedStatus?.sql ?? "", $1.style($0.hasRunEnded ? .dim : .text))
            },
        ],
        name: \.label
    )

    private static func count(
        _ title: String,
        width: Int,
        priority: Int,
        _ value: @escaping @Sendable (ConnectionStatus) -> UInt64?
    ) -> Listing<Lane>.Column {
        Listing.Column(
            title,
            .fixed(width, priority: priority),
            alignment: .trailing,
            rank: { .number(Double($0.status.flatMap(value) ?? 0)) },
            cell: { lane, theme in
                guard let number = lane.status.map(value) ?? 0 else {
                    return Span("–", theme.style(.dim))
                }
                return Span(HumanUnits.count(number), theme.style(number == 0 ? .dim : .text))
            }
        )
    }
}

extension History {
    /// Returns the SQL of a connection, or its label if no statement runs.
    func text(ofConnection label: String) -> String? {
        displayedSample?.database.connections.first { $0.label == label }.map { $0.sql ?? $0.label }
    }
}
