/// A live snapshot of the database.
public struct SnapshotStatus: Sendable, Codable, Equatable {
    /// The label of its connection: `L.snapshot.N`.
    public var label: String
    /// Who made it.
    public var origin: AccessOrigin
    /// How long it has kept its state of the database, in nanoseconds.
    public var ageNanoseconds: UInt64
    /// The last frame of the write-ahead log that belongs to its state; nil when not known.
    public var frame: UInt64?
    /// The frames behind its own, which no checkpoint copies while it lives; nil when not known.
    public var pinnedFrames: UInt64?

    /// Creates a status.
    public init(label: String, origin: AccessOrigin, ageNanoseconds: UInt64) {
        self.label = label
        self.origin = origin
        self.ageNanoseconds = ageNanoseconds
    }
}
