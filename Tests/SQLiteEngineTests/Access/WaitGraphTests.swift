import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the search for deadlocks in a wait graph.
struct WaitGraphTests {
    private typealias Graph = WaitGraph<Int, Int>
    private typealias Wait = Graph.Wait

    private static let site = AccessSite(word: 0)

    private func wait(
        holding holdings: [Int],
        reserving reserved: [Int] = [],
        for awaited: [Int],
        mayBorrow: Bool = false
    ) -> Wait {
        Wait(
            holdings: holdings.map { Graph.Holding(slot: $0, site: Self.site) }
                + reserved.map { Graph.Holding(slot: $0, site: Self.site, isReserved: true) },
            awaited: awaited,
            mayBorrow: mayBorrow,
            site: Self.site
        )
    }

    @Test func aWaitForARunningHolderCanEnd() {
        var graph = Graph()
        #expect(graph.update(1, wait(holding: [10], for: [20])) == nil)
        #expect(graph.update(2, wait(holding: [11], for: [20])) == nil)
    }

    @Test func theWaitThatCompletesACycleIsRefusedAndBothSidesAreReported() {
        var graph = Graph()
        let first = wait(holding: [10], for: [20])
        let second = wait(holding: [20], for: [10])
        #expect(graph.update(1, first) == nil)
        #expect(graph.update(2, second) == [second, first])
        // The wait was not registered, so the same wait completes the cycle again.
        #expect(graph.update(3, second) == [second, first])
    }

    @Test func aWaitForSlotsThatTheWaiterHoldsIsRefused() {
        var graph = Graph()
        let wait = wait(holding: [10, 11], for: [10, 11])
        #expect(graph.update(1, wait) == [wait])
        #expect(graph.waits.isEmpty)
    }

    @Test func aWaitIsAcceptedIfOneAwaitedSlotCanBecomeFree() {
        var graph = Graph()
        #expect(graph.update(1, wait(holding: [10], for: [20])) == nil)
        // The holder of slot 11 is running.
        let writer = wait(holding: [20], for: [10, 11])
        #expect(graph.update(2, writer) == nil)
        let last = wait(holding: [11], for: [20])
        #expect(graph.update(3, last)?.first == last)
        #expect(graph.update(3, last)?.count == 3)
    }

    @Test func aWaitMayBeUpdatedToFewerSlots() {
        var graph = Graph()
        let reader = wait(holding: [10], for: [20])
        #expect(graph.update(1, reader) == nil)
        #expect(graph.update(2, wait(holding: [20], for: [10, 11])) == nil)
        let fewer = wait(holding: [20], for: [10])
        #expect(graph.update(2, fewer) == [fewer, reader])
    }

    @Test func waitersOutsideACycleAreNotReported() {
        var graph = Graph()
        let first = wait(holding: [10], for: [20])
        let outside = wait(holding: [30], for: [20])
        let second = wait(holding: [20], for: [10])
        #expect(graph.update(1, first) == nil)
        #expect(graph.update(2, outside) == nil)
        #expect(graph.update(3, second) == [second, first])
    }

    @Test func borrowersCanWaitForAReservedSlot() {
        var graph = Graph()
        // A barrier has reserved slot 20 of the writer, and waits for slot 10 of a reader.
        let barrier = wait(holding: [], reserving: [20], for: [10])
        #expect(graph.update(1, barrier) == nil)
        #expect(graph.update(2, wait(holding: [10], for: [20], mayBorrow: true)) == nil)
        graph.remove(2)
        let nonBorrower = wait(holding: [10], for: [20])
        #expect(graph.update(2, nonBorrower) == [nonBorrower, barrier])
    }

    @Test func aWaitThatNeedsNoSlotIsNotRefused() {
        var graph = Graph()
        #expect(graph.update(1, wait(holding: [10], for: [])) == nil)
    }

    @Test func anEndedWaitBlocksNoWaiter() {
        var graph = Graph()
        #expect(graph.update(1, wait(holding: [10], for: [20])) == nil)
        graph.remove(1)
        #expect(graph.update(2, wait(holding: [20], for: [10])) == nil)
        graph.remove(2)
        #expect(graph.waits.isEmpty)
    }

    // MARK: Against a model

    /// Returns random waits.
    ///
    /// Each waiter holds some of the slots, and each slot has at most one holder.
    private func makeWaits(_ random: inout SeededRandom) -> [Wait] {
        let gates = (0..<Int.random(in: 2...4, using: &random)).map { gate in
            (0..<Int.random(in: 1...3, using: &random)).map { 10 * gate + $0 }
        }
        var freeSlots = gates.flatMap { $0 }.shuffled(using: &random)
        return (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let count = min(freeSlots.count, Int.random(in: 0...2, using: &random))
            let held = (0..<count).compactMap { _ in freeSlots.popLast() }
            let isBarrier = Int.random(in: 0..<4, using: &random) == 0
            let awaited = gates.randomElement(using: &random) ?? []
            return wait(
                holding: isBarrier ? Array(held.dropFirst()) : held,
                reserving: isBarrier ? Array(held.prefix(1)) : [],
                for: isBarrier ? Array(awaited.prefix(1)) : awaited,
                mayBorrow: Bool.random(using: &random)
            )
        }
    }

    /// Searches exhaustively for an order of events that serves `waiter`.
    private func canBeServed(_ waiter: Int, of waits: [Wait], served: Set<Int> = []) -> Bool {
        if served.contains(waiter) { return true }
        return waits.indices.contains { candidate in
            let isServable = waits[candidate].awaited.contains { slot in
                waits.indices.allSatisfy { other in
                    served.contains(other)
                        || waits[other].holdings.allSatisfy { holding in
                            holding.slot != slot
                                || holding.isReserved && waits[candidate].mayBorrow
                        }
                }
            }
            return isServable && !served.contains(candidate)
                && canBeServed(waiter, of: waits, served: served.union([candidate]))
        }
    }

    @Test func theGraphAgreesWithAnExhaustiveSearch() {
        var random = SeededRandom(seed: 13)
        var refusedCount = 0
        for _ in 0..<3_000 {
            var graph = Graph()
            var accepted: [Wait] = []
            for (number, wait) in makeWaits(&random).enumerated() {
                let waits = accepted + [wait]
                let deadlock = graph.update(number, wait)
                #expect((deadlock == nil) == canBeServed(waits.count - 1, of: waits))
                guard let deadlock else {
                    accepted = waits
                    continue
                }
                refusedCount += 1
                #expect(deadlock.first == wait)
                // The reported waits form a deadlock even without the other waits.
                #expect(!canBeServed(0, of: deadlock))
            }
            // All accepted waits can be served.
            #expect(accepted.indices.allSatisfy { canBeServed($0, of: accepted) })
        }
        #expect(refusedCount > 300)
    }
}
