import CNCurses
import TerminalUI

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
