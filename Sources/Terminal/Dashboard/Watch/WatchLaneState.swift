import Findings
import SQLiteWatch
import TerminalUI

/// A process's use of a database in one interval.
enum WatchLaneState: UInt8, Sendable, CaseIterable {
    /// The process held no lock.
    case idle
    /// The process held a read lock for less than a third of the interval.
    case readingBriefly
    /// The process held a read lock for at least a third of the interval.
    case reading
    /// The process read an old state, which pins frames in the log.
    case pinning
    /// The process held a write lock for less than a third of the interval.
    case writingBriefly
    /// The process held a write lock for at least a third of the interval.
    case writing
    /// The process held the checkpoint lock.
    case checkpointing
    /// The process was probably waiting for a lock.
    case waiting
    /// The process did not use the database.
    case absent

    /// The minimum share of an interval for ``reading`` and ``writing``.
    private static let minimumShare = 1.0 / 3

    init(_ process: WatchedProcess, isPinning: Bool) {
        let share = process.share
        if process.waiting?.isWaiting == true {
            self = .waiting
        } else if share.checkpoint.value >= max(Self.minimumShare, share.writer.value) {
            self = .checkpointing
        } else if share.writer.value > 0 {
            self = share.writer.value >= Self.minimumShare ? .writing : .writingBriefly
        } else if share.checkpoint.value > 0 {
            self = .checkpointing
        } else if isPinning {
            self = .pinning
        } else if share.reader.value > 0 {
            self = share.reader.value >= Self.minimumShare ? .reading : .readingBriefly
        } else {
            self = .idle
        }
    }

    /// The appearance, with a distinct glyph for each state, so that states can be distinguished
    /// without colors.
    var mark: LaneStrip.Mark {
        switch self {
        case .idle: LaneStrip.Mark(glyph: "·", ascii: ".", role: .idle)
        case .readingBriefly: LaneStrip.Mark(glyph: "░", ascii: "r", role: .reader)
        case .reading: LaneStrip.Mark(glyph: "▒", ascii: "R", role: .reader)
        case .pinning: LaneStrip.Mark(glyph: "━", ascii: "P", role: .snapshot)
        case .writingBriefly: LaneStrip.Mark(glyph: "▂", ascii: "w", role: .writer)
        case .writing: LaneStrip.Mark(glyph: "▇", ascii: "W", role: .writer)
        case .checkpointing: LaneStrip.Mark(glyph: "C", ascii: "C", role: .committing)
        case .waiting: LaneStrip.Mark(glyph: "×", ascii: "x", role: .locked)
        case .absent: LaneStrip.Mark(glyph: " ", ascii: " ", role: .idle)
        }
    }

    static let marks = allCases.map(\.mark)

    /// Returns the legend for the border of a panel, most important marks first.
    static func legend(theme: Theme, glyphs: GlyphSet) -> [[Span]] {
        let order: [WatchLaneState] = [
            .writing, .reading, .pinning, .checkpointing, .waiting, .writingBriefly,
            .readingBriefly, .idle,
        ]
        return order.map { state in
            [
                Span(state.mark.text(in: glyphs), theme.style(state.mark.role)),
                Span(" \(state.label)", theme.style(.dim)),
            ]
        }
    }

    var label: String {
        switch self {
        case .idle: "idle"
        case .readingBriefly: "reads < 1/3"
        case .reading: "reads"
        case .pinning: "pins the log"
        case .writingBriefly: "writes < 1/3"
        case .writing: "writes"
        case .checkpointing: "checkpoints"
        case .waiting: "waits"
        case .absent: "gone"
        }
    }

    var meaning: String {
        switch self {
        case .idle: "idle: holds no lock"
        case .readingBriefly: "reads for less than 1/3 of the time"
        case .reading: "reads for at least 1/3 of the time"
        case .pinning: "pins the log: reads an old state"
        case .writingBriefly: "writes for less than 1/3 of the time"
        case .writing: "writes for at least 1/3 of the time"
        case .checkpointing: "checkpoints: copies the log"
        case .waiting: "probably waits for a lock"
        case .absent: "does not use the database"
        }
    }
}
