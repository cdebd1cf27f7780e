import Testing

@testable import SQLiteEngine

/// The gates of an exploration, and the programs of its threads.
struct GateScenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// The number of slots at the writer's gate and at the readers' gate.
    let gates: [Int]
    /// Whether the connections are open at the start.
    let isOpen: Bool
    /// The number of operations that each thread performs before the exploration starts.
    ///
    /// The threads perform these operations one after another.
    let initialOperationCounts: [Int]
    /// The operations of each thread.
    let programs: [[GateOperation]]

    init(
        _ name: String,
        readers: Int = 1,
        isOpen: Bool = true,
        initialOperationCounts: [Int] = [],
        _ programs: [[GateOperation]]
    ) {
        self.name = name
        gates = [1, readers]
        self.isOpen = isOpen
        self.initialOperationCounts = initialOperationCounts
        self.programs = programs
    }

    var testDescription: String { name }

    private func contains(_ predicate: (GateOperation) -> Bool) -> Bool {
        programs.contains { $0.contains(where: predicate) }
    }

    /// Returns whether a step always has the same result in this scenario.
    ///
    /// The order of such a step relative to steps of other threads does not matter.
    func isConstant(_ step: GateStep) -> Bool {
        switch step {
        case .hasConnection, .setConnection: true
        case .isDeadlocked(let waiter): waiter.holdsNothing
        case .queueIsClosed: !contains { $0 == .close }
        case .queueHasTask: !contains(\.isTask)
        case .claim(_, AccessSlot.State.closed, _): isOpen && !contains(\.closesConnection)
        default: false
        }
    }
}
