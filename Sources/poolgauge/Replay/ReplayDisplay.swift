import CursesTerminal
import Dashboard
import Findings
import Recording
import SQLiteWatch
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
    private let start = MonotonicTime.now

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
        controls.clock.advance(to: MonotonicTime.now)
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
        controls.clock.skip(to: MonotonicTime.now)
    }

    mutating func noteContinued() { controls.clock.skip(to: MonotonicTime.now) }

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
