import Foundation
import Testing

@testable import CursesTerminal

struct ClipboardSequenceTests {
    @Test(arguments: ["", "a", "ab", "abc", "SELECT 'é' 長\u{1B}[31m\n", "~~~???"])
    func textIsSentAsBase64(text: String) throws {
        let bytes = try #require(ClipboardSequence.bytes(for: text))
        let sequence = String(decoding: bytes, as: UTF8.self)
        let payload = Data(text.utf8).base64EncodedString()
        #expect(sequence == "\u{1B}]52;c;\(payload)\u{7}")
    }

    @Test func textTooLongForTerminalsIsNotSent() {
        let longest = String(repeating: "x", count: ClipboardSequence.maximumLength)
        #expect(ClipboardSequence.bytes(for: longest) != nil)
        #expect(ClipboardSequence.bytes(for: longest + "x") == nil)
    }
}
