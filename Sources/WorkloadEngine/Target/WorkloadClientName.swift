import Synchronization

/// The name of a client, prepared so that accesses do not need to create or look up strings.
public struct WorkloadClientName: Sendable, Hashable {
    /// The name in the scenario.
    public let name: String
    /// Whether the accesses are part of the load.
    ///
    /// A target excludes other accesses from its times, waiters, and snapshot counts.
    package let isCounted: Bool

    /// The number that a target stores with the name.
    package let memo = Memo()

    /// Creates a name.
    public init(_ name: String) {
        self.name = name
        isCounted = true
    }

    /// Creates the name of accesses that are not part of the load.
    package init(uncounted name: String) {
        self.name = name
        isCounted = false
    }

    /// Returns whether two clients have the same name.
    public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

    /// Hashes the name into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// A number that a target stores with a name.
    ///
    /// All copies of the name share the number.
    package final class Memo: Sendable {
        private let number = Atomic<Int>(-1)

        /// Returns the stored number, or stores and returns the result of `make` if there is none.
        ///
        /// Two threads may both call `make`, which must return the same number each time.
        package func number(orMake make: () -> Int) -> Int {
            let kept = number.load(ordering: .relaxed)
            if kept >= 0 { return kept }
            let made = make()
            number.store(made, ordering: .relaxed)
            return made
        }
    }
}
