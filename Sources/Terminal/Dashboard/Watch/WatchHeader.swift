import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The first row of the watch dashboard, with facts about the database.
struct WatchHeader {
    let dashboard: WatchDashboard

    func draw(on canvas: inout Canvas, in row: Rect) {
        HeaderBar(
            segments: segments(theme: canvas.theme, width: row.width),
            state: state,
            isRecording: dashboard.isRecording
        ).draw(on: &canvas, in: row)
    }

    private func segments(theme: Theme, width: Int) -> [HeaderBar.Segment] {
        func text(_ text: String, _ role: Role = .text) -> Span { Span(text, theme.raised(role)) }
        func bold(_ text: String, _ role: Role) -> Span {
            var style = theme.raised(role)
            style.attributes.insert(.bold)
            return Span(text, style)
        }
        var segments = [HeaderBar.Segment(spans: [bold("poolgauge top", .accent)], priority: 30)]
        guard let history = dashboard.history, let report = history.report else { return segments }
        let file = report.file
        func add(_ spans: [Span], _ priority: Int) {
            segments.append(HeaderBar.Segment(spans: spans, priority: priority))
        }
        var name = WatchLabels.name(ofPath: history.path)
        // A long name must not displace the state.
        if name.count > width / 3 { name = "…" + name.suffix(max(8, width / 3)) }
        add([bold(name, .title)], 90)
        if dashboard.displayedDatabases.count > 1 {
            add(
                [
                    text(
                        "\(dashboard.displayedIndex + 1)/\(dashboard.displayedDatabases.count)",
                        .dim
                    )
                ],
                45
            )
        }
        add([text(WatchLabels.mode(file), file.state == .present ? .text : .warning)], 80)
        guard file.state == .present else { return segments }
        if let bytes = file.bytes { add([text(HumanUnits.bytes(bytes))], 40) }
        let isUnknown = report.wal.map { $0.commits == nil } ?? false
        let rate = isUnknown ? "?" : HumanUnits.rate(history.rate(\.commits)).dropLast(2)
        let padding = String(repeating: " ", count: max(0, 5 - rate.utf8.count))
        let noun = report.wal == nil ? " transactions/s" : " commits/s"
        add([text(padding + rate), text(noun, .dim)], 70)
        let count = report.processes.count
        add([text("\(count)"), text(count == 1 ? " process" : " processes", .dim)], 60)
        return segments
    }

    private var state: (mark: String, text: String, role: Role) {
        if let history = dashboard.history, history.cursor != nil,
            history.now < history.newestTime
        {
            let age = HumanUnits.seconds(history.newestTime - history.now)
            return ("‖", "\(age) AGO", .warning)
        }
        if dashboard.isPaused { return ("‖", "FROZEN", .warning) }
        if dashboard.history == nil { return ("·", "STARTING", .dim) }
        return ("●", dashboard.replayKeys == nil ? "LIVE" : "REPLAY", .ok)
    }
}

enum WatchLabels {
    /// Returns the label of a process.
    ///
    /// The process ID comes first, so narrow columns do not truncate it.
    static func process(_ name: String, pid: Int32) -> String { "\(pid) \(name)" }

    /// Formats a duration, such as `430 ms`, `12.3 s`, or `2m 05s`.
    static func duration(_ seconds: Double) -> String { HumanUnits.duration(seconds: seconds) }

    /// Formats the hold time of a lock, such as `≥ 12.3 s`.
    ///
    /// If the lock may have been released between two samples, the text is, for example,
    /// `~ 12.3 s`.
    static func held(_ lock: WatchedLock, isASCII: Bool) -> String {
        let atLeast = isASCII ? ">=" : "≥"
        // A single sample has shown the lock.
        guard lock.seconds > 0 else { return "\(atLeast) 0 s" }
        let sign = lock.isContinuous ? atLeast : "~"
        return "\(sign) \(duration(lock.seconds))"
    }

    /// Formats a share and its error as percentages, such as `12.3 ±1.6`.
    static func share(_ estimate: WatchedEstimate, isASCII: Bool) -> String {
        guard estimate.value > 0 else { return "" }
        let value = estimate.value >= 0.9995 ? "100" : decimal(estimate.value * 100)
        return "\(value) \(isASCII ? "+-" : "±")\(decimal(estimate.error * 100))"
    }

