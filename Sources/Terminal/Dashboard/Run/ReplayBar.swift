import TerminalUI

/// The last rows of a replay: the position, the speed, and the keys.
package struct ReplayBar {
    let controls: ReplayControls
    /// The local time at the position.
    let clockTime: String

    package init(controls: ReplayControls, clockTime: String) {
        self.controls = controls
        self.clockTime = clockTime
    }

    /// Returns the number of rows.
    package static func height(in size: Size) -> Int { size.height >= 30 ? 2 : 1 }

    /// Returns the key at a position in the bar, if any.
    package func key(at point: Point, size: Size, theme: Theme, glyphs: GlyphSet) -> Key? {
        if case .key(let key)? = canvas(size, theme: theme, glyphs: glyphs).target(at: point) {
            key
        } else {
            nil
        }
    }

    /// Draws the bar below a dashboard.
    package func surface(
        below content: Surface,
        size: Size,
        theme: Theme,
        glyphs: GlyphSet
    ) -> Surface {
        var surface = canvas(size, theme: theme, glyphs: glyphs).surface
        for y in 0..<content.size.height {
            for x in 0..<content.size.width { surface[x, y] = content[x, y] }
        }
        return surface
    }

    private func canvas(_ size: Size, theme: Theme, glyphs: GlyphSet) -> Canvas {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let height = Self.height(in: size)
        guard size.height > height else { return canvas }
        var rows = canvas.bounds.rows([size.height - height] + Array(repeating: 1, count: height))
            .dropFirst()
        if let row = rows.popFirst() { drawPosition(on: &canvas, in: row) }
        if let row = rows.popFirst() { KeyBar(items: items).draw(on: &canvas, in: row) }
        return canvas
    }

    private func drawPosition(on canvas: inout Canvas, in row: Rect) {
        if let prompt = controls.prompt {
            Prompt(
                label: "go to",
                text: prompt.text,
                hints: [
                    "10m, -5m (before the end), or 02:13; Enter confirms, Esc cancels",
                    "10m, -5m (before the end), or 02:13",
                ],
                problem: prompt.problem
            ).draw(on: &canvas, in: row)
            return
        }
        let theme = canvas.theme
        canvas.fill(row, style: theme.raised(.text))
        var bold = theme.raised(controls.clock.isPlaying ? .ok : .warning)
        bold.attributes.insert(.bold)
        let x =
            row.minX
            + canvas.write(
                [
                    Span(" \(state) ", bold), Span(position + "  ", theme.raised(.text)),
                    Span(clockTime + "  ", theme.raised(.dim)),
                ],
                x: row.minX,
                y: row.minY,
                limit: row.width
            )
        if let message = controls.message {
            let style = theme.raised(message.isWarning ? .warning : .text)
            canvas.write(message.text, x: x, y: row.minY, style: style, limit: row.maxX - x - 1)
        } else {
            drawProgress(on: &canvas, from: x, to: row.maxX - 1, y: row.minY)
        }
    }

    private func drawProgress(on canvas: inout Canvas, from start: Int, to end: Int, y: Int) {
        let width = end - start
        guard width >= 5 else { return }
        let isASCII = canvas.glyphs == .ascii
        let mark = min(Int(controls.clock.progress * Double(width - 1)), width - 1)
        for offset in 0..<width {
            let glyph = offset == mark ? (isASCII ? "o" : "●") : (isASCII ? "-" : "─")
            let role: Role = offset <= mark ? .accent : .dim
            canvas.put(glyph, x: start + offset, y: y, style: canvas.theme.raised(role))
        }
    }

    private var state: String {
        let speed = "\(Int(controls.clock.speed))x"
        if controls.clock.isPlaying { return "PLAYING " + speed }
        return (controls.clock.isAtEnd ? "END " : "PAUSED ") + speed
    }

    private var position: String {
        let clock = controls.clock
        return Self.text(clock.position - clock.range.lowerBound) + " of "
            + Self.text(clock.range.upperBound - clock.range.lowerBound)
    }

    /// Returns text such as `1:02:03` for a number of milliseconds.
    private static func text(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
    }

    private var items: [KeyBar.Item] {
        controls.keys.bindings.compactMap { binding in
            guard let priority = binding.priority, let key = binding.keys.first else { return nil }
            return KeyBar.Item(
                key: key.label,
                name: binding.name,
                priority: priority,
                target: key
            )
        }.sortedByPriority()
    }
}

