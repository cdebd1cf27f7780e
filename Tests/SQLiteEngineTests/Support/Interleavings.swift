/// Explores every order in which threads can take their steps.
///
/// A world is a value that contains the shared memory of the threads and the position of each
/// thread. One step reads and writes as much as one atomic operation in the program. Each world is
/// explored once, so the cost depends on the number of worlds, not on the number of orders.
struct Interleavings<World: Hashable> {
    /// An order that violates an invariant.
    struct Failure: Error, CustomStringConvertible {
        /// The threads that took the steps, in order.
        var steps: [Int]
        /// The violated invariant.
        var reason: String

        var description: String { "\(reason), by the steps of \(steps)" }
    }

    var threads: Int
    /// Performs the next step of a thread.
    ///
    /// Returns `nil` if the thread has ended, and the same world if the thread waits.
    var step: (World, _ thread: Int) -> World?
    /// Returns the invariant that a world violates, if any.
    var violation: (World) -> String?
    /// Returns the invariant that a world violates when no thread can perform a step, if any.
    var violationAtEnd: (World) -> String?

    /// Explores all orders that start at a world.
    ///
    /// - Returns: The number of worlds.
    /// - Throws: The first failure in the order of the threads.
    @discardableResult
    func explore(from world: World) throws -> Int {
        var seen: Set<World> = [world]
        var pending: [(world: World, steps: [Int])] = [(world, [])]
        while let (world, steps) = pending.popLast() {
            if let reason = violation(world) { throw Failure(steps: steps, reason: reason) }
            var isOver = true
            for thread in 0..<threads {
                guard let next = step(world, thread), next != world else { continue }
                isOver = false
                if seen.insert(next).inserted { pending.append((next, steps + [thread])) }
            }
            if isOver, let reason = violationAtEnd(world) {
                throw Failure(steps: steps, reason: reason)
            }
        }
        return seen.count
    }
}
