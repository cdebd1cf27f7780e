import Telemetry
import TerminalUI
import Text

/// The screen with the current queue, the blockers, and the queue's length over time.
struct WaitersScreen: RunScreen {
    static let title = "Waiters"
    static let help = "waiters: the queue and its blockers"
    static let parts = ["time", "queue", "blockers"]
    static var sortableTitles: [String] { WaiterList.listing.sortableTitles }

    let scene: ScreenScene

    var rowNames: [String] { waiting.map(\.name) }

    func copyText(of row: String) -> String? {
        scene.history.displayedSample.flatMap { sample in
            WaitingAccess.all(in: sample.database).first { $0.name == row }?.status.origin.name
        }
    }

    var waiting: [WaitingAccess] {
        WaiterList.listing.arranged(allWaiting, view: scene.view)
    }

    private var allWaiting: [WaitingAccess] {
        WaitingAccess.all(in: scene.history)
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        switch scene.expandedPart {
        case 0:
            drawChart(on: &canvas, in: rect)
            return scene.markPart(0, on: &canvas, in: rect)
        case 1:
            drawQueue(on: &canvas, in: rect)
            return scene.markPart(1, on: &canvas, in: rect)
        case 2:
            drawBlockers(on: &canvas, in: rect)
            return scene.markPart(2, on: &canvas, in: rect)
        default: break
        }
        let chart = Track(
            minimum: 5,
            ideal: rect.height / 3,
            maximum: 14,
            priority: 1,
            flex: 0
        )
        // Stacked lists need twice as many rows.
        let isNarrow = rect.width < 72
        let lists = Track(minimum: isNarrow ? 12 : 8, ideal: 14, priority: 9, flex: 1)
        let areas = rect.rows(Track.lengths(of: [chart, lists], available: rect.height))
        drawChart(on: &canvas, in: areas[0])
        scene.markPart(0, on: &canvas, in: areas[0])
        let columns = areas[1].columns(
            Track.lengths(
                of: [
                    Track(minimum: 34, ideal: 40, maximum: 70, priority: 9, flex: 1),
                    Track(minimum: 38, ideal: 60, priority: 8, flex: 2),
                ],
                available: rect.width
            )
        )
        let half = areas[1].height / 2
        let sides =
            columns[1].width > 0 ? columns : areas[1].rows([half, areas[1].height - half])
        drawQueue(on: &canvas, in: sides[0])
        drawBlockers(on: &canvas, in: sides[1])
        scene.markPart(1, on: &canvas, in: sides[0])
        scene.markPart(2, on: &canvas, in: sides[1])
    }

    private func drawChart(on canvas: inout Canvas, in rect: Rect) {
        guard rect.height >= 4 else { return }
        let theme = canvas.theme
        let moments = scene.history.moments
        let dim = theme.style(.dim)
        let isBraille = canvas.glyphs == .braille
        let solid = isBraille ? "⣿" : canvas.glyphs == .block ? "█" : "#"
        let shaded = isBraille ? "⢕" : canvas.glyphs == .block ? "▒" : ":"
        let legend: [[Span]] = [
            [Span(solid, theme.style(.waiting, at: 0)), Span(" reads", dim)],
            [Span(shaded, theme.style(.error)), Span(" writes", dim)],
        ]
        let inner = Panel(
            title: "Waiting over time",
            subtitle: "accesses",
            remark: chartRemark,
            legend: legend
        ).draw(on: &canvas, in: rect)
        let bins = TimeBins(
            scene.history,
            seconds: scene.seconds,
            count: TimeChart.points(in: inner.width, glyphs: canvas.glyphs)
        )
        let readers = bins.values(.maximum) { moments[$0].waitingReaders }
        let writers = bins.values(.maximum) { moments[$0].waitingWriters }
        var peak = 1.0
        for index in readers.indices where readers[index].isFinite {
            peak = max(peak, readers[index] + writers[index])
        }
        let top = TimeChart.niceMaximum(above: peak)
        TimeChart(
            layers: [
                .init(values: readers, gradient: .waiting, range: 0...top),
                .init(values: writers, gradient: .load, range: -top...0, isShaded: true),
            ],
            maximum: top,
            seconds: scene.seconds,
            end: scene.history.endLabel(scene.seconds)
        ).draw(on: &canvas, in: inner)
        scene.markTime(on: &canvas, in: TimeChart.plot(in: inner))
    }

