import Dashboard
import Findings
import PoolgaugeAgent
import Recording
import SQLiteWatch
import Telemetry
import TerminalUI

/// The dashboard model for the kind of a recording.
enum ReplayModel {
    case run(DashboardModel)
    case watch(WatchDashboard)

    enum Action {
        case quit
        case copy(String)
        /// An action that is available only in a live run.
        case refused
    }

    var refreshRate: Double {
        switch self {
        case .run(let model): model.refreshRate
        case .watch(let model): model.refreshRate
        }
    }

    var isFrozen: Bool {
        switch self {
        case .run(let model): model.isPaused
        case .watch(let model): model.isPaused
        }
    }

    var hasOverlay: Bool {
        switch self {
        case .run(let model): model.hasOverlay
        case .watch(let model): model.hasOverlay
        }
    }

    var theme: Theme {
        switch self {
        case .run(let model): model.theme
        case .watch(let model): model.theme
        }
    }

    var glyphs: GlyphSet {
        switch self {
        case .run(let model): model.glyphs
        case .watch(let model): model.glyphs
        }
    }

    func render(size: Size) -> Surface {
        switch self {
        case .run(let model): model.render(size: size)
        case .watch(let model): model.render(size: size)
        }
    }

    mutating func setDisplayCost(_ share: Double?) {
        if case .run(var model) = self {
            model.displayCPUShare = share
            self = .run(model)
        }
    }

    mutating func handle(_ event: InputEvent) -> [Action] {
        switch self {
        case .run(var model):
            let actions = model.handle(event)
            if actions.contains(where: Self.isRefused) { model.discardRequestedSettings() }
            self = .run(model)
            return actions.compactMap { action in
                switch action {
                case .quit: .quit
                case .copy(let text): .copy(text)
                case .setRefreshRate: nil
                default: .refused
                }
            }
        case .watch(var model):
            let actions = model.handle(event)
            self = .watch(model)
            return actions.map { action in
                switch action {
                case .quit: .quit
                case .copy(let text): .copy(text)
                case .toggleRecording: .refused
                }
            }
        }
    }

    private static func isRefused(_ action: DashboardAction) -> Bool {
        switch action {
        case .quit, .copy, .setRefreshRate: false
        default: true
        }
    }

    /// Adds samples after the displayed samples.
    ///
    /// The newest displayed sample is `last`.
    mutating func append(
        _ entries: [ReplayWindow.Entry],
        after last: ReplayWindow.Entry?,
        of contents: RecordingContents
    ) {
        switch self {
        case .run(var model):
            for sample in Self.samples(entries, after: last, contents: contents) {
                model.ingest(sample)
            }
            self = .run(model)
        case .watch(var model):
            model.ingest(Self.reports(entries))
            self = .watch(model)
        }
    }

    /// Replaces the displayed samples.
    mutating func replace(by entries: [ReplayWindow.Entry], of contents: RecordingContents) {
        switch self {
        case .run(var model):
            model.show(Self.samples(entries, contents: contents))
            self = .run(model)
        case .watch(var model):
            let start = WatchTime(milliseconds: contents.start ?? 0)
            model.show(Self.reports(entries), start: start)
            self = .watch(model)
        }
    }

    private static func samples(
        _ entries: [ReplayWindow.Entry],
        after last: ReplayWindow.Entry? = nil,
        contents: RecordingContents
    ) -> [Sample] {
        var previous: AgentStatus?
        if case .agent(let status)? = last?.value { previous = status }
        return entries.compactMap { entry in
            switch entry.value {
            case .run(let sample): return sample
            case .agent(let status):
                defer { previous = status }
                let row = contents.rows[entry.index]
                return Sample(
                    status,
                    since: previous?.process == status.process ? previous : nil,
                    sequence: entry.index,
                    time: Double(row.time - (contents.start ?? row.time)) / 1000
                )
            case .watch: return nil
            }
        }
    }

    /// Returns the reports among the entries.
    private static func reports(_ entries: [ReplayWindow.Entry]) -> [WatchReport] {
        entries.compactMap { entry in
            if case .watch(let report) = entry.value { report } else { nil }
        }
    }
}

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
        clock: @escaping () -> UInt64 = monotonicNanoseconds
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
