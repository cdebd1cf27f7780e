import CursesTerminal
import Dashboard
import Findings
import Recording
import SQLiteWatch
import Telemetry
import TerminalUI
import Text

/// The dashboard for a recording, with a bar that shows the position.
struct ReplayDisplay: DisplayContent {
    private let terminal: any Terminal
    private let contents: RecordingContents
    private let searches: ReplaySearches
    private let liveKeys: DashboardKeys
    private var window: ReplayWindow
    private var model: ReplayModel
    private(set) var controls: ReplayControls
    private var size = Size(width: 120, height: 40)
    private let start = monotonicNanoseconds()

    /// The maximum time for decoding before a frame, in nanoseconds.
    private static let budget: UInt64 = 50_000_000

    init(
        reader: RecordingReader,
        contents: RecordingContents,
        controls: ReplayControls,
        searches: ReplaySearches,
        model: ReplayModel,
        liveKeys: DashboardKeys,
        terminal: any Terminal
    ) {
        self.contents = contents
        self.controls = controls
        self.searches = searches
        self.model = model
        self.liveKeys = liveKeys
        self.terminal = terminal
        window = ReplayWindow(reader, contents)
    }

    var refreshRate: Double { model.refreshRate }

    var isPaused: Bool { !controls.clock.isPlaying && window.isComplete }

    var isOver: Bool { false }

    func age(at now: UInt64) -> UInt64? { now - min(now, start) }

    mutating func collect() {
        controls.clock.advance(to: monotonicNanoseconds())
        let damaged = window.damaged.count
        switch window.move(to: controls.clock.position, budget: Self.budget) {
        case .none: break
        case .append(let entries):
            let last = window.entries.dropLast(entries.count).last
            model.append(entries, after: last, of: contents)
        case .replace: model.replace(by: window.entries, of: contents)
        }
        if window.damaged.count > damaged {
            let count = HumanUnits.counted(window.damaged.count, "sample is", "samples are")
            note("\(count) damaged and omitted", isWarning: true)
        }
    }

    mutating func setDisplayCost(_ share: Double?) { model.setDisplayCost(share) }

    mutating func handle(_ event: InputEvent) -> Bool {
        switch event {
        case .resize(let size):
            self.size = size
            _ = model.handle(.resize(contentSize))
            return true
        case .mouse(let mouse):
            if mouse.position.y < contentSize.height { return perform(model.handle(event)) }
            guard case .press = mouse.action,
                let key = bar.key(
                    at: mouse.position,
                    size: size,
                    theme: model.theme,
                    glyphs: model.glyphs
                )
            else { return true }
            return handle(.key(key))
        case .key(let key): return handle(key)
        }
    }

    func render(size: Size) -> Surface {
        let height = max(1, size.height - ReplayBar.height(in: size))
        let content = model.render(size: Size(width: size.width, height: height))
        return bar.surface(below: content, size: size, theme: model.theme, glyphs: model.glyphs)
    }

    mutating func suspend(_ terminal: any Terminal) {
        terminal.suspend()
        controls.clock.skip(to: monotonicNanoseconds())
    }

    mutating func noteContinued() { controls.clock.skip(to: monotonicNanoseconds()) }

    mutating func end() {}

    // MARK: Keys

    private mutating func handle(_ key: Key) -> Bool {
        // ^C also quits while a prompt is open.
        if model.hasOverlay || key == .control("c") { return perform(model.handle(.key(key))) }
        switch controls.handle(key) {
        case .handled: break
        case .step(let count): step(by: count)
        case .find(let target, let isForward): find(target, isForward: isForward)
        case .seek(let text): seek(text)
        case .unused:
            if liveKeys.command(for: key) == .record {
                note("a replay cannot be recorded; copy the file instead", isWarning: true)
                return true
            }
            if case .run = model, let command = liveKeys.command(for: key), command.controlsRun {
                refuse(key)
                return true
            }
            return perform(model.handle(.key(key)))
        }
        return true
    }

    private mutating func perform(_ actions: [ReplayModel.Action]) -> Bool {
        for action in actions {
            switch action {
            case .quit: return false
            case .refused: refuse(nil)
            case .copy(let text):
                if !terminal.copy(text) {
                    note("this terminal does not allow clipboard access", isWarning: true)
                }
            }
        }
        return true
    }

    private mutating func refuse(_ key: Key?) {
        let subject = key.map { "'\($0.label)' controls" } ?? "settings control"
        note("\(subject) only a live run; this is a recording", isWarning: true)
    }

    private mutating func note(_ text: String, isWarning: Bool = false) {
        controls.message = (Escaping.terminal(text), isWarning)
    }

    private mutating func step(by count: Int) {
        let rows = contents.rows
        let current = contents.index(at: controls.clock.position + 1) - 1
        let time = rows[min(max(current, 0), rows.count - 1)].time
        // Several sources may have samples with the same time.
        if count > 0 {
            let next = contents.index(at: time + 1)
            if next < rows.count { controls.clock.seek(to: rows[next].time) }
        } else {
            let previous = contents.index(at: time) - 1
            if previous >= 0 { controls.clock.seek(to: rows[previous].time) }
        }
    }

    private mutating func find(_ target: ReplayTarget, isForward: Bool) {
        let condition = searches.condition(of: target)
        guard
            let time = contents.start(
                of: condition,
                isForward ? .after : .before,
                controls.clock.position
            )
        else {
            let place = isForward ? "after" : "before"
            return note("\(searches.failure(for: target)) \(place) this moment")
        }
        controls.clock.seek(to: time)
        note(searches.phrase(for: target))
    }

