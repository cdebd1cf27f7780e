import Foundation
import PoolgaugeAgent
import Recording
import SQLiteWatch
import Telemetry
import TerminalUI

/// A second recording that a replay draws behind the first recording.
struct GhostRecording {
    /// The values to draw, with times in seconds on the axis of the first recording.
    enum Values {
        case samples([(sample: Sample, time: Double)])
        /// The reports. Each key is the path of a database in the first recording.
        case reports([String: [(report: WatchReport, time: Double)]])
    }

    private let reader: RecordingReader
    private let contents: RecordingContents
    private let kind: RecordedKind
    private let shownContents: RecordingContents
    private var shownRuns: RecordedRuns
    private var runs: RecordedRuns
    private var window: ReplayWindow
    private var alignment: PhaseAlignment?
    /// The values up to the position, or `nil` before the first call to ``move(with:at:budget:)``.
    private(set) var values: Values?

    /// Creates a ghost for a displayed recording.
    ///
    /// - Throws: ``CommandFailure`` if the recording cannot be drawn behind the displayed
    ///   recording.
    init(_ reader: RecordingReader, under shown: RecordingReader) throws {
        let (path, shownPath) = (reader.path, shown.path)
        guard !Self.isSameFile(path, shownPath) else {
            throw CommandFailure(
                "--ghost: '\(path)' is the displayed recording itself; specify another recording"
            )
        }
        var (contents, shownContents) = (reader.contents, shown.contents)
        _ = contents.keepNewestKind()
        _ = shownContents.keepNewestKind()
        guard let kind = contents.sessions.last?.kind, !contents.rows.isEmpty else {
            throw CommandFailure(
                "--ghost: \(reader.contents.messageWithoutSamples(path: path))",
                status: 1
            )
        }
        if let shownKind = shownContents.sessions.last?.kind, shownKind != kind {
            throw CommandFailure(
                "--ghost: '\(path)' is a recording of \(Self.phrase(for: kind)), and '\(shownPath)' is a "
                    + "recording of \(Self.phrase(for: shownKind)); both must be of the same kind",
                status: 1
            )
        }
        self.reader = reader
        self.contents = contents
        self.kind = kind
        self.shownContents = shownContents
        shownRuns = RecordedRuns(shownContents) { [shownContents] in
            Self.sample(at: $0, shownContents, shown)
        }
        runs = RecordedRuns(contents) { [contents] in Self.sample(at: $0, contents, reader) }
        window = ReplayWindow(reader, contents)
    }

    /// Whether all values before the position have been decoded.
    var isComplete: Bool { window.isComplete }

    /// The name of the recording and its alignment with the displayed recording.
    var label: String {
        var name = URL(fileURLWithPath: reader.path).lastPathComponent
        if name.count > 24 { name = "…" + name.suffix(23) }
        if let arm = alignment?.ghost.arm { name += ", arm \(arm)" }
        let start = alignment?.isByPhase == true ? "phase" : "start"
        return "ghost \(name), aligned by \(start)"
    }

    /// Moves to the moment that corresponds to a moment of the displayed recording.
    ///
    /// - Parameters:
    ///   - entry: The displayed sample.
    ///   - position: The displayed position, in milliseconds since 1970.
    ///   - budget: The maximum time for decoding, in nanoseconds.
    /// - Returns: Whether the values changed.
    mutating func move(
        with entry: ReplayWindow.Entry?,
        at position: Int64,
        budget: UInt64
    ) -> Bool {
        guard kind == .run else {
            let elapsed = position - (shownContents.start ?? position)
            guard moveWindow(to: (contents.start ?? 0) + elapsed, budget) else { return false }
            values = kind == .watch ? .reports(reports) : .samples(statuses)
            return true
        }
        guard let entry, case .run(let sample) = entry.value else { return false }
        if alignment?.shown.range.contains(entry.index) != true
            || alignment?.shown.arm != sample.arm
        {
            align(with: sample.arm, entry.index)
        }
        guard let alignment, let time = alignment.ghostTime(for: sample, in: contents.rows) else {
            values = .samples([])
            return true
        }
        guard moveWindow(to: time, budget) else { return false }
        let range = alignment.ghost.range
        values = .samples(
            window.entries.compactMap { entry in
                guard range.contains(entry.index), case .run(let sample) = entry.value,
                    sample.arm == alignment.ghost.arm
                else { return nil }
                return alignment.shownTime(of: sample).map { (sample, $0) }
            }
        )
        return true
    }

    /// Moves the window to a time, and returns whether its entries changed.
    private mutating func moveWindow(to time: Int64, _ budget: UInt64) -> Bool {
        if case .none = window.move(to: time, budget: budget) { false } else { true }
    }

    /// Selects the run that corresponds to the displayed run of an arm.
    ///
    /// This is the run with the same number among the runs of the same arm, if any.
    private mutating func align(with arm: String, _ index: Int) {
        let shown = shownRuns.runs(of: arm)
        guard let number = shown.firstIndex(where: { $0.range.contains(index) }) else { return }
        var candidates = runs.runs(of: arm)
        if candidates.isEmpty, let first = runs.arms.first { candidates = runs.runs(of: first) }
        guard !candidates.isEmpty else { return }
        alignment = PhaseAlignment(
            shown: shown[number],
            ghost: candidates[min(number, candidates.count - 1)]
        )
        window = ReplayWindow(reader, contents)
    }

    private var statuses: [(sample: Sample, time: Double)] {
        // The times are relative to the start of each recording.
        ReplayModel.samples(window.entries, contents).map { ($0, $0.time) }
    }

    private var reports: [String: [(report: WatchReport, time: Double)]] {
        var reports: [String: [(report: WatchReport, time: Double)]] = [:]
        let start = contents.start ?? 0
        for entry in window.entries {
            guard case .watch(let report) = entry.value else { continue }
            let time = Double(report.time.milliseconds - start) / 1000
            reports[report.file.path, default: []].append((report, time))
        }
        var shown: [String: [(report: WatchReport, time: Double)]] = [:]
        for path in Set(shownContents.sources.map(\.name)) {
            let name = URL(fileURLWithPath: path).lastPathComponent
            let similar = reports.keys.sorted().first {
                URL(fileURLWithPath: $0).lastPathComponent == name
            }
            shown[path] =
                reports[path] ?? similar.flatMap { reports[$0] }
                ?? (reports.count == 1 ? reports.values.first : nil)
        }
        return shown
    }

    private static func sample(
        at index: Int,
        _ contents: RecordingContents,
        _ reader: RecordingReader
    ) -> Sample? {
        if case .run(let sample)? = try? reader.value(of: contents.rows[index]) {
            return sample
        }
        return nil
    }

    private static func phrase(for kind: RecordedKind) -> String {
        switch kind {
        case .run: "a run"
        case .watch: "watched databases"
        case .agent: "a program with an agent"
        }
    }

    private static func isSameFile(_ firstPath: String, _ secondPath: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(firstPath, &first) == 0 && stat(secondPath, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
