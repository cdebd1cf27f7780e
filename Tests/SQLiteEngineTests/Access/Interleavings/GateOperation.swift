@testable import SQLiteEngine

/// An operation in the program of a thread.
enum GateOperation: Hashable {
    /// The index of the writer's gate.
    static let writer = 0
    /// The index of the readers' gate.
    static let readers = 1

    /// Acquires a connection on a thread: ``AccessGate/acquire(_:at:intent:)``.
    case acquire(Int)
    /// Acquires a slot on a thread, but opening the connection fails.
    case acquireButFailToOpen(Int)
    /// Acquires a connection for a task.
    case acquireForTask(Int)
    /// Releases the connection that the thread holds, if any.
    case release(Int)
    /// Acquires a specific slot for a callback, closes its connection, and releases the slot.
    case closeConnection(Int, slot: Int)
    /// Acquires every idle connection briefly: ``AccessGate/endKeptTransactions()``.
    case visit(Int)
    /// Cancels the wait of a thread's task.
    case cancel(thread: Int)
    /// Acquires all connections: ``AccessGate/withAllConnections(_:at:readers:_:)``.
    case barrier
    /// Acquires all connections for a task.
    case taskBarrier
    /// Acquires all connections and closes the gates.
    case close

    /// Whether the operation is an access of a task that can use any slot.
    var isTask: Bool {
        if case .acquireForTask = self { return true }
        return false
    }

    /// Whether the operation leaves slots without a connection.
    var closesConnection: Bool {
        if case .closeConnection = self { return true }
        return false
    }
}

/// The part of a thread's state that the thread's operation depends on.
struct GateContext: Hashable {
    /// The slot of the operation's gate that the thread holds.
    var slot: Int?
    /// Whether the thread is inside a read.
    var isInsideRead = false
    /// Whether the thread holds no slots.
    var holdsNothing = true
}

/// The gates of a scenario, for one replayed operation.
struct ReplayedGates {
    let gates: [ReplayedGate]

    private var writer: ReplayedGate { gates[GateOperation.writer] }
    private var readers: ReplayedGate { gates[GateOperation.readers] }

    /// Runs an operation until its first step without a recorded result, or until its end.
    func run(_ operation: GateOperation, _ context: GateContext) throws(NextStep) {
        switch operation {
        case .acquire(let gate):
            guard let slot = try acquire(gates[gate], context: context) else { return }
            if try !gates[gate].hasConnection(slot) {
                try gates[gate].perform(.setConnection(slot, isOpen: true))
            }
        case .acquireButFailToOpen(let gate):
            guard let slot = try acquire(gates[gate], context: context) else { return }
            if try !gates[gate].hasConnection(slot) { try gates[gate].returnSlot(slot) }
        case .acquireForTask(let gate):
            guard let slot = try acquireForTask(gates[gate], wanted: nil) else { return }
            if try !gates[gate].hasConnection(slot) {
                try gates[gate].perform(.setConnection(slot, isOpen: true))
            }
        case .release(let gate):
            if let slot = context.slot { try gates[gate].release(slot) }
        case .closeConnection(let gate, let slot):
            guard let slot = try acquireForTask(gates[gate], wanted: slot) else { return }
            try gates[gate].perform(.setConnection(slot, isOpen: false))
            try gates[gate].returnSlot(slot)
        case .visit(let index):
            let gate = gates[index]
            for slot in gate.slots {
                if try gate.claim(slot, from: AccessSlot.State.idle) { try gate.release(slot) }
            }
        case .cancel(let thread): try gates[GateOperation.readers].perform(.cancel(thread: thread))
        case .barrier: try runBarrier(isTask: false, closesGates: false)
        case .taskBarrier: try runBarrier(isTask: true, closesGates: false)
        case .close: try runBarrier(isTask: false, closesGates: true)
        }
    }

    private func acquire(
        _ gate: ReplayedGate,
        context: GateContext
    ) throws(NextStep) -> Int? {
        if let slot = try gate.claimAny() { return slot }
        if let slot = try gate.claimClosed() { return slot }
        let mayBorrow = gate.supportsReservation && context.isInsideRead
        if let slot = try gate.borrow(ifAllowed: mayBorrow) { return slot }
        let waiter = GateModelWaiter(mayBorrow: mayBorrow, holdsNothing: context.holdsNothing)
        return try wait(gate, waiter)
    }

    private func wait(
        _ gate: ReplayedGate,
        _ waiter: GateModelWaiter
    ) throws(NextStep) -> Int? {
        let end = try gate.waitForSlot(waiter)
        if !waiter.holdsNothing { try gate.perform(.endNestedWait) }
        if case .slot(let slot) = end { return slot }
        return nil
    }

    private func acquireForTask(
        _ gate: ReplayedGate,
        wanted: Int?,
        holdsNothing: Bool = true
    ) throws(NextStep) -> Int? {
        if let wanted {
            if try gate.claim(wanted, from: AccessSlot.State.idle) { return wanted }
            if try gate.claim(wanted, from: AccessSlot.State.closed) { return wanted }
        } else if try !gate.readConditions().hasWaiters {
            if let slot = try gate.claimAny() { return slot }
            if let slot = try gate.claimClosed() { return slot }
        }
        let waiter = GateModelWaiter(wanted: wanted, isTask: true, holdsNothing: holdsNothing)
        if try gate.isDeadlocked(waiter) { return nil }
        guard try gate.startWaiting(waiter) else {
            if !holdsNothing { try gate.perform(.endNestedWait) }
            return nil
        }
        let slot = try gate.perform(.awaitResumption)
        return slot < 0 ? nil : slot
    }

    private func take(
        _ slot: Int,
        gate: ReplayedGate,
        isTask: Bool,
        holdsNothing: Bool = false
    ) throws(NextStep) -> Bool {
        if isTask {
            return try acquireForTask(gate, wanted: slot, holdsNothing: holdsNothing) != nil
        }
        if try gate.claim(slot, from: AccessSlot.State.idle) { return true }
        if try gate.claim(slot, from: AccessSlot.State.closed) { return true }
        return try wait(gate, GateModelWaiter(wanted: slot, holdsNothing: holdsNothing)) != nil
    }

    private func runBarrier(isTask: Bool, closesGates: Bool) throws(NextStep) {
        guard try take(0, gate: writer, isTask: isTask, holdsNothing: true) else { return }
        try writer.reserve()
        for slot in readers.slots {
            if try take(slot, gate: readers, isTask: isTask) { continue }
            for acquired in 0..<slot { try readers.returnSlot(acquired) }
            try writer.endReservation()
            return
        }
        let slot = try writer.claimReservation()
        if closesGates {
            try readers.perform(.retire)
            try writer.perform(.retire)
        }
        try writer.returnSlot(slot)
        for slot in readers.slots { try readers.returnSlot(slot) }
    }
}
