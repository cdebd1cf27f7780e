import Telemetry
import TerminalUI

/// What a lane shows for a connection: its state in one byte, with a glyph, a colour and words.
enum LaneState: UInt8, Sendable, CaseIterable {
    /// Nobody holds it.
    case idle
    /// It runs a statement.
    case running
    /// It is held by code between its statements.
    case held
    /// It ends its transaction.
    case committing
    /// It waits for a lock of the file.
    case locked
    /// It is being opened.
    case opening
    /// A snapshot that nobody reads from now: it keeps its state of the database all the same.
    case kept
    /// It is not there.
    case absent

    /// The state of a connection.
    init(_ connection: ConnectionStatus) {
        switch connection.state {
        case .idle: self = connection.role == .snapshot ? .kept : .idle
        case .statement: self = .running
        case .closure: self = .held
        case .committing: self = .committing
        case .waitingForLock: self = .locked
        case .opening: self = .opening
        }
    }

    /// How it looks; every glyph differs, so that no state is told by its colour alone.
    var mark: LaneStrip.Mark {
        switch self {
        case .idle: LaneStrip.Mark(glyph: "·", ascii: ".", role: .idle)
        case .running: LaneStrip.Mark(glyph: "▇", ascii: "#", role: .running)
        case .held: LaneStrip.Mark(glyph: "▒", ascii: "=", role: .held)
        case .committing: LaneStrip.Mark(glyph: "▄", ascii: "c", role: .committing)
        case .locked: LaneStrip.Mark(glyph: "×", ascii: "x", role: .locked)
        case .opening: LaneStrip.Mark(glyph: "○", ascii: "o", role: .opening)
        case .kept: LaneStrip.Mark(glyph: "━", ascii: "k", role: .snapshot)
        case .absent: LaneStrip.Mark(glyph: " ", ascii: " ", role: .idle)
        }
    }

    /// The marks of all states, by their raw values.
    static let marks = allCases.map(\.mark)

    /// What the marks mean, for the border of a panel with lanes.
    static func legend(theme: Theme, glyphs: GlyphSet) -> [[Span]] {
        allCases.filter { $0 != .absent }.map { state in
            let mark = state.mark
            return [
                Span(mark.text(in: glyphs), theme.style(mark.role)),
                Span(" \(state.words)", theme.style(.dim)),
            ]
        }
    }

    /// What it is, in a lane.
    var words: String {
        switch self {
        case .idle: "idle"
        case .running: "running SQL"
        case .held: "held by code"
        case .committing: "committing"
        case .locked: "file locked"
        case .opening: "opening"
        case .kept: "kept open"
        case .absent: "closed"
        }
    }

    /// What it means, for the help.
    var meaning: String {
        switch self {
        case .idle: "idle: nobody holds the connection"
        case .running: "running SQL: inside a statement"
        case .held: "held by code, between its statements"
        case .committing: "committing: ending its transaction"
        case .locked: "file locked: waits for another's lock"
        case .opening: "opening: opened for somebody who waits"
        case .kept: "kept open: a snapshot, pins the log"
        case .absent: "closed"
        }
    }
}
