/// The frames of a log that belong to one table or index.
public struct WatchedTable: Sendable, Codable, Equatable {
    /// What a page is used for.
    public enum Kind: String, Sendable, Codable, Equatable, CaseIterable {
        /// A page that could not be mapped.
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

    /// The name; empty where the kind says all.
    public var name: String
    /// What its pages are used for.
    public var kind: Kind
    /// The share of the frames that were read, from 0 to 1.
    public var share: Double
    /// The frames that were read.
    public var frames: UInt64
}

/// How much of the written frames a list of tables explains.
public struct WatchedCoverage: Sendable, Codable, Equatable {
    /// The frames of the interval that were read.
    public var framesRead: UInt64
    /// The share of the frames written in the interval that were read, from 0 to 1.
    public var readShare: Double
    /// The share of the frames read whose table is not known, from 0 to 1.
    public var unknownShare: Double
}

extension TableCounts {
    /// The tables and indexes, the one with most frames first.
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

    /// How much of so many written frames it explains.
    func coverage(written: UInt64) -> WatchedCoverage {
        let unknown = counts[Key(kind: .unknown, name: "")] ?? 0
        return WatchedCoverage(
            framesRead: framesRead,
            readShare: written == 0 ? 1 : min(1, Double(framesRead) / Double(written)),
            unknownShare: framesRead == 0 ? 0 : min(1, Double(unknown) / Double(framesRead))
        )
    }

    /// Adds the counts of another helper.
    mutating func add(_ other: TableCounts) {
        framesRead += other.framesRead
        for (key, count) in other.counts { counts[key, default: 0] += count }
    }
}
