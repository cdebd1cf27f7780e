import Findings

/// The number of log frames of each table and index since a helper started to read the log.
struct TableCounts: Equatable, Sendable {
    struct Key: Hashable, Sendable {
        var kind: WatchedTable.Kind
        /// The name, or an empty string for pages of neither a table nor an index.
        var name: String

        init(kind: WatchedTable.Kind, name: String) {
            self.kind = kind
            self.name = name
        }

        init(_ owner: PageMap.Owner, in map: PageMap) {
            if let number = owner.entry, map.entries.indices.contains(number) {
                let entry = map.entries[number]
                self.init(kind: entry.isIndex ? .index : .table, name: entry.name)
            } else {
                let kind: WatchedTable.Kind =
                    switch owner {
                    case .schema: .schema
                    case .free: .free
                    case .pointerMap: .pointerMap
                    default: .unknown
                    }
                self.init(kind: kind, name: "")
            }
        }
    }

    var counts: [Key: UInt64] = [:]
    var framesRead: UInt64 = 0
    /// Whether more frames can be read now.
    var isBehind = false
    /// The processor time of the helper, in nanoseconds.
    var helperNanoseconds: UInt64 = 0

    /// The maximum number of entries in a message.
    ///
    /// The message counts the frames of the remaining entries as unknown.
    private static let limit = 1_000

    init(
        counts: [Key: UInt64] = [:],
        framesRead: UInt64 = 0,
        isBehind: Bool = false,
        helperNanoseconds: UInt64 = 0
    ) {
        self.counts = counts
        self.framesRead = framesRead
        self.isBehind = isBehind
        self.helperNanoseconds = helperNanoseconds
    }

    var bytes: [UInt8] {
        let sorted = counts.sorted { ($0.value, $0.key.name) > ($1.value, $1.key.name) }
        var kept = Dictionary(uniqueKeysWithValues: sorted.prefix(Self.limit).map { $0 })
        let rest = sorted.dropFirst(Self.limit).reduce(0) { $0 + $1.value }
        if rest > 0 { kept[Key(kind: .unknown, name: ""), default: 0] += rest }
        var writer = MessageWriter()
        writer.put(framesRead)
        writer.put(UInt8(isBehind ? 1 : 0))
        writer.put(helperNanoseconds)
        writer.put(UInt16(kept.count))
        for (key, count) in kept {
            writer.put(UInt8(WatchedTable.Kind.allCases.firstIndex(of: key.kind) ?? 0))
            writer.put(Array(key.name.utf8))
            writer.put(count)
        }
        return writer.bytes
    }

    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        guard let framesRead = reader.get(UInt64.self), let isBehind = reader.get(UInt8.self),
            let helperNanoseconds = reader.get(UInt64.self), let count = reader.get(UInt16.self)
        else { return nil }
        for _ in 0..<count {
            guard let kind = reader.get(UInt8.self), Int(kind) < WatchedTable.Kind.allCases.count,
                let name = reader.getBytes(), let frames = reader.get(UInt64.self)
            else { return nil }
            let key = Key(
                kind: WatchedTable.Kind.allCases[Int(kind)],
                name: String(decoding: name, as: UTF8.self)
            )
            counts[key] = frames
        }
        guard reader.isAtEnd else { return nil }
        self.framesRead = framesRead
        self.isBehind = isBehind != 0
        self.helperNanoseconds = helperNanoseconds
    }

    /// Returns the counts since an earlier state.
    func since(_ baseline: TableCounts) -> TableCounts {
        var difference = TableCounts(
            framesRead: framesRead - min(framesRead, baseline.framesRead),
            helperNanoseconds: helperNanoseconds
        )
        for (key, count) in counts {
            let before = baseline.counts[key] ?? 0
            if count > before { difference.counts[key] = count - before }
        }
        return difference
    }
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
