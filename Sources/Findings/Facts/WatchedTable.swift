/// The frames of a log that belong to one table or index.
public struct WatchedTable: Sendable, Codable, Equatable {
    /// The use of a page.
    public enum Kind: String, Sendable, Codable, Equatable, CaseIterable {
        /// A page whose use is unknown.
        case unknown
        /// A table.
        case table
        /// An index.
        case index
        /// The schema.
        case schema
        /// The list of free pages.
        case free
        /// A page that maps pages to their parents, for auto-vacuum.
        case pointerMap
    }

    /// The name, or an empty string if the pages belong to neither a table nor an index.
    public var name: String
    /// The use of the pages.
    public var kind: Kind
    /// The share of the read frames, from 0 to 1.
    public var share: Double
    /// The number of frames.
    public var frames: UInt64

    /// Creates a count.
    public init(name: String, kind: Kind, share: Double, frames: UInt64) {
        self.name = name
        self.kind = kind
        self.share = share
        self.frames = frames
    }
}

/// The proportion of written frames that a list of tables covers.
public struct WatchedCoverage: Sendable, Codable, Equatable {
    /// The number of frames that were read in the interval.
    public var framesRead: UInt64
    /// The share of the frames written in the interval that were also read, from 0 to 1.
    public var readShare: Double
    /// The share of the read frames that belong to an unknown table, from 0 to 1.
    public var unknownShare: Double

    /// Creates a coverage.
    public init(framesRead: UInt64, readShare: Double, unknownShare: Double) {
        self.framesRead = framesRead
        self.readShare = readShare
        self.unknownShare = unknownShare
    }
}