    private var chartRemark: String {
        guard
            let first = allWaiting.max(by: {
                $0.status.waitedNanoseconds < $1.status.waitedNanoseconds
            })
        else {
            let peaks = scene.history.peaks.accesses
            let reads = HumanUnits.counted(peaks.waitingReaders, "read", "reads")
            let writes = HumanUnits.counted(peaks.waitingWriters, "write", "writes")
            return scene.history.isOver
                ? "the run has ended; at most \(reads) and \(writes) \(peaks.waitingVerb)"
                : scene.history.hidesWaits ? "unknown" : "no waiters"
        }
        let age = HumanUnits.duration(nanoseconds: first.status.waitedNanoseconds)
        let start = HumanUnits.seconds(scene.history.start(of: first.status))
        return
            "\(allWaiting.count) waiting, oldest \(first.status.origin.name) \(age), "
            + "started at \(start)"
    }

    private func drawQueue(on canvas: inout Canvas, in rect: Rect) {
        let waiting = waiting
        let hidden = scene.view.remark(shown: waiting.count, of: allWaiting.count)
        let inner = Panel(title: "The queue", remark: hidden.isEmpty ? "oldest first" : hidden)
            .draw(on: &canvas, in: rect)
        let times = scene.history.displayedSample.map { AccessTimesTable(database: $0.database) }
        let timeRows = inner.height >= 14 ? (times?.summaries.count ?? 0) + 2 : 0
        let areas = inner.rows([inner.height - timeRows, timeRows])
        if timeRows > 2, let times {
            canvas.write(
                "since the database was opened",
                in: areas[1].row(0),
                style: canvas.theme.style(.dim),
                alignment: .leading
            )
            times.draw(on: &canvas, rows: (1..<timeRows).map { areas[1].row($0) })
        }
        if allWaiting.isEmpty, scene.history.isOver {
            drawEnd(on: &canvas, in: areas[0])
            return
        }
        guard !waiting.isEmpty else {
            let isUnknown = scene.history.hidesWaits
            let placeholder = isUnknown ? "unknown: the program reports no waits" : "no waiters now"
            let text = allWaiting.isEmpty ? placeholder : "no waiter matches the filter"
            let style = canvas.theme.style(allWaiting.isEmpty && !isUnknown ? .ok : .dim)
            canvas.write(text, in: inner.row(0), style: style, alignment: .leading)
            return
        }
        WaiterList.listing.table(waiting, scene.view, theme: canvas.theme, width: inner.width)
            .draw(on: &canvas, in: areas[0])
    }

    private func drawEnd(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let peaks = scene.history.peaks
        func longest(_ waiter: WaiterStatus?) -> String {
            waiter.map {
                let age = HumanUnits.duration(nanoseconds: $0.waitedNanoseconds)
                return ", longest \($0.origin.name) \(age)"
            } ?? ""
        }
        let accesses = peaks.accesses
        let reads = HumanUnits.counted(accesses.waitingReaders, "read", "reads")
        let writes = HumanUnits.counted(accesses.waitingWriters, "write", "writes")
        let lines = [
            (
                accesses.areSampled
                    ? "the run has ended; peak observed waiters:"
                    : "the run has ended; peak waiters:",
                Role.dim
            ),
            ("\(reads)\(longest(peaks.longestReader))", .text),
            ("\(writes)\(longest(peaks.longestWriter))", .text),
        ]
        var rows = (0..<rect.height).map { rect.row($0) }.makeIterator()
        for (text, role) in lines {
            for line in TextWrapping.lines(of: text, width: rect.width) {
                guard let row = rows.next() else { return }
                canvas.write(line, in: row, style: theme.style(role), alignment: .leading)
            }
        }
    }

