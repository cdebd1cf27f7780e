import Telemetry

@testable import SQLiteEngine

/// A value that represents the state that a scenario's threads share.
struct GateModel {
    /// The result of a step at a closed gate or of a canceled wait.
    static let closed = -2

    struct Slot {
        var state: UInt8
        var hasConnection: Bool
        /// The thread that holds the slot, or `nil` if the slot is free.
        var owner: Int?
    }

    struct SharedGate {
        var slots: [Slot]
        var conditions = 0
        var queue = WaiterQueue<GateModelWaiter>()
        /// The thread that has reserved one of the gate's slots, or `nil` if no slot is reserved.
        var reserver: Int?
    }

    /// The part of a wait that other threads change.
    struct Wait {
        var granted: Int?
        /// Whether the waiter had been notified when the slot was granted.
        var wasNotified = false
        /// Whether the thread's next sleep ends immediately.
        var isWoken = false
        var isTask = false
        /// The result that resumes a waiting task.
        var resumption: Int?
        var patientUntil = 0
        /// Whether the graph contains the wait.
        var isRegistered = false
    }

    var gates: [SharedGate]
    var waits: [Wait]
    var graph = WaitGraph<Int, Int>()
    /// The time, in multiples of a waiter's patience.
    var clock = 1
    /// A description of the broken rule, or `nil` if no rule is broken.
    var violation: String?

    init(_ scenario: GateScenario) {
        gates = scenario.gates.map { count in
            SharedGate(
                slots: Array(
                    repeating: Slot(
                        state: scenario.isOpen ? AccessSlot.State.idle : AccessSlot.State.closed,
                        hasConnection: scenario.isOpen
                    ),
                    count: count
                )
            )
        }
        waits = Array(repeating: Wait(), count: scenario.programs.count)
    }

    var now: UInt64 { UInt64(clock) * EngineTimings.shortestPatience }

    func slot(ofThread thread: Int, at gate: Int) -> Int? {
        gates[gate].slots.firstIndex { $0.owner == thread }
    }

    func holdsNothing(_ thread: Int) -> Bool {
        gates.allSatisfy { $0.reserver != thread && !$0.slots.contains { $0.owner == thread } }
    }

    /// Returns whether a free slot can serve a waiter.
    func serves(_ waiter: GateModelWaiter, at gate: Int) -> Bool {
        gates[gate].slots.indices.contains { index in
            let state = gates[gate].slots[index].state
            return waiter.canUse(index)
                && (state == AccessSlot.State.idle || state == AccessSlot.State.closed
                    || state == AccessSlot.State.reserved && waiter.mayBorrow)
        }
    }

    // MARK: Ownership

    mutating func acquire(_ slot: Int, at gate: Int, for thread: Int) {
        if let owner = gates[gate].slots[slot].owner {
            violation = "threads \(owner) and \(thread) both hold slot \(slot)"
        }
        gates[gate].slots[slot].owner = thread
        gates[gate].slots[slot].state = AccessSlot.State.taken
    }

    mutating func release(_ slot: Int, at gate: Int, by thread: Int, as state: UInt8) {
        if gates[gate].slots[slot].owner != thread {
            violation = "thread \(thread) releases slot \(slot), which it does not hold"
        }
        gates[gate].slots[slot].owner = nil
        gates[gate].slots[slot].state = state
    }

    /// A description of state that the threads left behind, or `nil` if the gates are in their
    /// initial state.
    var leftover: String? {
        for (index, gate) in gates.enumerated() {
            for (number, slot) in gate.slots.enumerated() {
                let isFree =
                    slot.state
                    == (gate.queue.isClosed
                        ? AccessSlot.State.retired
                        : slot.hasConnection ? AccessSlot.State.idle : AccessSlot.State.closed)
                if slot.owner != nil || !isFree { return "slot \(number) of gate \(index) is lost" }
            }
            if gate.conditions != 0 {
                return "gate \(index) still has the condition word \(gate.conditions)"
            }
            if !gate.queue.waiters.isEmpty { return "gate \(index) has waiters" }
            if gate.queue.isReserved { return "gate \(index) is reserved" }
        }
        return graph.waits.isEmpty ? nil : "the graph has waits"
    }
}
