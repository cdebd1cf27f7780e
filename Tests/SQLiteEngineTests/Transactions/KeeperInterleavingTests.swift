import Testing

@testable import SQLiteEngine

/// Tests every interleaving of three threads.
///
/// The threads are a reader that keeps its transaction, a writer that forbids keeping, and the
/// timer that ends kept transactions.
///
/// The steps match ``GateSteps/release(_:)``, ``AccessGate/forbidKeeping()``, and
/// ``ReadTransactionKeeper/didKeep()``.
struct KeeperInterleavingTests {
    /// A mistake that the exploration must find.
    enum Mistake: CaseIterable {
        case readerDoesNotCheckAgain
        case readerArmsTooEarly
        case timerDisarmsTooLate
        case writerSearchesTooEarly
        case writerDoesNotWait
    }

    /// The position of a thread, identified by its next step.
    enum Location: Hashable {
        case start, decide, check, free, checkAgain, arm
        case forbid, search, end, release, await, commit, allow
        case disarm
        case done
    }

    struct State: Hashable {
        var slot = AccessSlot.State.idle
        var isKept = false
        var forbidCount = 0
        var isArmed = false
        var isCommitting = false
        /// Whether an idle connection has kept its transaction since before the write began.
        var wasKeptBefore = false
        /// Whether two threads have owned the slot at the same time.
        var isBroken = false
        var accessCount = 0
        var locations: [Location] = [.start, .forbid, .disarm]
    }

    private static let (reader, writer, timer) = (0, 1, 2)

    private func explore(_ mistake: Mistake?) throws -> Int {
        let interleavings = Interleavings<State>(threads: 3) { state, thread in
            switch thread {
            case Self.reader: read(state, mistake)
            case Self.writer: write(state, mistake)
            default: expire(state, mistake)
            }
        } violation: { state in
            if state.isBroken { return "a slot was owned twice" }
            guard state.isCommitting, state.isKept else { return nil }
            if state.wasKeptBefore { return "the writer did not wait for a transaction to end" }
            // A reader that has just released the slot ends its transaction in its next step.
            return state.slot == AccessSlot.State.keeping
                && state.locations[Self.reader] != .checkAgain
                ? "a transaction was kept during a commit" : nil
        } violationAtEnd: { state in
            if state.locations != [.done, .done, .done] { return "a thread waits forever" }
            if !AccessSlot.State.isFree(state.slot) { return "a slot was lost" }
            return state.isKept && !state.isArmed ? "a kept transaction is never ended" : nil
        }
        var state = State()
        if mistake == .writerSearchesTooEarly { state.locations[Self.writer] = .search }
        return try interleavings.explore(from: state)
    }

    // MARK: The threads

    /// Performs the steps of two accesses that keep their transactions if this is allowed.
    private func read(_ state: State, _ mistake: Mistake?) -> State? {
        var next = state
        func enter(_ location: Location) -> State {
            next.locations[Self.reader] = location
            return next
        }
        switch state.locations[Self.reader] {
        case .start:
            guard AccessSlot.State.isFree(state.slot) else { return state }
            next.slot = AccessSlot.State.taken
            next.wasKeptBefore = false
            return enter(.decide)
        case .decide:
            next.isKept = state.forbidCount == 0
            if mistake == .readerArmsTooEarly, next.isKept { next.isArmed = true }
            return enter(.check)
        case .check:
            // If keeping is forbidden, the transaction ends before the slot is released.
            if state.forbidCount > 0 { next.isKept = false }
            return enter(.free)
        case .free:
            next.slot = AccessSlot.State.free(keepsTransaction: state.isKept)
            return enter(.checkAgain)
        case .checkAgain:
            if state.forbidCount > 0, mistake != .readerDoesNotCheckAgain {
                guard AccessSlot.State.isFree(state.slot) else { return enter(endOfAccess(&next)) }
                next.slot = AccessSlot.State.taken
                next.isKept = false
                return enter(.release)
            }
            return enter(state.isKept && mistake != .readerArmsTooEarly ? .arm : endOfAccess(&next))
        case .release:
            next.slot = AccessSlot.State.idle
            return enter(endOfAccess(&next))
        case .arm:
            next.isArmed = true
            return enter(endOfAccess(&next))
        default: return nil
        }
    }

    private func endOfAccess(_ state: inout State) -> Location {
        state.accessCount += 1
        return state.accessCount == 2 ? .done : .start
    }

    /// Performs the steps of a single write.
    private func write(_ state: State, _ mistake: Mistake?) -> State? {
        var next = state
        func enter(_ location: Location) -> State {
            next.locations[Self.writer] = location
            return next
        }
        let locationAfterSearch = mistake == .writerSearchesTooEarly ? Location.forbid : .await
        switch state.locations[Self.writer] {
        case .forbid:
            next.forbidCount += 1
            next.wasKeptBefore = state.isKept && state.slot != AccessSlot.State.taken
            return enter(mistake == .writerSearchesTooEarly ? .await : .search)
        case .search:
            guard state.slot == AccessSlot.State.keeping else { return enter(locationAfterSearch) }
            next.slot = AccessSlot.State.ending
            return enter(.end)
        case .end:
            next.isKept = false
            return enter(.release)
        case .release:
            next.isBroken = state.slot != AccessSlot.State.ending
            next.slot = AccessSlot.State.idle
            return enter(locationAfterSearch)
        case .await:
            if state.slot == AccessSlot.State.ending, mistake != .writerDoesNotWait { return state }
            return enter(.commit)
        case .commit:
            next.isCommitting = true
            return enter(.allow)
        case .allow:
            next.isCommitting = false
            next.forbidCount -= 1
            return enter(.done)
        default: return nil
        }
    }

    /// Performs the steps of the timer, which expires once, at an arbitrary time and possibly
    /// early.
    private func expire(_ state: State, _ mistake: Mistake?) -> State? {
        var next = state
        func enter(_ location: Location) -> State {
            next.locations[Self.timer] = location
            return next
        }
        switch state.locations[Self.timer] {
        case .disarm:
            if mistake != .timerDisarmsTooLate { next.isArmed = false }
            return enter(.search)
        case .search:
            guard state.slot == AccessSlot.State.keeping else {
                return enter(mistake == .timerDisarmsTooLate ? .arm : .done)
            }
            next.slot = AccessSlot.State.ending
            return enter(.end)
        case .end:
            next.isKept = false
            return enter(.release)
        case .release:
            next.isBroken = state.slot != AccessSlot.State.ending
            next.slot = AccessSlot.State.idle
            return enter(mistake == .timerDisarmsTooLate ? .arm : .done)
        case .arm:
            next.isArmed = false
            return enter(.done)
        default: return nil
        }
    }

    // MARK: The tests

    @Test func noInterleavingViolatesAnInvariant() throws {
        #expect(try explore(nil) > 100)
    }

    @Test(arguments: Mistake.allCases)
    func everyMistakeIsFound(_ mistake: Mistake) {
        #expect(throws: Interleavings<State>.Failure.self) { try explore(mistake) }
    }
}
