import Telemetry

@testable import SQLiteEngine

/// A state of an exploration, packed into a few words.
///
/// Two states with the same key have the same future. The key contains no times. It records only
/// whether the patience of a waiter has expired and whether the interval between two notifications
/// has elapsed. The key does not contain the graph, because the slots and the current step of each
/// thread determine it.
struct GateStateKey: Hashable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0
    private var usedBitCount = 0

    init(_ model: GateModel, _ controls: [GateExplorer.Control]) {
        for gate in model.gates { add(gate, model) }
        for wait in model.waits {
            add((wait.granted ?? -1) + 1, bits: 3)
            add((wait.resumption ?? -1) + 2, bits: 3)
            add(wait.wasNotified)
            add(wait.isWoken)
            add(wait.isTask)
            add(wait.isRegistered)
            add(wait.patientUntil > model.clock)
        }
        for control in controls {
            add(control.operation, bits: 4)
            add((control.node ?? -1) + 1, bits: 17)
        }
    }

    private mutating func add(_ gate: GateModel.SharedGate, _ model: GateModel) {
        for slot in gate.slots {
            add(Int(slot.state), bits: 3)
            add(slot.hasConnection)
            add((slot.owner ?? -1) + 1, bits: 2)
        }
        add(gate.conditions % GateConditions.forbidding, bits: 3)
        add(gate.conditions / GateConditions.forbidding, bits: 2)
        add((gate.reserver ?? -1) + 1, bits: 2)
        let interval = EngineTimings.notificationInterval
        add(model.now - gate.queue.lastNotification < interval)
        add(gate.queue.isClosed)
        add(gate.queue.isReserved)
        add(gate.queue.waiters.count, bits: 3)
        for waiter in gate.queue.waiters {
            add(waiter.thread, bits: 2)
            add((waiter.wanted ?? -1) + 1, bits: 2)
            add(waiter.isTask)
            add(waiter.isNotified)
            add(waiter.isAwake)
            add(model.now - waiter.since >= EngineTimings.shortestPatience)
        }
    }

    private mutating func add(_ flag: Bool) { add(flag ? 1 : 0, bits: 1) }

    private mutating func add(_ value: Int, bits: Int) {
        precondition(value >= 0 && value < 1 << bits, "the key has too few bits")
        // A value is never split between two words.
        if usedBitCount / 64 < (usedBitCount + bits - 1) / 64 {
            usedBitCount = (usedBitCount / 64 + 1) * 64
        }
        let shifted = UInt64(value) << UInt64(usedBitCount % 64)
        switch usedBitCount / 64 {
        case 0: first |= shifted
        case 1: second |= shifted
        case 2: third |= shifted
        case 3: fourth |= shifted
        default: preconditionFailure("the key has too few words")
        }
        usedBitCount += bits
    }
}
