import CursesTerminal
import TerminalUI

/// A display on a terminal: keys in, frames out, ten times a second.
struct DisplayLoop<Content: DisplayContent> {
    private let terminal: any Terminal
    private var keys: KeyPlan
    /// What is shown.
    private(set) var content: Content
    /// What the display used.
    private(set) var cost = DisplayCost()

    init(_ content: Content, on terminal: any Terminal, keys: KeyPlan) {
        self.content = content
        self.terminal = terminal
        self.keys = keys
    }

    /// Shows the content until a key, a signal, the picture or the content itself ends it.
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
                // After a stop of the terminal, missed frames are not made up for.
                nextFrame = max(nextFrame + frameTime, now)
            }
            let wait = nextFrame > now ? nextFrame - now : 0
            var event = terminal.nextEvent(waitingAtMost: wait)
            while let current = event {
                switch current {
                case .end(let signal):
                    return .signal(signal)
                case .stop:
                    content.stop(terminal)
                    nextFrame = MonotonicTime.now
                case .continued:
                    content.noteContinued()
                case .input(let input):
                    guard content.handle(input) else { return .quit }
                    // The answer to a key does not wait for the next frame.
                    nextFrame = min(nextFrame, MonotonicTime.now)
                }
                event = terminal.nextEvent(waitingAtMost: 0)
            }
        }
    }

    /// Ends what runs, and takes in its results.
    mutating func end() {
        content.end()
        cost.end(bytes: terminal.bytesWritten)
    }

    private var frameTime: UInt64 {
        let time = UInt64(1e9 / max(content.refreshRate, 0.1))
        return content.isPaused ? max(time, frozenFrameTime) : time
    }

    private mutating func draw() {
        let before = MonotonicTime.now
        terminal.draw(content.render(size: terminal.size))
        cost.countFrame(nanoseconds: MonotonicTime.now - before)
    }

    private mutating func pressPlannedKeys(at now: UInt64) -> DisplayEnd? {
        guard let age = content.age(at: now) else { return nil }
        // What never comes to life gets its picture without keys.
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

/// The least nanoseconds between two frames of a frozen display, which shows only its own cost.
private let frozenFrameTime: UInt64 = 1_000_000_000
