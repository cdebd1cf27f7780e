import TerminalUI
import Testing

@testable import CursesTerminal

struct MouseDecoderTests {
    private func events(_ form: MouseDecoder.Form, _ text: String) -> [MouseEvent] {
        var decoder = MouseDecoder()
        decoder.begin(form)
        var events: [MouseEvent] = []
        for scalar in text.unicodeScalars where decoder.isReading {
            if let event = decoder.handle(scalar.value) { events.append(event) }
        }
        return events
    }

    @Test(arguments: [
        ("0;12;5M", MouseEvent(.press, at: Point(x: 11, y: 4))),
        ("0;12;5m", MouseEvent(.release, at: Point(x: 11, y: 4))),
        ("32;1;1M", MouseEvent(.drag, at: Point(x: 0, y: 0))),
        ("64;300;200M", MouseEvent(.wheelUp, at: Point(x: 299, y: 199))),
        ("65;3;4M", MouseEvent(.wheelDown, at: Point(x: 2, y: 3))),
        // This event includes Shift, Meta, and Control.
        ("28;2;2M", MouseEvent(.press, at: Point(x: 1, y: 1))),
    ])
    func decimalReportsAreDecoded(text: String, event: MouseEvent) {
        #expect(events(.decimal, text) == [event])
    }

    @Test(arguments: [
        // Other buttons, positions outside the screen, a move without a button, and invalid
        // reports.
        "1;2;2M", "2;2;2m", "0;0;1M", "35;4;4M", "66;1;1M", "0;1M", "x", "0;1;2;3M", ";;M",
    ])
    func unsupportedReportsAreDiscarded(text: String) {
        #expect(events(.decimal, text).isEmpty)
    }

    @Test func aNumberWithManyDigitsDoesNotTrap() {
        #expect(events(.decimal, String(repeating: "9", count: 400) + ";1;1M").isEmpty)
    }

    @Test func characterReportsAreDecoded() {
        #expect(events(.characters, " !!") == [MouseEvent(.press, at: Point(x: 0, y: 0))])
        #expect(events(.characters, "#*+") == [MouseEvent(.release, at: Point(x: 9, y: 10))])
        #expect(events(.characters, "@*+") == [MouseEvent(.drag, at: Point(x: 9, y: 10))])
        #expect(events(.characters, "a*+") == [MouseEvent(.wheelDown, at: Point(x: 9, y: 10))])
    }

    @Test func decodingStopsAtTheEndOfAReport() {
        var decoder = MouseDecoder()
        #expect(!decoder.isReading)
        decoder.begin(.decimal)
        for scalar in "0;1;1M".unicodeScalars {
            #expect(decoder.isReading)
            _ = decoder.handle(scalar.value)
        }
        #expect(!decoder.isReading)
        #expect(decoder.handle(0x71) == nil)
    }
}
