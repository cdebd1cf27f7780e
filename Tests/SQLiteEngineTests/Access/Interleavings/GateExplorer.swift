@testable import SQLiteEngine

/// An exploration of every interleaving of a scenario's threads.
///
/// The search is depth-first and visits each state once, because the future of a state does not
/// depend on the path that led to it.
struct GateExplorer {
    /// The position of a thread in its program.
    struct Control: Hashable {
        /// The index of the operation in the thread's program.
        var operation = 0
        /// The node in the tree of the operation, or `nil` if the thread has ended.
        var node: Int?
    }

    private struct State {
        var model: GateModel
        var controls: [Control]
    }

    /// A state on the path to the current state.
    private struct Visit {
        let state: State
        /// The thread to run next, or the number of threads if time passes next.
        var thread = 0
        /// Whether every thread is blocked or has ended.
        var isStuck = true
        /// Whether every thread is blocked, has ended, or is between two operations.
        var isQuiet = true
        /// The step that led to the state, or `nil` if time has passed.
        var step: (thread: Int, node: Int, result: Int)?
    }

    let scenario: GateScenario
    let flaw: GateFlaw?
    /// The number of visited states.
    var stateCount: Int { visited.count }
    /// The first broken rule, with the steps that lead to it.
    private(set) var violation: String?

    private var trees: GateTrees
    private var visited: Set<GateStateKey> = []
    private var path: [Visit] = []

    init(_ scenario: GateScenario, flaw: GateFlaw? = nil) {
        self.scenario = scenario
        self.flaw = flaw
        trees = GateTrees(scenario, flaw)
    }

    /// Explores until every state has been visited or a rule is broken.
    mutating func explore() {
        var state = State(
            model: GateModel(scenario),
            controls: Array(repeating: Control(), count: scenario.programs.count)
        )
        for thread in scenario.programs.indices {
            advance(thread, &state)
            let initialOperationCount =
                thread < scenario.initialOperationCounts.count
                ? scenario.initialOperationCounts[thread] : 0
            while state.controls[thread].operation < initialOperationCount {
                guard let following = perform(thread, state) else { break }
                state = following.state
            }
        }
        visit(state, after: nil)
        while let last = path.indices.last, violation == nil {
            let thread = path[last].thread
            path[last].thread += 1
            if thread < scenario.programs.count {
                guard let next = perform(thread, path[last].state) else { continue }
                path[last].isStuck = false
                if !isBetweenOperations(thread, path[last].state) { path[last].isQuiet = false }
                visit(next.state, after: next.step)
            } else if thread == scenario.programs.count {
                if path[last].isQuiet { checkSleepers(path[last].state) }
                passTime(path[last].state, isStuck: path[last].isStuck)
            } else {
                path.removeLast()
            }
        }
    }

    private mutating func visit(_ state: State, after step: (Int, Int, Int)?) {
        guard visited.insert(GateStateKey(state.model, state.controls)).inserted else { return }
        path.append(Visit(state: state, step: step))
        if let violation = state.model.violation { report(violation) }
    }

    /// Performs the next step of a thread.
    ///
    /// - Returns: The new state, or `nil` if the thread is blocked or has ended.
    private mutating func perform(
        _ thread: Int,
        _ state: State
    ) -> (state: State, step: (Int, Int, Int))? {
        guard let node = state.controls[thread].node, let next = trees.step(at: node) else {
            return nil
        }
        var following = state
        let result = following.model.perform(next.step, at: next.gate, by: thread, flaw)
        guard let result else { return nil }
        following.controls[thread].node = trees.child(of: node, result)
        advance(thread, &following)
        return (following, (thread, node, result))
    }

    /// Returns whether a thread is about to start an operation.
    ///
    /// A thread may remain there for any length of time, inside or outside the closure of an
    /// access.
    private func isBetweenOperations(_ thread: Int, _ state: State) -> Bool {
        state.controls[thread].node.map(trees.isRoot) ?? true
    }

    /// Checks that no waiter sleeps indefinitely while a slot is free.
    ///
    /// A thread may sleep until its patience expires, because it then checks the slots again.
    private mutating func checkSleepers(_ state: State) {
        for (index, gate) in state.model.gates.enumerated() {
            for waiter in gate.queue.waiters {
                let step = state.controls[waiter.thread].node.flatMap(trees.step)?.step
                if case .sleep(_, isPatient: true) = step { return }
            }
            for waiter in gate.queue.waiters where state.model.serves(waiter, at: index) {
                report("thread \(waiter.thread) sleeps although a slot is free")
            }
        }
    }

    /// Advances the clock, which affects only waiters.
    private mutating func passTime(_ state: State, isStuck: Bool) {
        let hasWaiters = state.model.gates.contains { !$0.queue.waiters.isEmpty }
        let isTimed = state.model.waits.contains { $0.patientUntil > state.model.clock }
        if hasWaiters, !isStuck || isTimed {
            var later = state
            later.model.clock += 1
            visit(later, after: nil)
        } else if isStuck {
            let hasEnded = state.controls.allSatisfy { $0.node == nil }
            report(hasEnded ? state.model.leftover : "no thread can continue")
        }
    }

    /// Advances a thread to its next step that depends on other threads.
    private mutating func advance(_ thread: Int, _ state: inout State) {
        while true {
            let program = scenario.programs[thread]
            let control = state.controls[thread]
            guard control.operation < program.count else { return }
            guard let node = control.node else {
                let operation = program[control.operation]
                let context = context(of: operation, thread, state.model)
                state.controls[thread].node = trees.root(operation, context)
                continue
            }
            guard let next = trees.step(at: node) else {
                state.controls[thread] = Control(operation: control.operation + 1)
                continue
            }
            guard scenario.isConstant(next.step),
                let result = state.model.perform(next.step, at: next.gate, by: thread, flaw)
            else { return }
            state.controls[thread].node = trees.child(of: node, result)
        }
    }

    private func context(
        of operation: GateOperation,
        _ thread: Int,
        _ model: GateModel
    ) -> GateContext {
        var context = GateContext()
        if case .release(let gate) = operation {
            context.slot = model.slot(ofThread: thread, at: gate)
        }
        if case .acquire = operation {
            context.isInsideRead = model.slot(ofThread: thread, at: GateOperation.readers) != nil
            context.holdsNothing = model.holdsNothing(thread)
        }
        return context
    }

    private mutating func report(_ violation: String?) {
        guard let violation else { return }
        let steps = path.dropFirst().map { visit in
            guard let (thread, node, result) = visit.step, let next = trees.step(at: node) else {
                return "time passes"
            }
            return "thread \(thread), gate \(next.gate): \(next.step) -> \(result)"
        }
        self.violation = ([violation] + steps).joined(separator: "\n")
    }
}
