import Foundation
import Telemetry
import TerminalUI

@testable import CursesTerminal
@testable import Dashboard

extension FuzzTarget {
    /// Bytes from a terminal, which are decoded to keys and mouse events for two dashboards.
    static let keys: FuzzTarget = {
        let sample = try? JSONDecoder().decode(
            Sample.self,
            from: Data(Corpus.base("sample").utf8)
        )
        return FuzzTarget(
            name: "keys",
            maximumLength: 512,
            seeds: [
                "\u{1B}[A\u{1B}OB\u{1B}[<0;12;5M\u{1B}[<0;12;5m", "1j\t\r?q/x\n234567",
                "\u{1B}[<64;3;3M\u{1B}[<32;9;9M", "nn\u{1B}?\u{03}",
            ].map { Array($0.utf8) },
            words: [
                "\u{1B}[<", "\u{1B}[", "\u{1B}O", ";", "M", "m", "64", "65", "32", "35", "99999999",
                "99999999999999999999", "\u{7F}", "/", "?", "<Esc>", "<PgUp>", "<^C>", "[", "]",
                "h", "l",
            ]
        ) { bytes in
            var model = DashboardModel()
            var watch = WatchDashboard()
            if let sample { model.ingest(sample) }
            for event in events(bytes) {
                _ = model.handle(event)
                _ = watch.handle(event)
            }
            try expectPrintable(model.render(size: Size(width: 100, height: 30)))
            try expectPrintable(watch.render(size: Size(width: 100, height: 30)))
            _ = try? KeyScript.parse(text(bytes))
        }
    }()

    /// Decodes bytes in the same order as `CursesTerminal`.
    private static func events(_ bytes: [UInt8]) -> [InputEvent] {
        var escape = EscapeSequence()
        var mouse = MouseDecoder()
        var events: [InputEvent] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if rest.starts(with: "\u{1B}[<".utf8) {
                rest = rest.dropFirst(3)
                mouse.begin(.decimal)
                continue
            }
            if rest.starts(with: "\u{1B}[M".utf8) {
                rest = rest.dropFirst(3)
                mouse.begin(.characters)
                continue
            }
            // The byte 0xFF precedes the number of a special key or a scalar in four bytes.
            var scalar = UInt32(byte)
            rest = rest.dropFirst()
            if byte == 0xFF {
                scalar = rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
                rest = rest.dropFirst(4)
                if let key = KeyDecoder.key(special: scalar) { events.append(.key(key)) }
            }
            if mouse.isReading {
                if let event = mouse.handle(scalar) { events.append(.mouse(event)) }
            } else {
                events += escape.handle(scalar).map { .key($0) }
            }
        }
        return events + escape.end().map { .key($0) }
    }
}
