@testable import SQLiteEngine

/// Defines the effect of each step on the shared state, as the counterpart of
/// `AccessGate+Waiting.swift`.
extension GateModel {
    /// Performs a step of a thread.
    ///
    /// - Returns: The result of the step, or `nil` if the thread is blocked before the step.
    mutating func perform(
        _ step: GateStep,
        at index: Int,
        by thread: Int,
        _ flaw: GateFlaw?
    ) -> Int? {
        switch step {
        case .claim(let slot, let state, let onlyCompares):
            guard gates[index].slots[slot].state == state else { return 0 }
            if !onlyCompares { acquire(slot, at: index, for: thread) }
            return 1
        case .seize(let slot):
            acquire(slot, at: index, for: thread)
            return 1
        case .claimWhenReserved:
            guard gates[index].slots[0].state == AccessSlot.State.reserved else { return nil }
            acquire(0, at: index, for: thread)
            return 1
        case .free(let slot, let state):
            release(slot, at: index, by: thread, as: state)
            return 1
        case .hasConnection(let slot): return gates[index].slots[slot].hasConnection ? 1 : 0
        case .setConnection(let slot, let isOpen):
            gates[index].slots[slot].hasConnection = isOpen
            return 1
        case .readConditions:
            let conditions = GateConditions(word: gates[index].conditions)
            return (conditions.hasWaiters ? 1 : 0)
                + (conditions.forbidsKeeping ? GateConditions.forbidding : 0)
        case .forbidKeeping:
            gates[index].conditions += GateConditions.forbidding
            return 1
        case .allowKeeping:
            gates[index].conditions -= GateConditions.forbidding
            return 1
        case .queueIsClosed: return gates[index].queue.isClosed ? 1 : 0
        case .queueHasTask: return gates[index].queue.hasTask ? 1 : 0
        case .setReserved(let isReserved):
            gates[index].queue.isReserved = isReserved
            gates[index].reserver = isReserved ? thread : nil
            return 1
        case .freeIfReserved(let slot):
            guard gates[index].queue.isReserved else { return 0 }
            release(slot, at: index, by: thread, as: AccessSlot.State.reserved)
            return 1
        case .enqueue, .withdraw, .startWatching, .stopWatching, .handOver, .cancel, .retire:
            return performInQueue(step, at: index, by: thread, flaw)
        case .sleep, .discardWakeUp, .notify, .wake, .wakeThreads, .isDeadlocked, .endNestedWait,
            .awaitResumption:
            return performSleeping(step, at: index, by: thread)
        }
    }

    private mutating func performInQueue(
        _ step: GateStep,
        at index: Int,
        by thread: Int,
        _ flaw: GateFlaw?
    ) -> Int? {
        switch step {
        case .enqueue(var waiter):
            guard !gates[index].queue.isClosed else { return 0 }
            waiter.thread = thread
            waiter.since = now
            resetWait(of: thread)
            waits[thread].isTask = waiter.isTask
            waits[thread].patientUntil = clock + 1
            gates[index].queue.append(waiter, at: 0)
            gates[index].conditions += 1
            return 1
        case .withdraw:
            let waiter = GateModelWaiter(thread: thread)
            let isNotified = gates[index].queue.waiters.contains { waiter in
                waiter.thread == thread && waiter.isNotified
            }
            if gates[index].queue.remove(waiter, at: 0) { gates[index].conditions -= 1 }
            let mayLeaveFreeSlot =
                isNotified || waits[thread].wasNotified || gates[index].queue.hasTask
            let granted = waits[thread].granted.map { $0 + 1 } ?? 0
            resetWait(of: thread)
            return 2 * granted + (mayLeaveFreeSlot ? 1 : 0)
        case .startWatching:
            if let granted = waits[thread].granted { return take(granted, on: thread) }
            let waiter = GateModelWaiter(thread: thread)
            return gates[index].queue.startWatching(waiter) ? -1 : Self.closed
        case .stopWatching:
            gates[index].queue.stopWatching(GateModelWaiter(thread: thread))
            if let granted = waits[thread].granted { return take(granted, on: thread) }
            return -1
        case .handOver(let slot): return handOver(slot, at: index, by: thread, flaw)
        case .cancel(let other):
            guard waits[other].isTask,
                gates[index].queue.remove(GateModelWaiter(thread: other), at: 0)
            else { return 0 }
            if flaw != .countsCancelledWaiters { gates[index].conditions -= 1 }
            endNestedWait(other)
            waits[other].resumption = Self.closed
            return 1
        case .retire:
            gates[index].queue.isClosed = true
            for waiter in gates[index].queue.removeAll(at: 0) {
                gates[index].conditions -= 1
                waits[waiter.thread].isWoken = true
                if waiter.isTask {
                    endNestedWait(waiter.thread)
                    waits[waiter.thread].resumption = Self.closed
                }
            }
            return 1
        default: return nil
        }
    }

