/// An open snapshot of the database.
public struct SnapshotStatus: Sendable, Codable, Equatable {
    /// The label of the snapshot's connection: `L.snapshot.N`.
    public var label: String
    /// The access that created the snapshot, or `nil` if unknown.
    public var origin: AccessOrigin?
    /// The age of the snapshot's database state, in nanoseconds.
    public var ageNanoseconds: UInt64
    /// The last log frame that belongs to the snapshot's state, or `nil` if unknown.
    public var frame: UInt64?
    /// The number of frames after ``frame``, or `nil` if unknown.
    ///
    /// Checkpoints do not copy these frames while the snapshot is open.
    public var pinnedFrames: UInt64?

    /// Creates a status.
    public init(label: String, origin: AccessOrigin?, ageNanoseconds: UInt64) {
        self.label = label
        self.origin = origin
        self.ageNanoseconds = ageNanoseconds
    }
}
