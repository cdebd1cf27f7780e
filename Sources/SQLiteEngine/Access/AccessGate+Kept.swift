import Foundation
import Telemetry

/// Read transactions that idle connections keep, and who wants them ended.
extension AccessGate {
    /// Whether read transactions may be kept now.
    @inline(__always)
    var allowsKeeping: Bool { attention.load(ordering: .relaxed) < Self.forbidding }

    /// Ends the transactions that idle connections keep, and lets none be kept from now on.
    ///
    /// ``allowKeeping()`` ends it; calls nest.
    func forbidKeeping() {
        attention.wrappingAdd(Self.forbidding, ordering: .sequentiallyConsistent)
        endKeptTransactions()
        if isVisited { awaitVisitors() }
    }

    /// Ends what ``forbidKeeping()`` began.
    func allowKeeping() {
        attention.wrappingSubtract(Self.forbidding, ordering: .sequentiallyConsistent)
    }

    /// Ends the transactions that idle connections keep.
    ///
    /// - Returns: Whether each connection was met: none was somebody's at that moment.
    @discardableResult
    func endKeptTransactions() -> Bool {
        visits.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { visits.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        var hasMetAll = true
        for slot in slots {
            if slot.claimIdle() {
                slot.database?.endKeptTransaction()
                release(slot)
            } else if slot.mayKeepTransaction {
                hasMetAll = false
            }
        }
        return hasMetAll
    }

    /// Waits for those who took a connection before this thread could, to end its transaction, and
    /// may have lost their core since.
    @inline(never)
    private func awaitVisitors() {
        let begin = monotonicNanoseconds()
        let limit = longestVisit.load(ordering: .relaxed)
        while isVisited, monotonicNanoseconds() - begin < limit { sched_yield() }
    }

    /// Whether somebody has an idle connection for a moment, to end its transaction.
    private var isVisited: Bool { visits.load(ordering: .sequentiallyConsistent) != 0 }

    /// Takes a connection that is idle but for somebody who ends its transaction: it comes free
    /// sooner than another one is opened.
    @inline(never)
    func claimVisited() -> AccessSlot? {
        guard isVisited else { return nil }
        let deadline = monotonicNanoseconds() + Waiter.watchTime
        while true {
            let isLastLook = !isVisited || monotonicNanoseconds() > deadline
            if let slot = claimAny() { return slot }
            if isLastLook { return nil }
            sched_yield()
        }
    }
}
