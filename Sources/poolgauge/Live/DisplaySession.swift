import ArgumentParser
import CursesTerminal
import Dispatch
import Foundation
import Synchronization
import Telemetry
import TerminalUI

/// A session that runs a display in the process's terminal, or renders the display for a picture.
struct DisplaySession {
    let options: DisplayOptions

    struct Glyphs {
        /// The initial character set.
        var first: GlyphSet
        /// The character sets that the terminal supports.
        var choices: [GlyphSet]
    }

    /// Shows content in the process's terminal until the display ends.
    ///
    /// - Parameters:
    ///   - make: A closure that creates the content.
    ///   - report: A closure that writes the results after the terminal is restored.
    /// - Throws: `TerminalError`, errors from `make` and `report`, or an exit code for a signal.
    func run<Content: DisplayContent>(
        _ make: (any Terminal, Glyphs) throws -> Content,
        report: (Content) throws -> Void
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        let terminal = try CursesTerminal(environment: environment, usesMouse: options.usesMouse)
        let isUTF8 = TextEncoding.setLocale()
        // The fonts of the Linux console do not contain braille characters.
        let isConsole = environment["TERM"] == "linux"
        let glyphs = Glyphs(
            first: options.glyphs ?? (isUTF8 && !isConsole ? .braille : .ascii),
            // Offer only the character sets that the terminal supports.
            choices: isUTF8 ? GlyphSet.allCases : [.ascii]
        )
        let content: Content
        do { content = try make(terminal, glyphs) } catch {
            terminal.close()
            throw error
        }
        var loop = DisplayLoop(content, on: terminal, keys: keyPlan)
        let end = loop.show()
        terminal.close()
        loop.end()
        if case .signal(let signal) = end {
            // After a hangup, standard output is unavailable, but a report file is still writable.
            try? writeCosts(loop.cost)
            try? report(loop.content)
            throw ExitCode(128 + signal)
        }
        try writeCosts(loop.cost)
        try report(loop.content)
    }

    /// Renders content without a terminal and returns the last frame.
    ///
    /// - Throws: Errors from `make`, or an exit code for a signal.
    func picture<Content: DisplayContent>(
        size: Size,
        _ make: (any Terminal, Glyphs) throws -> Content
    ) throws -> Surface {
        let terminal = SurfaceTerminal(size: size)
        let interruption = Interruption(terminal.interrupt)
        let glyphs = Glyphs(first: options.glyphs ?? .braille, choices: GlyphSet.allCases)
        var loop = DisplayLoop(try make(terminal, glyphs), on: terminal, keys: keyPlan)
        let end = loop.show()
        loop.end()
        if case .signal = end, let signal = interruption.signal { throw ExitCode(128 + signal) }
        return terminal.surface
    }

    private var keyPlan: KeyPlan {
        KeyPlan(
            keys: options.keys,
            start: options.keysStart,
            takesPicture: options.takesPicture
        )
    }

    private func writeCosts(_ cost: DisplayCost) throws {
        guard let costs = options.costs, let total = cost.total else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try costs.write(String(decoding: encoder.encode(total), as: UTF8.self) + "\n")
    }
}

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
        var nextFrame = monotonicNanoseconds()
        while true {
            content.collect()
            if content.isOver { return .over }
            let now = monotonicNanoseconds()
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
                    nextFrame = monotonicNanoseconds()
                case .continued:
                    content.noteContinued()
                case .input(let input):
                    guard content.handle(input) else { return .quit }
                    // Draw the response immediately.
                    nextFrame = min(nextFrame, monotonicNanoseconds())
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
        let drawStart = monotonicNanoseconds()
        terminal.draw(content.render(size: terminal.size))
        cost.countFrame(nanoseconds: monotonicNanoseconds() - drawStart)
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

/// A terminal without a screen, which keeps the last surface for a picture.
final class SurfaceTerminal: Terminal {
    let size: Size
    let depth = ColorDepth.direct
    private(set) var surface: Surface
    private let interruptFlag = Flag()

    /// A flag that the signal queue sets and the display's thread waits for.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
        let wakeUp = DispatchSemaphore(value: 0)
    }

    init(size: Size) {
        self.size = size
        surface = Surface(size: size)
    }

    /// A closure that requests the end of the loop.
    ///
    /// Any thread can call this closure.
    var interrupt: @Sendable () -> Void {
        let interruptFlag = interruptFlag
        return {
            interruptFlag.isSet.store(true, ordering: .releasing)
            interruptFlag.wakeUp.signal()
        }
    }

    func draw(_ surface: Surface) { self.surface = surface }

    func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent? {
        if !interruptFlag.isSet.load(ordering: .acquiring) {
            let limit = Int(min(nanoseconds, 60_000_000_000))
            _ = interruptFlag.wakeUp.wait(timeout: .now() + .nanoseconds(limit))
        }
        return interruptFlag.isSet.load(ordering: .acquiring) ? .end(signal: 2) : nil
    }

    var bytesWritten: UInt64? { nil }

    func copy(_ text: String) -> Bool { false }

    func suspend() {}

    func close() {}
}

/// The content of a ``DisplayLoop``, which collects data, handles events, and renders frames.
protocol DisplayContent {
    /// The refresh rate, in frames/s.
    var refreshRate: Double { get }
    /// Whether the display is frozen, and therefore drawn only once per second.
    var isPaused: Bool { get }
    /// Whether the content has ended, which ends the loop.
    var isOver: Bool { get }
    /// Returns the time since the start of the key plan, in nanoseconds.
    ///
    /// - Returns: The time, `nil` if the content does not accept keys yet, or `.max` if it will
    ///   never accept keys.
    func age(at now: UInt64) -> UInt64?

    mutating func collect()
    /// Sets the CPU time of the display, as a share of one CPU.
    mutating func setDisplayCost(_ share: Double?)
    /// Handles an event, and returns `false` to end the program.
    mutating func handle(_ event: InputEvent) -> Bool
    func render(size: Size) -> Surface

    /// Suspends the process through the terminal's job control (`^Z`) until the process continues.
    mutating func suspend(_ terminal: any Terminal)
    /// Records that the process continued after a `SIGSTOP`.
    mutating func noteContinued()
    mutating func end()
}

enum DisplayEnd: Equatable {
    case quit
    case signal(Int32)
    case picture
    /// The content ended.
    case over
}

/// The schedule for the automatic keys and the picture.
struct KeyPlan {
    /// The time between two keys, in nanoseconds, which is long enough to see each key's effect.
    private static let keyInterval: UInt64 = 300_000_000
    /// The time from the last key to the picture, in nanoseconds.
    private static let pictureDelay: UInt64 = 1_000_000_000

    private var keys: [Key]
    private var nextTime: UInt64
    private let takesPicture: Bool

    /// Creates a plan.
    ///
    /// `start` is the time of the first key, in nanoseconds after the content first appears.
    init(keys: [Key], start: UInt64, takesPicture: Bool) {
        self.keys = keys.reversed()
        self.takesPicture = takesPicture
        // Without keys, take the picture at the start time.
        nextTime = start
    }

    enum Step: Equatable {
        case nothing
        case press(Key)
        case picture
    }

    /// Returns the action at a time, in nanoseconds after the content first appears.
    ///
    /// Call this method until it returns `.nothing`.
    mutating func step(at time: UInt64) -> Step {
        guard time >= nextTime else { return .nothing }
        if let key = keys.popLast() {
            nextTime = time + (keys.isEmpty ? Self.pictureDelay : Self.keyInterval)
            return .press(key)
        }
        return takesPicture ? .picture : .nothing
    }
}
