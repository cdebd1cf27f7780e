import Dashboard
import TerminalUI
import Testing

struct FrameTimeTests {
    /// Measures the time to draw a frame of 120 by 40 cells.
    ///
    /// The dashboard draws ten frames per second.
    ///
    /// A frame takes less than 2 ms in a release build and many times longer in a debug build. The
    /// limit therefore only detects work that grows with the length of a run or that allocates
    /// memory for each cell.
    @Test func frameTimeDoesNotGrowWithTheRun() throws {
        var model = DashboardModel()
        for sample in Story(readers: 8).samples(until: 310) { model.ingest(sample) }
        for _ in 0..<4 { _ = model.handle(.key(.character("-"))) }
        let size = Size(width: 120, height: 40)
        _ = model.render(size: size)
        let clock = ContinuousClock()
        let times = (0..<15).map { _ in
            clock.measure { #expect(model.render(size: size).size == size) }
        }.sorted()
        #expect(times[7] < .seconds(1), "median of 15 frames: \(times[7])")
        for _ in 0..<3 { _ = model.handle(.key(.character("+"))) }
        var last = model.render(size: size)
        let short = (0..<15).map { _ in
            clock.measure { last = model.render(size: size) }
        }.sorted()
        let diff = (0..<15).map { _ in
            clock.measure { #expect(last.changes(from: last).isEmpty) }
        }.sorted()
        print("frames: \(times[7]) for five minutes, \(short[7]) for 30 s, difference \(diff[7])")
    }
}