    private func drawBlockers(on canvas: inout Canvas, in rect: Rect) {
        let area = Panel(title: "Blocked by").draw(on: &canvas, in: rect)
        guard let database = scene.history.displayedSample?.database, area.height > 0 else {
            return
        }
        let theme = canvas.theme
        let selected = allWaiting.first { $0.name == scene.view.selected }
        let groups = Blockers.all(in: database).filter { group in
            // If a waiter is selected, show only its blockers.
            selected.map { group.resource == $0.resource.rawValue } ?? true
        }
        // Current blockers take priority over recent holders.
        let needed = groups.reduce(groups.count) {
            $0 + 1 + $1.holders.count + ($1.remark == nil ? 0 : 1)
        }
        let inner = drawHoldShares(on: &canvas, in: area, below: needed)
        guard !groups.isEmpty else {
            drawHolders(database, on: &canvas, in: inner)
            return
        }
        // If there is room, place SQL in separate rows.
        let holders = groups.reduce(0) { $0 + $1.holders.count }
        let usesTwoRows = holders * 2 + groups.count * 3 <= inner.height
        var y = inner.minY
        for group in groups where y < inner.maxY {
            var heading = [
                Span(selected?.status.origin.name ?? group.waiters, theme.bold(.waiting)),
                Span(" waits for ", theme.style(.dim)),
                Span(group.resource, theme.bold(.text)),
            ]
            if selected == nil, group.waiters.hasSuffix("s") { heading[1].text = " wait for " }
            let count = group.holders.count
            let all = group.remark == nil ? "all " : ""
            let held = count == 1 ? ", held by" : count == 0 ? "" : ", \(all)\(count) held by"
            heading.append(Span(held, theme.style(.dim)))
            if canvas.width(of: heading) > inner.width { heading.removeLast() }
            canvas.write(heading, x: inner.minX, y: y, limit: inner.width)
            y += 1
            for holder in group.holders where y < inner.maxY {
                draw(holder, usesTwoRows: usesTwoRows, on: &canvas, in: inner, y: y)
                y += usesTwoRows ? 2 : 1
            }
            if let remark = group.remark, y < inner.maxY {
                canvas.write(
                    "  \(remark)",
                    x: inner.minX,
                    y: y,
                    style: theme.style(.dim),
                    limit: inner.width
                )
                y += 1
            }
            y += 1
        }
    }

    /// Draws the recent holders of connections below `rows` occupied rows, if there is room.
    ///
    /// - Returns: The remaining rectangle.
    private func drawHoldShares(
        on canvas: inout Canvas,
        in inner: Rect,
        below rows: Int
    ) -> Rect {
        let shares = HoldShares.all(in: scene.history, seconds: Verdict.seconds)
        let holderLimit = 4
        let needed = shares.reduce(1) { $0 + 1 + min($1.holders.count, holderLimit) }
        guard !shares.isEmpty, inner.height >= needed + max(rows, 3), inner.width >= 36 else {
            return inner
        }
        let theme = canvas.theme
        var y = inner.maxY - needed + 1
        for share in shares {
            let resource =
                switch share.resource {
                case .readers: share.count == 1 ? "the reader" : "the \(share.count) readers"
                case .writer: "the writer"
                case .connection: "the connection"
                }
            let time = scene.history.spanLabel(Verdict.seconds)
            canvas.write(
                "holders of \(resource) in the \(time), on average",
                x: inner.minX,
                y: y,
                style: theme.style(.dim),
                limit: inner.width
            )
            y += 1
            for holder in share.holders.prefix(holderLimit) {
                draw(holder, of: share.count, on: &canvas, in: inner, y: y)
                y += 1
            }
        }
        return Rect(
            x: inner.minX,
            y: inner.minY,
            width: inner.width,
            height: inner.height - needed
        )
    }

    /// Draws a row such as `storm  3.1 of 4 ■■■■■■·`.
    private func draw(
        _ holder: HoldShares.Holder,
        of count: Int,
        on canvas: inout Canvas,
        in inner: Rect,
        y: Int
    ) {
        let theme = canvas.theme
        let name = Rect(x: inner.minX + 2, y: y, width: 14, height: 1)
        canvas.write(holder.name, in: name, style: theme.bold(.text), alignment: .leading)
        let held = HumanUnits.decimal(max(0, holder.heldCount), places: 2)
        let number = Rect(x: name.maxX, y: y, width: 13, height: 1)
        canvas.write(
            "\(held) of \(count)",
            in: number,
            style: theme.style(.text),
            alignment: .trailing
        )
        let bar = Rect(x: number.maxX + 1, y: y, width: inner.maxX - number.maxX - 1, height: 1)
        Meter(share: min(holder.heldCount / Double(max(count, 1)), 1)).draw(on: &canvas, in: bar)
    }

    private func drawHolders(
        _ database: DatabaseStatus,
        on canvas: inout Canvas,
        in inner: Rect
    ) {
        let heldConnections = database.connections.filter {
            $0.state != .idle && $0.role != .snapshot
        }
        .sorted { ($0.heldNanoseconds ?? 0) > ($1.heldNanoseconds ?? 0) }
        let isUnknown = scene.history.hidesWaits
        let text =
            scene.history.isOver
            ? "the run has ended: no waiters"
            : heldConnections.isEmpty
                ? (isUnknown ? "" : "no waiters, and ") + "no connection is held"
                : (isUnknown ? "waits unknown" : "no waiters now") + "; held connections:"
        let style = canvas.theme.style(.dim)
        canvas.write(text, in: inner.row(0), style: style, alignment: .leading)
        for (index, holder) in heldConnections.prefix(max(0, inner.height - 1)).enumerated() {
            draw(holder, usesTwoRows: false, on: &canvas, in: inner, y: inner.minY + 1 + index)
        }
    }

