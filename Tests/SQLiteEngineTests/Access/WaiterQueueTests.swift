import Synchronization
import Telemetry
import Testing

@testable import SQLiteEngine

/// Tests the order of waiters at times that the tests specify.
struct WaiterQueueTests {
    private static let patience = EngineTimings.shortestPatience
    private let slots = (0..<2).map { index in
        AccessSlot(
            index: index,
            label: "slot.\(index)",
            gate: 0,
            probe: ConnectionProbe(level: .counters)
        )
    }

    private func makeThread(since: UInt64, wanted: AccessSlot? = nil) -> Waiter {
        Waiter(
            site: AccessSite(word: 0),
            intent: .read,
            sleeper: .thread(Parker()),
            since: since,
            wanted: wanted
        )
    }

    private func makeTask(since: UInt64) -> Waiter {
        Waiter(site: AccessSite(word: 0), intent: .read, sleeper: .task { _ in }, since: since)
    }

    private func makeQueue(_ waiters: Waiter...) -> WaiterQueue<Waiter> {
        var queue = WaiterQueue<Waiter>()
        for waiter in waiters { queue.append(waiter, at: waiter.since) }
        return queue
    }

    @Test func aSlotIsFreeWithoutWaiters() {
        var queue = WaiterQueue<Waiter>()
        #expect(queue.release(slots[0], at: 1) == .free)
    }

    @Test func aThreadMayBeOvertakenUntilItsPatienceExpires() {
        let start: UInt64 = 1_000_000_000
        let waiter = makeThread(since: start)
        var queue = makeQueue(waiter)
        #expect(queue.release(slots[0], at: start) == .notify(waiter))
        #expect(queue.release(slots[0], at: start + Self.patience - 1) == .free)
        #expect(queue.waiters.count == 1)
        #expect(waiter.granted == nil)
    }

    @Test func aThreadIsGrantedTheNextSlotAfterItsPatienceExpires() {
        let start: UInt64 = 1_000_000_000
        let waiter = makeThread(since: start)
        let younger = makeThread(since: start + 1)
        var queue = makeQueue(waiter, younger)
        #expect(queue.release(slots[1], at: start + Self.patience) == .grant(waiter))
        #expect(waiter.granted === slots[1])
        #expect(queue.waiters.map(ObjectIdentifier.init) == [ObjectIdentifier(younger)])
    }

    @Test func aWatchingThreadIsGrantedTheNextSlotImmediately() {
        let start: UInt64 = 1_000_000_000
        let waiter = makeThread(since: start)
        waiter.isAwake = true
        var queue = makeQueue(waiter)
        let wasServed = waiter.isServed.load(ordering: .relaxed)
        #expect(queue.release(slots[0], at: start + 1) == .grant(waiter))
        let isServed = waiter.isServed.load(ordering: .relaxed)
        #expect(!wasServed && isServed)
        #expect(waiter.granted === slots[0])
    }

    @Test func aTaskIsGrantedTheNextSlotImmediately() {
        let waiter = makeTask(since: 5)
        var queue = makeQueue(waiter)
        #expect(queue.release(slots[0], at: 5) == .grant(waiter))
        #expect(queue.waiters.isEmpty)
    }

    @Test func aTaskDoesNotOvertakeAnOlderThread() {
        let start: UInt64 = 1_000_000_000
        let older = makeThread(since: start)
        var queue = makeQueue(older, makeTask(since: start + 1))
        #expect(queue.release(slots[0], at: start + 2) == .notify(older))
    }

    @Test func aWaiterForASpecificSlotIsNotGrantedAnotherSlot() {
        let waiter = makeThread(since: 1, wanted: slots[1])
        var queue = makeQueue(waiter)
        #expect(queue.release(slots[0], at: 2) == .free)
        #expect(queue.release(slots[1], at: 2) == .grant(waiter))
    }

