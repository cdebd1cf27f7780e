import TerminalUI

/// Decodes mouse events from the bytes after their prefix.
///
/// The decoder buffers incomplete events
/// (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>, "Mouse Tracking").
struct MouseDecoder {
    /// The encoding of events.
    enum Form {
        /// `0;12;5M`: button, column and row in decimal. A final `m` instead of `M` means that the
        /// button was released (mode 1006).
        case decimal
        /// Three characters with an offset of 32, for terminals that support no other encoding.
        case characters
    }

    private var form: Form?
    private var numbers: [Int] = []

    /// The largest accepted number, which exceeds the number of columns of any terminal.
    private static let limit = 100_000

    /// Whether the next scalar belongs to a mouse event.
    var isReading: Bool { form != nil }

    /// Starts an event, after its prefix has been read.
    mutating func begin(_ form: Form) {
        self.form = form
        numbers = form == .decimal ? [0] : []
    }

    /// Handles the next scalar, and returns the event if it is complete and relevant.
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
            numbers[numbers.count - 1] = min(number, Self.limit)
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
        // A value of 3 means that an unknown button was released.
        let isRelease = numbers[0] & 0b11 == 3 && numbers[0] & 64 == 0
        let code = isRelease ? numbers[0] & ~0b11 : numbers[0]
        return event(code: code, isRelease: isRelease)
    }

    private func event(code: Int, isRelease: Bool) -> MouseEvent? {
        let point = Point(x: numbers[1] - 1, y: numbers[2] - 1)
        guard point.x >= 0, point.y >= 0 else { return nil }
        // The bits 4, 8 and 16 are Shift, Meta and Control. The bit 32 marks a move. Values of 64
        // and above are wheel events.
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
