import TerminalUI

/// A filter that discards the escape sequences of unknown keys.
///
/// Otherwise, their characters would be handled as key presses.
///
/// ncurses returns an unknown sequence byte by byte. If no byte follows Esc, the user pressed the
/// Esc key. A control sequence ends with a byte from `@` to `~` (ECMA-48, 5.4).
struct EscapeSequence {
    private enum State {
        case none
        /// After Esc.
        case escape
        /// After Esc and `[`.
        case control
        /// After more bytes of a control sequence.
        case parameters
        /// After Esc and `O`.
        case single
    }

    private var state = State.none

    /// Processes the next scalar and returns the decoded keys.
    mutating func handle(_ scalar: UInt32) -> [Key] {
        switch state {
        case .none:
            guard scalar == 0x1B else { return KeyDecoder.key(scalar: scalar).map { [$0] } ?? [] }
            state = .escape
            return []
        case .escape:
            switch scalar {
            case 0x5B: state = .control
            case 0x4F: state = .single
            case 0x1B: return [.escape]
            default:
                // Terminals send Alt-key combinations as Esc followed by the key.
                state = .none
                return [.escape] + (KeyDecoder.key(scalar: scalar).map { [$0] } ?? [])
            }
            return []
        case .control, .parameters:
            // Control characters also end a sequence.
            let isEnd = scalar < 0x20 || (0x40...0x7E).contains(scalar) && scalar != 0x5B
            state = isEnd ? .none : .parameters
            return []
        case .single:
            state = .none
            return []
        }
    }

    /// Ends the sequence after the last available byte.
    ///
    /// - Returns: The pressed keys: Esc, or Esc followed by `[` or `O`.
    mutating func end() -> [Key] {
        defer { state = .none }
        switch state {
        case .none, .parameters: return []
        case .escape: return [.escape]
        case .control: return [.escape, .character("[")]
        case .single: return [.escape, .character("O")]
        }
    }
}
