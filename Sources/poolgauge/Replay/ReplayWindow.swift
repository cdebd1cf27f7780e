import Recording

/// The decoded samples of the history before a position.
///
/// A jump first decodes the newest samples within a time budget. As a result, the display responds
/// within a tenth of a second. Later calls decode the older samples.
struct ReplayWindow {
    /// A decoded sample.
    struct Entry {
        var index: Int
        var value: RecordedValue
    }

    /// A change to the displayed entries.
    enum Change {
        case none
        /// Append entries to the history.
        case append([Entry])
        /// Replace the history with all entries.
        case replace
    }

    /// The length of the history, in milliseconds: the longest window of the dashboards.
    static let length: Int64 = 300_000
    /// The maximum number of samples in the history.
    ///
    /// For longer histories, evenly spaced samples are omitted.
    private static let limit = 1_000
    /// The maximum number of samples that one frame appends during fast playback.
    private static let frameLimit = 60

    private let reader: RecordingReader
    private let contents: RecordingContents
    private let clock: () -> UInt64
    /// The entries in ascending order of their indices.
    ///
    /// The last entry is at the position.
    private(set) var entries: [Entry] = []
    /// The indices of older samples that have not been decoded yet, newest last.
    private var undecodedIndexes: [Int] = []
    /// The indices of samples that cannot be decoded.
    private(set) var damaged: Set<Int> = []

    init(
        _ reader: RecordingReader,
        _ contents: RecordingContents,
        clock: @escaping () -> UInt64 = { MonotonicTime.now }
    ) {
        self.reader = reader
        self.contents = contents
        self.clock = clock
    }

    /// Whether the whole history before the position has been decoded.
    var isComplete: Bool { undecodedIndexes.isEmpty }

    private var rows: [RecordedRow] { contents.rows }

    /// Moves to the last sample at or before a time.
    ///
    /// - Parameters:
    ///   - time: The position, in milliseconds since 1970.
    ///   - budget: The maximum time for decoding, in nanoseconds.
    /// - Returns: The change to the entries.
    mutating func move(to time: Int64, budget: UInt64) -> Change {
        let target = contents.index(at: time + 1) - 1
        guard target >= 0 else { return .none }
        if let last = entries.last?.index, target >= last,
            rows[target].time - rows[last].time <= Self.length / 5
        {
            if target > last { return append((last + 1)...target) }
            return fill(budget: budget)
        }
        entries = []
        let first = contents.index(at: rows[target].time - Self.length)
        let count = target - first + 1
        let step = max(1, (count + Self.limit - 1) / Self.limit)
        undecodedIndexes = stride(from: target, through: first, by: -step).reversed()
        decodeOlderSamples(until: clock() + budget)
        return .replace
    }

    private mutating func append(_ indexes: ClosedRange<Int>) -> Change {
        let step = max(1, indexes.count / Self.frameLimit)
        let appendedIndexes = stride(
            from: indexes.upperBound,
            through: indexes.lowerBound,
            by: -step
        )
        let newEntries = appendedIndexes.reversed().compactMap { decode($0) }
        entries += newEntries
        let oldest = rows[indexes.upperBound].time - Self.length
        let first = entries.firstIndex { rows[$0.index].time >= oldest } ?? 0
        // Remove old entries infrequently, because each removal moves all remaining entries.
        if first > Self.limit { entries.removeFirst(first) }
        return .append(newEntries)
    }

    private mutating func fill(budget: UInt64) -> Change {
        guard !undecodedIndexes.isEmpty else { return .none }
        decodeOlderSamples(until: clock() + budget)
        return undecodedIndexes.isEmpty ? .replace : .none
    }

    private mutating func decodeOlderSamples(until end: UInt64) {
        var older: [Entry] = []
        // Within a chunk, decode in file order, because samples refer to earlier samples.
        while !undecodedIndexes.isEmpty {
            let chunk = undecodedIndexes.suffix(16)
            undecodedIndexes.removeLast(chunk.count)
            older.insert(contentsOf: chunk.compactMap { decode($0) }, at: 0)
            if clock() >= end { break }
        }
        entries.insert(contentsOf: older, at: 0)
    }

    private mutating func decode(_ index: Int) -> Entry? {
        do { return Entry(index: index, value: try reader.value(of: rows[index])) } catch {
            damaged.insert(index)
            return nil
        }
    }
}