    private mutating func seek(_ text: String) {
        let range = controls.clock.range
        guard let moment = RecordingMoment(text) else {
            return controls.rejectTime(text, problem: "'\(text)' is not a time; write 10m or 02:13")
        }
        let time = moment.milliseconds(from: range.lowerBound, to: range.upperBound)
        guard range.contains(time) else {
            let place = time > range.upperBound ? "after the end" : "before the start"
            let seconds = (range.upperBound - range.lowerBound) / 1000
            return controls.rejectTime(
                text,
                problem: "'\(text)' is \(place) of the recording; enter 0s to \(seconds)s"
            )
        }
        controls.clock.seek(to: time)
    }

    // MARK: Layout

    private var contentSize: Size {
        Size(width: size.width, height: max(1, size.height - ReplayBar.height(in: size)))
    }

    private var bar: ReplayBar {
        ReplayBar(
            controls: controls,
            clockTime: LocalTime.text(WatchTime(milliseconds: controls.clock.position))
        )
    }
}

/// The limits of the conditions that a replay searches for.
struct ReplaySearches: Equatable {
    /// The minimum saturation, as a share of time from 0 through 1.
    var saturation = 0.5
    /// The minimum wait, in nanoseconds.
    var wait: UInt64 = 100_000_000
    /// The minimum size of the log, in bytes.
    var log: UInt64 = 16 << 20

    func condition(of target: ReplayTarget) -> RecordedCondition {
        switch target {
        case .saturation: .saturation(saturation)
        case .wait: .wait(wait)
        case .log: .log(log)
        case .busy: .busy
        }
    }

    /// Returns the beginning of a message that a search found nothing.
    ///
    /// A search finds only moments at which the condition starts to be met.
    func failure(for target: ReplayTarget) -> String {
        switch target {
        case .saturation: "the saturation does not rise to \(HumanUnits.percent(saturation))"
        case .wait: "no wait grows to \(HumanUnits.duration(nanoseconds: wait))"
        case .log: "the log does not grow to \(HumanUnits.bytes(log))"
        case .busy: "no SQLITE_BUSY was recorded"
        }
    }

    func phrase(for target: ReplayTarget) -> String {
        switch target {
        case .saturation: "saturation of at least \(HumanUnits.percent(saturation))"
        case .wait: "wait of at least \(HumanUnits.duration(nanoseconds: wait))"
        case .log: "log of at least \(HumanUnits.bytes(log))"
        case .busy: "SQLITE_BUSY"
        }
    }
}

/// A replay of a recording in the dashboard.
struct ReplayRun {
    let reader: RecordingReader
    let options: DisplayOptions
    var searches = ReplaySearches()
    /// The initial position, or `nil` for the start.
    var position: RecordingMoment?
    var speed = 1.0
    var isPlaying = true

    func run() throws {
        do {
            try DisplaySession(options: options).run(content, report: { _ in })
        } catch let error as TerminalError {
            throw CommandFailure(error.text(alternative: "poolgauge report \(reader.path)"))
        }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        try DisplaySession(options: options).picture(size: size, content)
    }

    private func content(
        _ terminal: any Terminal,
        glyphs: DisplaySession.Glyphs
    ) throws -> ReplayDisplay {
        var contents = reader.contents
        let omittedSessionCount = contents.keepNewestKind()
        guard let first = contents.start, let last = contents.end,
            let kind = contents.rows.last.flatMap({ contents.session(of: $0)?.kind })
        else {
            throw CommandFailure(
                reader.contents.messageWithoutSamples(path: reader.path),
                status: 1
            )
        }
        var clock = ReplayClock(range: first...last, isPlaying: isPlaying)
        clock.setSpeed(speed)
        if let position { clock.seek(to: position.milliseconds(from: first, to: last)) }
        var controls = ReplayControls(clock: clock)
        if let problem = contents.problems.first {
            controls.message = (Escaping.terminal(problem), true)
        } else if omittedSessionCount > 0 {
            let count = HumanUnits.counted(omittedSessionCount, "session", "sessions")
            controls.message = ("not shown: \(count) of another kind in this recording", false)
        }
        return ReplayDisplay(
            reader: reader,
            contents: contents,
            controls: controls,
            searches: searches,
            model: try model(for: kind, contents, glyphs: glyphs),
            liveKeys: try DashboardKeys(changing: options.keyChanges),
            terminal: terminal
        )
    }

    private func model(
        for kind: RecordedKind,
        _ contents: RecordingContents,
        glyphs: DisplaySession.Glyphs
    ) throws -> ReplayModel {
        switch kind {
        case .run, .agent:
            var model = DashboardModel(
                theme: options.theme,
                themes: options.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: try DashboardKeys(changing: options.keyChanges).forReplay,
                refreshRate: options.refreshRate
            )
            model.replayKeys = .standard
            return .run(model)
        case .watch:
            let screens = hasStatements(contents) ? WatchScreens.traced : WatchScreens.standard
            let keys = try WatchKeys(screens: screens, changing: options.keyChanges)
            var model = WatchDashboard(
                screens: screens,
                theme: options.theme,
                themes: options.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: keys.forReplay,
                refreshRate: options.refreshRate,
                placeholder: "There is no intact sample before this moment."
            )
            model.replayKeys = .standard
            if Set(contents.rows.suffix(100).map(\.source)).count > 1 { model.showDatabases() }
            return .watch(model)
        }
    }

    /// Returns whether the recorded reports contain SQL.
    private func hasStatements(_ contents: RecordingContents) -> Bool {
        for row in contents.rows.suffix(10) {
            if case .watch(let report)? = try? reader.value(of: row) {
                return report.tracing != nil
            }
        }
        return false
    }
}
