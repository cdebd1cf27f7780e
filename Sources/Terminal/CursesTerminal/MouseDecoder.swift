import CNCurses
import TerminalUI

/// A decoder that creates mouse events from the bytes after the event prefix
/// (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>, "Mouse Tracking").
struct MouseDecoder {
    enum Form {
        /// Button, column, and row in decimal, as in `0;12;5M` (mode 1006).
        ///
        /// The final character is `M`, or `m` if the button was released.
        case decimal
        /// Three characters with an offset of 32.
        ///
        /// Some terminals support only this encoding.
        case characters
    }

    private var form: Form?
    private var numbers: [Int] = []

    /// The value to which larger numbers are clamped, which exceeds the width of any terminal.
    private static let maximumNumber = 100_000

    var isReading: Bool { form != nil }

    mutating func begin(_ form: Form) {
        self.form = form
        numbers = form == .decimal ? [0] : []
    }

    /// Processes the next scalar, and returns the event if it is complete and of a supported kind.
    mutating func handle(_ scalar: UInt32) -> MouseEvent? {
        switch form {
        case .decimal: decodeDecimal(scalar)
        case .characters: decodeCharacter(scalar)
        case nil: nil
        }
    }

    private mutating func decodeDecimal(_ scalar: UInt32) -> MouseEvent? {
        switch scalar {
        case 0x30...0x39:
            let number = numbers[numbers.count - 1] * 10 + Int(scalar - 0x30)
            numbers[numbers.count - 1] = min(number, Self.maximumNumber)
            return nil
        case 0x3B where numbers.count < 3:
            numbers.append(0)
            return nil
        default:
            form = nil
            guard numbers.count == 3 else { return nil }
            // 0x4D is `M`, and 0x6D is `m`.
            switch scalar {
            case 0x4D: return event(code: numbers[0], isRelease: false)
            case 0x6D: return event(code: numbers[0], isRelease: true)
            default: return nil
            }
        }
    }

    private mutating func decodeCharacter(_ scalar: UInt32) -> MouseEvent? {
        numbers.append(Int(scalar) - 32)
        guard numbers.count == 3 else { return nil }
        form = nil
        // The value 3 means that an unidentified button was released.
        let isRelease = numbers[0] & 0b11 == 3 && numbers[0] & 64 == 0
        let code = isRelease ? numbers[0] & ~0b11 : numbers[0]
        return event(code: code, isRelease: isRelease)
    }

    private func event(code: Int, isRelease: Bool) -> MouseEvent? {
        let point = Point(x: numbers[1] - 1, y: numbers[2] - 1)
        guard point.x >= 0, point.y >= 0 else { return nil }
        // The flags 4, 8, and 16 represent Shift, Meta, and Control. The flag 32 marks a move, and 64
        // marks a wheel event.
        let button = code & ~(4 | 8 | 16 | 32)
        let isMove = code & 32 != 0
        switch button {
        case 0 where isMove && !isRelease: return MouseEvent(.drag, at: point)
        case 0: return MouseEvent(isRelease ? .release : .press, at: point)
        case 64 where !isRelease: return MouseEvent(.wheelUp, at: point)
        case 65 where !isRelease: return MouseEvent(.wheelDown, at: point)
        default: return nil
        }
    }
}

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

enum KeyDecoder {
    static func key(scalar: UInt32) -> Key? {
        switch scalar {
        case 0x0D, 0x0A: return .enter
        case 0x1B: return .escape
        case 0x09: return .tab
        case 0x08, 0x7F: return .backspace
        case 0x01...0x1A:
            return Unicode.Scalar(scalar + 0x60).map { .control(Character($0)) }
        case 0x00..<0x20, 0x80..<0xA0: return nil
        default: return Unicode.Scalar(scalar).map { .character(Character($0)) }
        }
    }

    /// Returns the key for a `PG_SPECIAL` number.
    static func key(special: UInt32) -> Key? {
        if let number = functionNumber(special) { return .function(number) }
        return specialKeys[special]
    }

    private static func functionNumber(_ special: UInt32) -> Int? {
        let number = Int(special) - Int(PG_SPECIAL_F0)
        return (1...12).contains(number) ? number : nil
    }

    private static let specialKeys: [UInt32: Key] = [
        UInt32(PG_SPECIAL_ENTER): .enter,
        UInt32(PG_SPECIAL_BACKSPACE): .backspace,
        UInt32(PG_SPECIAL_DELETE): .delete,
        UInt32(PG_SPECIAL_UP): .up,
        UInt32(PG_SPECIAL_DOWN): .down,
        UInt32(PG_SPECIAL_LEFT): .left,
        UInt32(PG_SPECIAL_RIGHT): .right,
        UInt32(PG_SPECIAL_PAGE_UP): .pageUp,
        UInt32(PG_SPECIAL_PAGE_DOWN): .pageDown,
        UInt32(PG_SPECIAL_HOME): .home,
        UInt32(PG_SPECIAL_END): .end,
        UInt32(PG_SPECIAL_BACK_TAB): .backTab,
    ]
}
