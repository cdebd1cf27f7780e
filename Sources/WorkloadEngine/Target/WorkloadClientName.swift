import Synchronization

/// A client's name, prepared so that accesses do not have to create or look up strings.
public struct WorkloadClientName: Sendable, Hashable {
    /// The name in the scenario.
    public let name: String
    package let memo = Memo()

    /// Creates a name.
    public init(_ name: String) { self.name = name }

    /// Returns whether two clients have the same name.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// A number that a target stores with a name, shared by all copies of the name.
    package final class Memo: Sendable {
        private let number = Atomic<Int>(-1)

        /// Returns the stored number, or stores and returns the result of `make` if there is
        /// none.
        ///
        /// Concurrent callers may each call `make`, which must always return the same number.
        package func number(orMake make: () -> Int) -> Int {
            let stored = number.load(ordering: .relaxed)
            if stored >= 0 { return stored }
            let made = make()
            number.store(made, ordering: .relaxed)
            return made
        }
    }
}