    /// Draws a holder, such as `import  writer  3.00 s  INSERT …`, in one or two rows.
    private func draw(
        _ holder: ConnectionStatus,
        usesTwoRows: Bool,
        on canvas: inout Canvas,
        in inner: Rect,
        y: Int
    ) {
        let theme = canvas.theme
        let state = LaneState(holder)
        let label = Lane.shortLabel(holder.label, role: holder.role)
        let age = holder.heldNanoseconds.map(HumanUnits.duration) ?? ""
        let row = Rect(x: inner.minX + 2, y: y, width: inner.width - 2, height: 1)
        let cells = row.columns(
            Track.lengths(
                of: [
                    .fixed(1, priority: 10),
                    Track(minimum: 6, ideal: 12, maximum: 20, priority: 9, flex: 1),
                    .fixed(HumanUnits.durationWidth, priority: 8),
                    .fixed(10, priority: 7),
                    Track(minimum: 10, ideal: 20, maximum: .max, priority: 5, flex: 4),
                ],
                available: row.width,
                spacing: 1
            ),
            spacing: 1
        )
        let isLong = (holder.heldNanoseconds ?? 0) >= 1_000_000_000
        canvas.write(
            state.mark.text(in: canvas.glyphs),
            x: cells[0].minX,
            y: y,
            style: theme.style(state.mark.role)
        )
        func write(_ text: String, in cell: Rect, style: Style, alignment: Alignment) {
            guard cell.width > 0 else { return }
            canvas.write(text, in: cell, style: style, alignment: alignment)
        }
        write(
            holder.holder?.name ?? state.label,
            in: cells[1],
            style: theme.bold(.text),
            alignment: .leading
        )
        write(
            age,
            in: cells[2],
            style: isLong ? theme.bold(.warning) : theme.style(.text),
            alignment: .trailing
        )
        write(label, in: cells[3], style: theme.style(holder.role.colorRole), alignment: .leading)
        let sql = holder.sql ?? state.label
        let style = theme.style(holder.sql == nil ? .dim : .text)
        if usesTwoRows {
            canvas.write(sql, x: row.minX + 2, y: y + 1, style: style, limit: row.width - 2)
            write(state.label, in: cells[4], style: theme.style(.dim), alignment: .leading)
        } else {
            write(sql, in: cells[4], style: style, alignment: .leading)
        }
    }
}

/// The clients that held connections of one kind in the last seconds.
///
/// A single sample misses clients that held connections only between samples.
struct HoldShares: Sendable, Equatable {
    enum Resource: Sendable, CaseIterable {
        case readers
        case writer
        case connection

        fileprivate var role: ConnectionRole {
            switch self {
            case .readers: .reader
            case .writer: .writer
            case .connection: .queue
            }
        }
    }

    struct Holder: Sendable, Equatable {
        var name: String
        /// The average number of connections that the client held.
        var heldCount: Double
    }

    var resource: Resource
    /// The number of connections of this kind.
    var count: Int
    /// The holders, largest share first.
    var holders: [Holder]

    /// Returns the shares in the samples of the last `seconds`.
    static func all(in history: History, seconds: Double) -> [HoldShares] {
        var tallies: [Resource: [String: Int]] = [:]
        var sampleCount = 0
        history.visitSamples(last: seconds) { sample in
            sampleCount += 1
            for connection in sample.database.connections {
                guard let holder = connection.holder, connection.state != .idle,
                    let resource = Resource.allCases.first(where: { $0.role == connection.role })
                else { continue }
                tallies[resource, default: [:]][holder.name, default: 0] += 1
            }
        }
        guard sampleCount > 0, let database = history.displayedSample?.database else { return [] }
        return Resource.allCases.compactMap { resource in
            guard let tally = tallies[resource] else { return nil }
            let count =
                resource == .readers
                ? database.readers?.maximum ?? 1 : 1
            let holders = tally.map {
                Holder(name: $0.key, heldCount: Double($0.value) / Double(sampleCount))
            }
            return HoldShares(
                resource: resource,
                count: count,
                holders: holders.sorted { ($1.heldCount, $0.name) < ($0.heldCount, $1.name) }
            )
        }
    }
}
