/// Explores every order in which threads can take their steps.
///
/// A world is a value: the memory that the threads share, and where each of them is. One step reads
/// and writes as much as one atomic operation of the program does. Worlds that were reached before
/// are not explored again, so the number of orders does not matter, only that of worlds.
struct Interleavings<World: Hashable> {
    /// An order that breaks a promise.
    struct Failure: Error, CustomStringConvertible {
        /// The threads that took the steps, in order.
        var steps: [Int]
        /// What was broken.
        var reason: String

        var description: String { "\(reason), by the steps of \(steps)" }
    }

    var threads: Int
    /// Takes the thread's next step; returns nil when it has ended, and the same world when it waits.
    var step: (World, _ thread: Int) -> World?
    /// What is broken at any time; nil when nothing is.
    var violation: (World) -> String?
    /// What is broken when no thread can take a step any more.
    var violationAtEnd: (World) -> String?

    /// Explores all orders from a world on.
    ///
    /// - Returns: How many worlds there are.
    /// - Throws: The first failure, by the order of the threads.
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
