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
