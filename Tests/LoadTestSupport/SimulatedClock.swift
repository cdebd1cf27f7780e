import Foundation
import WorkloadEngine

/// A clock that advances to the first deadline when all participating threads sleep.
///
/// A simulated run of several minutes takes milliseconds and always has the same result.
final class SimulatedClock: RunClock, @unchecked Sendable {
    // `@unchecked Sendable`, because `condition` protects all state.
    private let condition = NSCondition()
    /// The time by which threads wake up late, in nanoseconds.
    private let delay: UInt64
    private var time: UInt64 = 1_000_000_000
    private var threads = 0
    private var sleeping: [Entry] = []

    init(delay: UInt64 = 0) { self.delay = delay }

    private final class Entry {
        let deadline: UInt64
        let isInterruptible: Bool
        var isReleased = false
        var wasInterrupted = false

        init(deadline: UInt64, isInterruptible: Bool = false) {
            self.deadline = deadline
            self.isInterruptible = isInterruptible
        }
    }

    private final class SimulatedSleeper: Sleeper, @unchecked Sendable {
        // `@unchecked Sendable`, because the clock's `condition` protects all state.
        let clock: SimulatedClock
        var isAwake = false
        var entry: Entry?

        init(clock: SimulatedClock) { self.clock = clock }

        func sleep(until deadline: UInt64) { clock.sleep(self, until: deadline) }
        func wake() { clock.wake(self) }
        func retire() { clock.retire() }
    }

    func now() -> UInt64 {
        condition.withLock { time }
    }

    func makeSleeper() -> any Sleeper {
        condition.withLock { threads += 1 }
        return SimulatedSleeper(clock: self)
    }

    /// Waits for a period of simulated time on a thread that also has a sleeper.
    ///
    /// - Returns: `false` if ``interrupt()`` ended the call.
    @discardableResult
    func spend(_ nanoseconds: UInt64) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let entry = Entry(deadline: time + nanoseconds, isInterruptible: true)
        block(entry)
        return !entry.wasInterrupted
    }

    /// Ends all ``spend(_:)`` calls in progress and returns their number.
    @discardableResult
    func interrupt() -> Int {
        condition.withLock {
            let interrupted = sleeping.filter(\.isInterruptible)
            for entry in interrupted {
                entry.wasInterrupted = true
                release(entry)
            }
            return interrupted.count
        }
    }

    private func sleep(_ sleeper: SimulatedSleeper, until deadline: UInt64) {
        condition.lock()
        defer { condition.unlock() }
        if !sleeper.isAwake, time < deadline {
            let entry = Entry(deadline: deadline == .max ? .max : deadline + delay)
            sleeper.entry = entry
            block(entry)
            sleeper.entry = nil
        }
        sleeper.isAwake = false
    }

    private func wake(_ sleeper: SimulatedSleeper) {
        condition.withLock {
            sleeper.isAwake = true
            if let entry = sleeper.entry { release(entry) }
        }
    }

    private func retire() {
        condition.withLock {
            threads -= 1
            advance()
        }
    }

    private func block(_ entry: Entry) {
        sleeping.append(entry)
        advance()
        while !entry.isReleased { condition.wait() }
    }

    private func release(_ entry: Entry) {
        entry.isReleased = true
        sleeping.removeAll { $0 === entry }
        condition.broadcast()
    }

    private func advance() {
        guard !sleeping.isEmpty, sleeping.count >= threads,
            let first = sleeping.map(\.deadline).min(), first != .max
        else { return }
        time = max(time, first)
        for entry in sleeping where entry.deadline <= time { release(entry) }
    }
}