    @Test func aWaiterForASpecificSlotPrecedesAThreadThatCanUseAnySlot() {
        let start: UInt64 = 1_000_000_000
        let older = makeThread(since: start)
        let specificWaiter = makeThread(since: start + 1, wanted: slots[1])
        var queue = makeQueue(older, specificWaiter)
        #expect(queue.release(slots[0], at: start + 2) == .notify(older))
        #expect(queue.release(slots[1], at: start + 2) == .grant(specificWaiter))
        #expect(queue.waiters.map(ObjectIdentifier.init) == [ObjectIdentifier(older)])
    }

    @Test func aWaiterForASpecificSlotDoesNotPrecedeAnOlderEntitledThread() {
        let start: UInt64 = 1_000_000_000
        let older = makeThread(since: start)
        let specificWaiter = makeThread(since: start + 1, wanted: slots[1])
        var queue = makeQueue(older, specificWaiter)
        #expect(queue.release(slots[1], at: start + Self.patience) == .grant(older))
        #expect(queue.release(slots[1], at: start + Self.patience) == .grant(specificWaiter))
    }

    @Test func aTaskIsFoundBehindThreads() {
        let specificWaiter = makeThread(since: 2, wanted: slots[1])
        #expect(!makeQueue(makeThread(since: 1), specificWaiter).hasTask)
        #expect(makeQueue(makeThread(since: 1), specificWaiter, makeTask(since: 3)).hasTask)
    }

    @Test func aWaiterIsNotNotifiedTwice() {
        let start: UInt64 = 1_000_000_000
        let waiter = makeThread(since: start)
        var queue = makeQueue(waiter)
        #expect(queue.release(slots[0], at: start) == .notify(waiter))
        let later = start + EngineTimings.notificationInterval
        #expect(queue.release(slots[0], at: later) == .free)
        waiter.isNotified = false
        #expect(queue.release(slots[0], at: later) == .notify(waiter))
    }

    @Test func notificationsAreSpacedInTime() {
        let start: UInt64 = 1_000_000_000
        let waiter = makeThread(since: start)
        var queue = makeQueue(waiter)
        #expect(queue.release(slots[0], at: start) == .notify(waiter))
        waiter.isNotified = false
        let tooEarly = start + EngineTimings.notificationInterval - 1
        #expect(queue.release(slots[0], at: tooEarly) == .free)
        #expect(queue.release(slots[0], at: tooEarly + 1) == .notify(waiter))
    }

    @Test func saturationMeasuresTheTimeWithWaiters() {
        var queue = WaiterQueue<Waiter>()
        let first = makeThread(since: 100)
        let second = makeThread(since: 150)
        queue.append(first, at: 100)
        queue.append(second, at: 150)
        #expect(queue.saturatedNanoseconds(at: 160) == 60)
        queue.remove(first, at: 180)
        #expect(queue.saturatedNanoseconds(at: 190) == 90)
        queue.remove(second, at: 200)
        #expect(queue.saturatedNanoseconds(at: 1_000) == 100)
        queue.append(first, at: 2_000)
        #expect(queue.removeAll(at: 2_010).count == 1)
        #expect(queue.saturatedNanoseconds(at: 9_000) == 110)
    }

    @Test func aGrantEndsTheWait() {
        let waiter = makeTask(since: 100)
        var queue = makeQueue(waiter)
        _ = queue.release(slots[0], at: 130)
        #expect(queue.saturatedNanoseconds(at: 500) == 30)
        let wasWaiting = queue.remove(waiter, at: 500)
        #expect(!wasWaiting)
        #expect(queue.saturatedNanoseconds(at: 500) == 30)
    }
}

extension WaiterQueue.Decision: Equatable where Waiter == SQLiteEngine.Waiter {
    /// Compares waiters by identity.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.free, .free): true
        case (.notify(let left), .notify(let right)): left === right
        case (.grant(let left), .grant(let right)): left === right
        default: false
        }
    }
}