/// A clock that advances the position in a recording.
///
/// The caller provides the time, so tests do not need to wait.
package struct ReplayClock: Sendable, Equatable {
    package static let speeds: [Double] = [1, 2, 5, 10, 30, 60, 120, 300, 600]

    /// The times of the first and last moments, in milliseconds since 1970.
    package let range: ClosedRange<Int64>
    /// The playback speed, as a multiple of real time.
    package private(set) var speed = 1.0
    package private(set) var isPlaying: Bool

    /// The position, in milliseconds since the start.
    private var offset = 0.0
    /// The time of the last update, in nanoseconds on the caller's clock.
    private var lastUpdate: UInt64?

    package init(range: ClosedRange<Int64>, isPlaying: Bool = true) {
        self.range = range
        self.isPlaying = isPlaying
    }

    /// The position, in milliseconds since 1970.
    package var position: Int64 { range.lowerBound + Int64(offset) }

    package var isAtEnd: Bool { position >= range.upperBound }

    /// The position as a share of the recording, from 0 to 1.
    package var progress: Double {
        let length = Double(range.upperBound - range.lowerBound)
        return length > 0 ? min(offset / length, 1) : 1
    }

    /// Advances the position by the time since the last update, multiplied by the speed.
    ///
    /// `now` is in nanoseconds on the caller's clock. At the end of the recording, the clock
    /// pauses.
    package mutating func advance(to now: UInt64) {
        defer { lastUpdate = now }
        guard isPlaying, let lastUpdate, now > lastUpdate else { return }
        offset += Double(now - lastUpdate) / 1e6 * speed
        clampOffset()
        if isAtEnd { isPlaying = false }
    }

    /// Starts or pauses the clock.
    ///
    /// At the end of the recording, this method restarts the clock at the beginning.
    package mutating func toggle() {
        if !isPlaying, isAtEnd { offset = 0 }
        isPlaying.toggle()
    }

    package mutating func pause() { isPlaying = false }

    /// Moves to a time in milliseconds since 1970.
    ///
    /// If the time is outside the recording, this method moves to the start or end.
    package mutating func seek(to time: Int64) {
        offset = Double(time - range.lowerBound)
        clampOffset()
    }

    /// Skips the time since the last update, during which the program was suspended.
    package mutating func skip(to now: UInt64) { lastUpdate = now }

    /// Changes to the next lower or higher speed.
    package mutating func changeSpeed(faster: Bool) {
        let next =
            faster
            ? Self.speeds.first { $0 > speed } : Self.speeds.last { $0 < speed }
        speed = next ?? speed
    }

    /// Sets the speed, limited to the range from 1 through 600.
    package mutating func setSpeed(_ value: Double) {
        speed = min(max(value, Self.speeds[0]), Self.speeds[Self.speeds.count - 1])
    }

    private mutating func clampOffset() {
        offset = min(max(offset, 0), Double(range.upperBound - range.lowerBound))
    }
}

/// The state of a replay's controls: the clock, the prompt for a time, and the last message.
package struct ReplayControls: Sendable {
    /// The result of a key press, for the owner of the recording.
    package enum Outcome: Sendable, Equatable {
        /// The key does not belong to the replay.
        case unused
        /// The key was handled. The position may have changed.
        case handled
        /// The user asked to move by a number of samples.
        case step(Int)
        /// The user asked to search for a condition.
        case find(ReplayTarget, isForward: Bool)
        /// The user entered a time.
        case seek(String)
    }

    package var clock: ReplayClock
    package let keys: ReplayKeys
    /// The last message, which the next key press removes.
    package var message: (text: String, isWarning: Bool)?
    private(set) var prompt: PromptState?

    package init(clock: ReplayClock, keys: ReplayKeys = .standard) {
        self.clock = clock
        self.keys = keys
    }

    package mutating func handle(_ key: Key) -> Outcome {
        message = nil
        if prompt != nil { return handleInPrompt(key) }
        switch keys.command(for: key) {
        case nil: return .unused
        case .play: clock.toggle()
        case .slower: clock.changeSpeed(faster: false)
        case .faster: clock.changeSpeed(faster: true)
        case .start: clock.seek(to: clock.range.lowerBound)
        case .end:
            clock.pause()
            clock.seek(to: clock.range.upperBound)
        case .seek: prompt = PromptState(purpose: .seek)
        case .stepBack:
            clock.pause()
            return .step(-1)
        case .stepForward:
            clock.pause()
            return .step(1)
        case .next(let target):
            clock.pause()
            return .find(target, isForward: true)
        case .previous(let target):
            clock.pause()
            return .find(target, isForward: false)
        }
        return .handled
    }

    /// Shows a problem with the entered time, and keeps the prompt open.
    package mutating func rejectTime(_ text: String, problem: String) {
        prompt = PromptState(purpose: .seek, text: text, problem: problem)
    }

    private mutating func handleInPrompt(_ key: Key) -> Outcome {
        guard var state = prompt else { return .handled }
        switch state.handle(key) {
        case .edited: prompt = state
        case .canceled: prompt = nil
        case .entered:
            prompt = nil
            let text = state.text.filter { $0 != " " }
            return text.isEmpty ? .handled : .seek(text)
        }
        return .handled
    }
}
