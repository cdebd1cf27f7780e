/// A live snapshot of the database.
public struct SnapshotStatus: Sendable, Codable, Equatable {
    /// The label of its connection: `L.snapshot.N`.
    public var label: String
    /// Who made it.
    public var origin: AccessOrigin
    /// How long it has kept its state of the database, in nanoseconds.
    public var ageNanoseconds: UInt64

    /// Creates a status.
    public init(label: String, origin: AccessOrigin, ageNanoseconds: UInt64) {
        self.label = label
        self.origin = origin
        self.ageNanoseconds = ageNanoseconds
    }
}
