import TerminalUI
import Testing

@testable import CursesTerminal

struct EscapeSequenceTests {
    private func keys(_ text: String) -> [Key] {
        var sequence = EscapeSequence()
        var keys: [Key] = []
        for scalar in text.unicodeScalars { keys += sequence.handle(scalar.value) }
        return keys + sequence.end()
    }

    @Test func typedCharactersStayUnchanged() {
        #expect(keys("a[1~") == "a[1~".map { .character($0) })
    }

    @Test(arguments: ["\u{1B}[1~", "\u{1B}[200~", "\u{1B}[1;5A", "\u{1B}OZ", "\u{1B}[[E"])
    func anUnknownKeyIsIgnored(sequence: String) {
        #expect(keys(sequence).isEmpty)
        #expect(keys(sequence + "q") == [.character("q")])
    }

    @Test func escapeIsRecognizedAloneAndBeforeAnotherKey() {
        #expect(keys("\u{1B}") == [.escape])
        #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
        #expect(keys("\u{1B}q") == [.escape, .character("q")])
        #expect(keys("\u{1B}[") == [.escape, .character("[")])
        #expect(keys("\u{1B}O") == [.escape, .character("O")])
    }

    @Test func aTruncatedSequenceConsumesNoOtherKey() {
        var sequence = EscapeSequence()
        for scalar in "\u{1B}[1".unicodeScalars { #expect(sequence.handle(scalar.value).isEmpty) }
        #expect(sequence.end().isEmpty)
        #expect(sequence.handle(0x71) == [.character("q")])
    }
}
