/// An exploration of every possible order of the threads' steps.
///
/// A state is a value that contains the threads' shared memory and the position of each thread. Each
/// step corresponds to one atomic operation in the program. Each state is explored once, so the cost
/// depends on the number of states, not on the number of orders.
struct Interleavings<State: Hashable> {
    /// An order that violates an invariant.
    struct Failure: Error, CustomStringConvertible {
        /// The threads that took the steps, in order.
        var steps: [Int]
        /// The violated invariant.
        var reason: String

        var description: String { "\(reason), after steps of threads \(steps)" }
    }

    var threads: Int
    /// A closure that performs the next step of a thread.
    ///
    /// The closure returns `nil` if the thread has ended, and the same state if the thread waits.
    var step: (State, _ thread: Int) -> State?
    /// A closure that returns the invariant that a state violates, if any.
    var violation: (State) -> String?
    /// A closure that returns the invariant violated by a state without further steps, if any.
    var violationAtEnd: (State) -> String?

    /// Explores all orders that start at a state.
    ///
    /// - Returns: The number of states.
    /// - Throws: The first failure in the order of the threads.
    @discardableResult
    func explore(from state: State) throws -> Int {
        var seen: Set<State> = [state]
        var pending: [(state: State, steps: [Int])] = [(state, [])]
        while let (state, steps) = pending.popLast() {
            if let reason = violation(state) { throw Failure(steps: steps, reason: reason) }
            var hasEnded = true
            for thread in 0..<threads {
                guard let next = step(state, thread), next != state else { continue }
                hasEnded = false
                if seen.insert(next).inserted { pending.append((next, steps + [thread])) }
            }
            if hasEnded, let reason = violationAtEnd(state) {
                throw Failure(steps: steps, reason: reason)
            }
        }
        return seen.count
    }
}
