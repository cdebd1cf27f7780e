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
    enum Place: Hashable {
        case start, decide, check, giveUp, checkAgain, arm
        case raise, search, end, release, await, commit, allow
        case disarm
        case done
    }

    struct World: Hashable {
        var slot = AccessSlot.State.idle
        var isKept = false
        var forbidding = 0
        var isArmed = false
        var isCommitting = false
        /// Whether an idle connection has kept its transaction since before the write began.
        var wasKeptBefore = false
        /// Whether two threads have owned the slot at the same time.
        var isBroken = false
        var accesses = 0
        var places: [Place] = [.start, .raise, .disarm]
    }

    private static let (reader, writer, timer) = (0, 1, 2)

    private func explore(_ mistake: Mistake?) throws -> Int {
        let interleavings = Interleavings<World>(threads: 3) { world, thread in
            switch thread {
            case Self.reader: read(world, mistake)
            case Self.writer: write(world, mistake)
            default: expire(world, mistake)
            }
        } violation: { world in
            if world.isBroken { return "a slot was owned twice" }
            guard world.isCommitting, world.isKept else { return nil }
            if world.wasKeptBefore { return "the writer did not wait for a transaction to end" }
            // A reader that has just released the slot ends its transaction in its next step.
            return world.slot == AccessSlot.State.keeping
                && world.places[Self.reader] != .checkAgain
                ? "a transaction was kept during a commit" : nil
        } violationAtEnd: { world in
            if world.places != [.done, .done, .done] { return "a thread waits forever" }
            if !AccessSlot.State.isFree(world.slot) { return "a slot was lost" }
            return world.isKept && !world.isArmed ? "nothing ends a kept transaction" : nil
        }
        var world = World()
        if mistake == .writerSearchesTooEarly { world.places[Self.writer] = .search }
        return try interleavings.explore(from: world)
    }

    // MARK: The threads

    /// Performs the steps of two accesses that keep their transactions if this is allowed.
    private func read(_ world: World, _ mistake: Mistake?) -> World? {
        var next = world
        func enter(_ place: Place) -> World {
            next.places[Self.reader] = place
            return next
        }
        switch world.places[Self.reader] {
        case .start:
            guard AccessSlot.State.isFree(world.slot) else { return world }
            next.slot = AccessSlot.State.taken
            next.wasKeptBefore = false
            return enter(.decide)
        case .decide:
            next.isKept = world.forbidding == 0
            if mistake == .readerArmsTooEarly, next.isKept { next.isArmed = true }
            return enter(.check)
        case .check:
            // If attention is raised, the transaction ends before the slot is released.
            if world.forbidding > 0 { next.isKept = false }
            return enter(.giveUp)
        case .giveUp:
            next.slot = AccessSlot.State.free(keepsTransaction: world.isKept)
            return enter(.checkAgain)
        case .checkAgain:
            if world.forbidding > 0, mistake != .readerDoesNotCheckAgain {
                guard AccessSlot.State.isFree(world.slot) else { return enter(endOfAccess(&next)) }
                next.slot = AccessSlot.State.taken
                next.isKept = false
                return enter(.release)
            }
            return enter(world.isKept && mistake != .readerArmsTooEarly ? .arm : endOfAccess(&next))
        case .release:
            next.slot = AccessSlot.State.idle
            return enter(endOfAccess(&next))
        case .arm:
            next.isArmed = true
            return enter(endOfAccess(&next))
        default: return nil
        }
    }

    private func endOfAccess(_ world: inout World) -> Place {
        world.accesses += 1
        return world.accesses == 2 ? .done : .start
    }

    /// Performs the steps of a single write.
    private func write(_ world: World, _ mistake: Mistake?) -> World? {
        var next = world
        func enter(_ place: Place) -> World {
            next.places[Self.writer] = place
            return next
        }
        let placeAfterSearch = mistake == .writerSearchesTooEarly ? Place.raise : .await
        switch world.places[Self.writer] {
        case .raise:
            next.forbidding += 1
            next.wasKeptBefore = world.isKept && world.slot != AccessSlot.State.taken
            return enter(mistake == .writerSearchesTooEarly ? .await : .search)
        case .search:
            guard world.slot == AccessSlot.State.keeping else { return enter(placeAfterSearch) }
            next.slot = AccessSlot.State.ending
            return enter(.end)
        case .end:
            next.isKept = false
            return enter(.release)
        case .release:
            next.isBroken = world.slot != AccessSlot.State.ending
            next.slot = AccessSlot.State.idle
            return enter(placeAfterSearch)
        case .await:
            if world.slot == AccessSlot.State.ending, mistake != .writerDoesNotWait { return world }
            return enter(.commit)
        case .commit:
            next.isCommitting = true
            return enter(.allow)
        case .allow:
            next.isCommitting = false
            next.forbidding -= 1
            return enter(.done)
        default: return nil
        }
    }

    /// Performs the steps of the timer, which expires once at any time.
    ///
    /// The timer may expire early.
    private func expire(_ world: World, _ mistake: Mistake?) -> World? {
        var next = world
        func enter(_ place: Place) -> World {
            next.places[Self.timer] = place
            return next
        }
        switch world.places[Self.timer] {
        case .disarm:
            if mistake != .timerDisarmsTooLate { next.isArmed = false }
            return enter(.search)
        case .search:
            guard world.slot == AccessSlot.State.keeping else {
                return enter(mistake == .timerDisarmsTooLate ? .arm : .done)
            }
            next.slot = AccessSlot.State.ending
            return enter(.end)
        case .end:
            next.isKept = false
            return enter(.release)
        case .release:
            next.isBroken = world.slot != AccessSlot.State.ending
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
        #expect(throws: Interleavings<World>.Failure.self) { try explore(mistake) }
    }
}