    /// Resets the state of a finished wait, except for state that outlives the wait.
    private mutating func resetWait(of thread: Int) {
        waits[thread] = Wait(
            isWoken: waits[thread].isWoken,
            isRegistered: waits[thread].isRegistered
        )
    }

    /// Ends a thread's wait with the slot that was granted to it.
    private mutating func take(_ slot: Int, on thread: Int) -> Int {
        resetWait(of: thread)
        return slot
    }

    private mutating func handOver(
        _ slot: Int,
        at index: Int,
        by thread: Int,
        _ flaw: GateFlaw?
    ) -> Int {
        let queue = gates[index].queue
        let decision = gates[index].queue.release(slot, at: now)
        if case .grant(let waiter) = decision {
            if flaw == .grantsWithoutRemoving {
                gates[index].queue = queue
            } else {
                gates[index].conditions -= 1
            }
            if gates[index].slots[slot].owner != thread {
                violation = "thread \(thread) grants slot \(slot), which it does not hold"
            }
            gates[index].slots[slot].owner = waiter.thread
            waits[waiter.thread].granted = slot
            waits[waiter.thread].wasNotified = waiter.isNotified
            return 8 * waiter.thread + (waiter.isTask ? 4 : 0) + (waiter.isAwake ? 3 : 2)
        }
        if flaw != .releasesOutsideTheLock {
            let isOpen = gates[index].slots[slot].hasConnection
            let state = isOpen ? AccessSlot.State.idle : AccessSlot.State.closed
            release(slot, at: index, by: thread, as: state)
        }
        if case .notify(let waiter) = decision { return 8 * waiter.thread + 1 }
        return 0
    }

    private mutating func performSleeping(
        _ step: GateStep,
        at index: Int,
        by thread: Int
    ) -> Int? {
        switch step {
        case .sleep(_, let isPatient):
            let isExpired = clock >= waits[thread].patientUntil
            guard waits[thread].isWoken || isPatient && isExpired else { return nil }
            waits[thread].isWoken = false
            return isPatient && !isExpired ? 1 : 0
        case .discardWakeUp:
            waits[thread].isWoken = false
            return 1
        case .notify(let other):
            waits[other].isWoken = true
            return 1
        case .wake(let other, let slot, let isTask):
            if isTask {
                endNestedWait(other)
                waits[other].resumption = slot
            } else {
                waits[other].isWoken = true
            }
            return 1
        case .wakeThreads:
            for waiter in gates[index].queue.waiters where !waiter.isTask {
                waits[waiter.thread].isWoken = true
            }
            return 1
        case .awaitResumption:
            guard let result = waits[thread].resumption else { return nil }
            resetWait(of: thread)
            return result
        case .isDeadlocked(let waiter): return isDeadlocked(waiter, at: index, thread) ? 1 : 0
        case .endNestedWait:
            endNestedWait(thread)
            return 1
        default: return nil
        }
    }

    private mutating func endNestedWait(_ thread: Int) {
        graph.remove(thread)
        waits[thread].isRegistered = false
    }

    /// Returns whether a wait would never end, like ``AccessGate/deadlock(of:)``.
    private mutating func isDeadlocked(
        _ waiter: GateModelWaiter,
        at index: Int,
        _ thread: Int
    ) -> Bool {
        if waiter.holdsNothing { return false }
        let site = AccessSite(word: 0)
        let number = { (gate: Int, slot: Int) in 10 * gate + slot }
        var wait = WaitGraph<Int, Int>.Wait(
            holdings: [],
            awaited: gates[index].slots.indices
                .filter { waiter.wanted == nil || waiter.wanted == $0 }
                .map { number(index, $0) },
            mayBorrow: waiter.mayBorrow,
            site: site
        )
        for (gate, shared) in gates.enumerated() {
            for (slot, state) in shared.slots.enumerated() where state.owner == thread {
                wait.holdings.append(.init(slot: number(gate, slot), site: site))
            }
            if shared.reserver == thread {
                let holding = WaitGraph<Int, Int>.Holding(
                    slot: number(gate, 0),
                    site: site,
                    isReserved: true
                )
                wait.holdings.append(holding)
            }
        }
        let isDeadlocked = graph.update(thread, wait) != nil
        waits[thread].isRegistered = !isDeadlocked
        return isDeadlocked
    }
}
