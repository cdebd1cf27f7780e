@testable import SQLiteEngine

/// The next step of each operation, depending on the results of the operation's steps so far.
///
/// Running the protocol is the slowest part of an exploration, so it runs only once for each list
/// of results.
struct GateTrees {
    private struct Node {
        var results: [Int]
        var next: NextStep?
        var children: [Int: Int] = [:]
        let operation: GateOperation
        let context: GateContext
    }

    private struct Start: Hashable {
        let operation: GateOperation
        let context: GateContext
    }

    /// The position of a thread that has slept.
    ///
    /// The results of steps before the sleep no longer matter. If positions included them, each
    /// round of a wait would lead to new positions.
    private struct Awakening: Hashable {
        let operation: GateOperation
        let context: GateContext
        let gate: Int
        let step: GateStep
        let result: Int

        init?(_ node: Node, _ result: Int) {
            guard let next = node.next, case .sleep = next.step else { return nil }
            operation = node.operation
            context = node.context
            gate = next.gate
            step = next.step
            self.result = result
        }
    }

    private let scenario: GateScenario
    private let flaw: GateFlaw?
    private var awakenings: [Awakening: Int] = [:]
    private var roots: [Start: Int] = [:]
    private var nodes: [Node] = []

    init(_ scenario: GateScenario, _ flaw: GateFlaw?) {
        self.scenario = scenario
        self.flaw = flaw
    }

    /// Returns the node at the start of an operation.
    mutating func root(_ operation: GateOperation, _ context: GateContext) -> Int {
        let start = Start(operation: operation, context: context)
        if let root = roots[start] { return root }
        nodes.append(makeNode([], operation, context))
        roots[start] = nodes.count - 1
        return nodes.count - 1
    }

    /// Returns the step that a thread performs at a node, or `nil` at the end of the operation.
    func step(at node: Int) -> NextStep? { nodes[node].next }

    /// Returns whether a node is the start of an operation.
    func isRoot(_ node: Int) -> Bool { nodes[node].results.isEmpty }

    /// Returns the node that follows a step with a given result.
    mutating func child(of node: Int, _ result: Int) -> Int {
        if let child = nodes[node].children[result] { return child }
        let parent = nodes[node]
        let newNode = makeNode(parent.results + [result], parent.operation, parent.context)
        let awakening = Awakening(parent, result)
        let child = awakening.flatMap { awakenings[$0] } ?? nodes.count
        if child == nodes.count { nodes.append(newNode) }
        precondition(
            newNode.next == nodes[child].next,
            "the steps after a sleep depend on the steps before it"
        )
        if let awakening { awakenings[awakening] = child }
        nodes[node].children[result] = child
        return child
    }

    private func makeNode(
        _ results: [Int],
        _ operation: GateOperation,
        _ context: GateContext
    ) -> Node {
        let replay = GateReplay(results: results)
        let gates = scenario.gates.enumerated().map { index, count in
            let supportsReservation = index == GateOperation.writer && scenario.gates.count > 1
            return ReplayedGate(
                index,
                slots: count,
                supportsReservation: supportsReservation,
                replay,
                flaw
            )
        }
        var next: NextStep?
        do throws(NextStep) {
            try ReplayedGates(gates: gates).run(operation, context)
        } catch {
            next = error
        }
        return Node(results: results, next: next, operation: operation, context: context)
    }
}
