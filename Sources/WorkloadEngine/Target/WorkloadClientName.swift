import Synchronization

/// A client's name, prepared once so that an access need not build or look up a string.
public struct WorkloadClientName: Sendable, Hashable {
    /// The name in the scenario.
    public let name: String

    /// What a target wants to remember of the name.
    package let memo = Memo()

    /// Creates a name.
    public init(_ name: String) { self.name = name }

    /// Whether two clients have the same name.
    public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

    /// Feeds the name to `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// One number that a target keeps with a name, shared by the name's copies.
    package final class Memo: Sendable {
        private let number = Atomic<Int>(-1)

        /// The number that was kept, or the one that `make` gives, which is kept from now on.
        ///
        /// Two threads may both call `make`: it must give the same number each time.
        package func number(orMake make: () -> Int) -> Int {
            let kept = number.load(ordering: .relaxed)
            if kept >= 0 { return kept }
            let made = make()
            number.store(made, ordering: .relaxed)
            return made
        }
    }
}
