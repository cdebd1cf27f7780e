import CursesTerminal
import TerminalUI

/// A loop that shows content on a terminal and handles the terminal's events.
struct DisplayLoop<Content: DisplayContent> {
    private let terminal: any Terminal
    private var keys: KeyPlan
    private(set) var content: Content
    private(set) var cost = DisplayCost()

    init(_ content: Content, on terminal: any Terminal, keys: KeyPlan) {
        self.content = content
        self.terminal = terminal
        self.keys = keys
    }

    /// Shows the content until a key, a signal, the picture, or the content ends the display.
    mutating func show() -> DisplayEnd {
        _ = content.handle(.resize(terminal.size))
        var nextFrame = MonotonicTime.now
        while true {
            content.collect()
            if content.isOver { return .over }
            let now = MonotonicTime.now
            if let end = pressPlannedKeys(at: now) { return end }
            if now >= nextFrame {
                cost.update(now: now)
                content.setDisplayCost(cost.share)
                draw()
                // Skip the frames that were due while the process was suspended.
                nextFrame = max(nextFrame + frameTime, now)
            }
            let wait = nextFrame > now ? nextFrame - now : 0
            var event = terminal.nextEvent(waitingAtMost: wait)
            while let current = event {
                switch current {
                case .end(let signal):
                    return .signal(signal)
                case .suspend:
                    content.suspend(terminal)
                    nextFrame = MonotonicTime.now
                case .continued:
                    content.noteContinued()
                case .input(let input):
                    guard content.handle(input) else { return .quit }
                    // Draw the response immediately.
                    nextFrame = min(nextFrame, MonotonicTime.now)
                }
                event = terminal.nextEvent(waitingAtMost: 0)
            }
        }
    }

    mutating func end() {
        content.end()
        cost.end(bytes: terminal.bytesWritten)
    }

    private var frameTime: UInt64 {
        let time = UInt64(1e9 / max(content.refreshRate, 0.1))
        return content.isPaused ? max(time, frozenFrameTime) : time
    }

    private mutating func draw() {
        let drawStart = MonotonicTime.now
        terminal.draw(content.render(size: terminal.size))
        cost.countFrame(nanoseconds: MonotonicTime.now - drawStart)
    }

    private mutating func pressPlannedKeys(at now: UInt64) -> DisplayEnd? {
        guard let age = content.age(at: now) else { return nil }
        // If the content never accepts keys, take the picture without pressing keys.
        if age == .max { return keys.step(at: .max) == .picture ? .picture : nil }
        while true {
            switch keys.step(at: age) {
            case .nothing: return nil
            case .press(let key): guard content.handle(.key(key)) else { return .quit }
            case .picture:
                draw()
                return .picture
            }
        }
    }
}

/// The minimum time between frames of a frozen display, in nanoseconds.
///
/// Only the displayed cost changes between these frames.
private let frozenFrameTime: UInt64 = 1_000_000_000
