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
}

/// The proportion of written frames that a list of tables covers.
public struct WatchedCoverage: Sendable, Codable, Equatable {
    /// The number of frames that were read in the interval.
    public var framesRead: UInt64
    /// The share of the frames written in the interval that were also read, from 0 to 1.
    public var readShare: Double
    /// The share of the read frames that belong to an unknown table, from 0 to 1.
    public var unknownShare: Double
}

extension TableCounts {
    /// The tables and indexes, sorted by number of frames in descending order.
    var tables: [WatchedTable] {
        let total = Double(max(framesRead, 1))
        return counts.map { key, count in
            WatchedTable(
                name: key.name,
                kind: key.kind,
                share: min(1, Double(count) / total),
                frames: count
            )
        }.sorted { ($0.frames, $1.name) > ($1.frames, $0.name) }
    }

    /// Returns the coverage for a number of written frames.
    func coverage(written: UInt64) -> WatchedCoverage {
        let unknown = counts[Key(kind: .unknown, name: "")] ?? 0
        return WatchedCoverage(
            framesRead: framesRead,
            readShare: written == 0 ? 1 : min(1, Double(framesRead) / Double(written)),
            unknownShare: framesRead == 0 ? 0 : min(1, Double(unknown) / Double(framesRead))
        )
    }

    mutating func add(_ other: TableCounts) {
        framesRead += other.framesRead
        for (key, count) in other.counts { counts[key, default: 0] += count }
    }
}
