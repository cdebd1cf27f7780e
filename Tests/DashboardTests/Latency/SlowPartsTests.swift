import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct SlowPartsTests {
    private func text(_ spans: [Span]?) -> String { (spans ?? []).map(\.text).joined() }

    @Test func showsThePartsOfTheTime() {
        var slow = SlowSplit(beyond: "p99", accesses: 21, waited: 60_000_000, service: 40_000_000)
        slow.resource = "reader"
        slow.capacity = 3
        slow.holders = [.init(client: "report", held: 2), .init(client: "ui", held: 0.94)]
        let parts = SlowParts(slow: slow)
        #expect(parts.scope == "the 21 at or above p99")
        #expect(
            text(parts.sentence(theme: .standard, isShort: true))
                == "at or above p99, 100 ms: 60% waiting for a reader, 40% being served"
        )
        #expect(
            text(parts.holderText(theme: .standard))
                == "meanwhile, report held 2.0 of 3 readers, ui 0.9"
        )
    }

    @Test func sharesAddUpToTheCapacity() {
        var slow = SlowSplit(beyond: "p99", accesses: 21, waited: 60_000_000, service: 40_000_000)
        slow.resource = "reader"
        slow.capacity = 1
        slow.holders = [.init(client: "report", held: 0.75), .init(client: "ui", held: 0.25)]
        #expect(
            text(SlowParts(slow: slow).holderText(theme: .standard))
                == "meanwhile, report held 0.75 of 1 reader, ui 0.25"
        )
    }

    @Test func aSingleConnectionHasSharesOfTheTime() {
        var slow = SlowSplit(beyond: "p99", accesses: 21, waited: 60_000_000, service: 40_000_000)
        slow.resource = "connection"
        slow.capacity = 1
        slow.holders = [.init(client: "report", held: 0.97), .init(client: "search", held: 0.02)]
        #expect(
            text(SlowParts(slow: slow).holderText(theme: .standard))
                == "meanwhile, report held the connection 97% of the time, search 2%"
        )
    }

    @Test func showsNoHolderForSlowService() {
        let slow = SlowSplit(
            beyond: "max",
            accesses: 1,
            waited: 10,
            service: 40_000_000,
            resource: "writer",
            holders: [.init(client: "ui", held: 1)]
        )
        let parts = SlowParts(slow: slow)
        #expect(parts.scope == "the slowest access; too few accesses for a percentile")
        #expect(parts.holderText(theme: .standard) == nil)
        #expect(
            text(parts.sentence(theme: .standard, isShort: true))
                == "the slowest, 40.0 ms: 100% being served"
        )
    }

    @Test func aLowerPercentileIsIdentified() {
        let slow = SlowSplit(beyond: "p95", accesses: 12, waited: 60_000_000, service: 40_000_000)
        let parts = SlowParts(slow: slow)
        #expect(parts.scope == "the 12 at or above p95; too few accesses for p99")
        let single = SlowParts(slow: SlowSplit(beyond: "p95", accesses: 1, waited: 60_000_000))
        #expect(single.scope == "the only one at or above p95; too few accesses for p99")
        #expect(
            text(parts.sentence(theme: .standard, isShort: true))
                == "at or above p95, 100 ms: 60% waiting, 40% being served"
        )
        #expect(
            text(parts.summary(theme: .standard))
                == "p95 (p99 unknown): 60% waiting, 40% served"
        )
    }

    @Test(arguments: GlyphSet.allCases)
    func theBarFillsItsRow(glyphs: GlyphSet) {
        let slow = SlowSplit(beyond: "p99", accesses: 2, queued: 1, waited: 2, service: 1)
        var canvas = Canvas(size: Size(width: 8, height: 1), theme: .standard, glyphs: glyphs)
        let row = canvas.bounds
        SlowParts(slow: slow).drawBar(on: &canvas, in: row)
        let bar = glyphs == .ascii ? "..====##" : "░░▒▒▒▒██"
        #expect(canvas.surface.plainText == bar + "\n")
    }
}
