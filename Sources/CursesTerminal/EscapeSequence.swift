import TerminalUI

/// Swallows the sequences of keys that nobody knows, so that their letters are not taken for keys.
///
/// ncurses gives such a sequence byte by byte. An Esc that a person pressed comes alone.
/// ECMA-48, 5.4: a control sequence ends with a byte from `@` to `~`.
struct EscapeSequence {
    private enum State {
        case none
        /// After Esc.
        case escape
        /// After Esc and `[`.
        case control
        /// After more of a control sequence.
        case parameters
        /// After Esc and `O`.
        case single
    }

    private var state = State.none

    /// Takes a scalar in.
    ///
    /// - Returns: The keys that it turns out to be.
    mutating func take(_ scalar: UInt32) -> [Key] {
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
                // Alt and a key, as terminals send it: the key is one of its own after Esc.
                state = .none
                return [.escape] + (KeyDecoder.key(scalar: scalar).map { [$0] } ?? [])
            }
            return []
        case .control, .parameters:
            // Control characters end it too: they are no part of any.
            let isEnd = scalar < 0x20 || (0x40...0x7E).contains(scalar) && scalar != 0x5B
            state = isEnd ? .none : .parameters
            return []
        case .single:
            state = .none
            return []
        }
    }

    /// Nothing more is there to read.
    ///
    /// - Returns: The keys that were pressed one after another: an Esc, alone or before `[` or `O`.
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