    /// Formats a number with one decimal place.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        let tenths = Int((min(max(value, 0), 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    static func name(ofPath path: String) -> String {
        Escaping.terminal(path.split(separator: "/").last.map(String.init) ?? path)
    }

    /// Formats a time of day in UTC, such as `12:04:31`.
    static func clock(_ time: WatchTime) -> String {
        let day: Int64 = 86_400_000
        let secondsOfDay = ((time.milliseconds % day) + day) % day / 1000
        func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        let parts = [secondsOfDay / 3600, secondsOfDay / 60 % 60, secondsOfDay % 60]
        return parts.map(twoDigits).joined(separator: ":")
    }

    /// Returns the journal mode, or the reason that the file cannot be read.
    static func mode(_ file: WatchedFile) -> String {
        switch file.state {
        case .present: file.journalMode == .wal ? "WAL" : "rollback"
        case .empty: "empty"
        case .missing: "missing"
        case .notADatabase: "not SQLite"
        case .unreadable: "unreadable"
        }
    }

    static func name(of kind: WatchEpisode.Kind) -> String {
        switch kind {
        case .writer: "write lock"
        case .checkpoint: "checkpoint"
        case .pin: "pin"
        case .exclusive: "exclusive lock"
        }
    }

    static func role(_ kind: WatchEpisode.Kind) -> Role {
        switch kind {
        case .writer, .exclusive: .writer
        case .checkpoint: .committing
        case .pin: .snapshot
        }
    }
}

/// The last rows of the watch dashboard, with the keys, the screens, and the cost of watching.
struct WatchFooter {
    let dashboard: WatchDashboard

    func draw(on canvas: inout Canvas, in rect: Rect) {
        var prompt: PromptState?
        if case .prompt(let state)? = dashboard.overlay { prompt = state }
        FooterBar(
            commands: commands,
            screens: screens,
            prompt: prompt,
            cost: cost,
            message: dashboard.message.map { message in
                Span(message.text, canvas.theme.raised(message.isWarning ? .warning : .text))
            }
        ).draw(on: &canvas, in: rect)
    }

    /// The CPU time of the dashboard, including sampling and helper processes.
    private var cost: String {
        guard let history = dashboard.databases.first, history.moments.count > 0 else { return "" }
        var (cpuSeconds, seconds) = (0.0, 0.0)
        // Exclude the first interval, during which the helper processes start.
        for index in max(1, history.moments.count - 12)..<max(1, history.moments.count) {
            let moment = history.moments[index]
            cpuSeconds += moment.cpuShare * moment.seconds
            seconds += moment.seconds
        }
        return seconds > 0 ? "poolgauge \(HumanUnits.percent(cpuSeconds / seconds)) CPU" : ""
    }

    private var screens: [FooterBar.Screen] {
        dashboard.screens.enumerated().compactMap { index, screen in
            dashboard.keys.key(for: .screen(index)).map { key in
                FooterBar.Screen(key: key, title: screen.title, isShown: index == dashboard.screen)
            }
        }
    }

    /// Whether Enter opens the database in the selected row.
    private var opensDatabase: Bool {
        let content = dashboard.content
        guard let row = dashboard.view.selected ?? content.rowNames.first,
            case .database = content.destination(forRow: row)
        else { return false }
        return true
    }

    /// The relevant keys of this screen, most important first.
    private var commands: [KeyBar.Item] {
        let view = dashboard.view
        let screen = dashboard.screens[dashboard.screen]
        return dashboard.keys.bindings.compactMap { binding in
            guard var priority = binding.priority, let key = binding.keys.first else { return nil }
            var name = binding.name
            switch binding.command {
            case .nextDatabase where dashboard.displayedDatabases.count < 2: return nil
            case .common(.filter), .common(.sort), .common(.reverse):
                guard !screen.sortableTitles.isEmpty else { return nil }
            case .common(.focusNext):
                guard !screen.parts.isEmpty else { return nil }
            case .common(.expand):
                guard view.part != nil || !screen.sortableTitles.isEmpty else { return nil }
                if let part = view.part, screen.parts.indices.contains(part) {
                    name = view.isExpanded ? "all parts" : screen.parts[part] + " only"
                    priority = 90
                } else if opensDatabase {
                    name = "open"
                }
            default: break
            }
            return KeyBar.Item(key: key.label, name: name, priority: priority, target: key)
        }.sortedByPriority()
    }
}
