import SQLiteWatch
import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

/// Tests the second recording (the ghost), which is drawn underneath the charts.
struct GhostTests {
    /// Returns a dashboard that shows a run, with the run of a larger pool up to `end` as its
    /// ghost.
    private func dashboard(
        theme: String = "dark",
        ghostUntil end: Double = 31
    ) throws
        -> DashboardModel
    {
        var model = DashboardModel(theme: try Theme.named(theme))
        for sample in Story().samples(until: 31) { model.ingest(sample) }
        let ghost = Story(readers: 8).samples(until: end).map { sample in
            var sample = sample
            sample.database.wal?.bytes *= 2
            sample.utilization = 0.9
            return sample
        }
        model.showGhost(ghost.map { ($0, $0.time) })
        return model
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func theOverviewShowsBothRecordings(size: (Int, Int)) throws {
        let extent = Size(width: size.0, height: size.1)
        var model = try dashboard()
        _ = model.handle(.resize(extent))
        let picture = model.render(size: extent)
        try Golden.expect(picture, named: "ghost-\(size.0)x\(size.1)")
        #expect(picture.plainText.contains("○○○"))
        #expect(picture.plainText.contains("○ ghost") == (size.0 == 120))
    }

    @Test func theMarkIsDistinctInASCII() throws {
        var model = try dashboard(theme: "monochrome")
        model.glyphs = .ascii
        let text = model.render(size: Size(width: 100, height: 30)).plainText
        #expect(text.contains("ooo"))
    }

    @Test func theAxisFitsTheGhost() throws {
        // The ghost uses 7.2 readers, nine tenths of eight. This is more than the four readers of
        // the run.
        var history = History()
        for sample in Story().samples(until: 5) { history.append(sample) }
        let size = Size(width: 80, height: 12)
        var canvas = Canvas(size: size, theme: try Theme.named("dark"), glyphs: .braille)
        PoolPanel(history: history, seconds: 30).draw(on: &canvas, in: canvas.bounds)
        #expect(!canvas.surface.plainText.contains("8┤"))
        history.ghost = Ghost(history.moments.last.map { [Self.moment($0, inUse: 7.2)] } ?? [])
        PoolPanel(history: history, seconds: 30).draw(on: &canvas, in: canvas.bounds)
        #expect(canvas.surface.plainText.contains("8┤"))
    }

    private static func moment(_ moment: Moment, inUse: Double) -> Moment {
        var moment = moment
        (moment.inUse, moment.waitingReaders) = (inUse, 0)
        return moment
    }

    @Test func theGhostEndsWithItsRecording() {
        var history = History()
        for sample in Story().samples(until: 30) { history.append(sample) }
        let moments = Story().samples(until: 10).map { Moment($0, time: $0.time) }
        let values = Ghost(moments).values(alignedWith: history, seconds: 30, count: 30, .mean) {
            _ in 1
        }
        #expect(values.prefix(10) == Array(repeating: 1, count: 10)[...])
        #expect(values.suffix(18).filter(\.isFinite) == [])
        let none = Ghost<Moment>([]).values(alignedWith: history, seconds: 30, count: 30, .mean) {
            _ in 1
        }
        #expect(none.filter(\.isFinite) == [])
    }

    @Test func theGhostRemainsAfterASeek() throws {
        var model = try dashboard()
        model.show(Story().samples(until: 20))
        let text = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(text.contains("○ ghost"))
    }

    @Test func theBarNamesTheGhost() {
        let controls = ReplayControls(clock: ReplayClock(range: 0...60_000))
        let bar = ReplayBar(
            controls: controls,
            clockTime: "12:00:00",
            ghost: "ghost b.rec, aligned by phase"
        )
        let reason = ", because the recordings were not interleaved"
        for size in [Size(width: 60, height: 16), Size(width: 100, height: 30)] {
            let height = ReplayBar.height(in: size, hasGhost: true)
            #expect(height == ReplayBar.height(in: size) + 1)
            let content = Surface(size: Size(width: size.width, height: size.height - height))
            let text = bar.surface(
                below: content,
                size: size,
                theme: .standard,
                glyphs: .braille
            ).plainText
            #expect(text.contains("○ ghost b.rec, aligned by phase; no verdict"))
            #expect(text.contains(reason) == (size.width == 100))
        }
    }
}
