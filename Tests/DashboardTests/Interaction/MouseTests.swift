import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct MouseTests {
    private let size = Size(width: 120, height: 40)

    private func dashboard() -> DashboardModel {
        var model = DashboardModel()
        _ = model.handle(.resize(size))
        for sample in Story().samples(until: 31) { model.ingest(sample) }
        return model
    }

    private func place(of text: String, in model: DashboardModel) throws -> Point {
        let lines = model.render(size: size).plainText.split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let row = try #require(lines.lastIndex { $0.contains(text) })
        let start = try #require(lines[row].range(of: text)?.lowerBound)
        return Point(x: lines[row].distance(from: lines[row].startIndex, to: start), y: row)
    }

    @Test func aClickOnAKeyPressesIt() throws {
        var model = dashboard()
        let next = try place(of: "next arm", in: model)
        #expect(model.handle(.mouse(MouseEvent(.press, at: next))) == [.nextArm])
        let latency = try place(of: "5 Latency", in: model)
        #expect(model.handle(.mouse(MouseEvent(.press, at: latency))).isEmpty)
        #expect(model.screen == .latency)
    }

    @Test func aClickSelectsAConnectionAndTheWheelMovesOn() throws {
        var model = dashboard()
        let reader = try place(of: "reader 2", in: model)
        _ = model.handle(.mouse(MouseEvent(.press, at: reader)))
        #expect(model.render(size: size).plainText.contains("▶reader 2"))
        _ = model.handle(.mouse(MouseEvent(.wheelDown, at: reader)))
        #expect(model.render(size: size).plainText.contains("▶reader 3"))
        #expect(
            model.handle(.key(.character("i"))) == [.interrupt(connection: "demo.reader.3")]
        )
    }

    @Test func withoutASelectionNothingIsInterrupted() {
        var model = dashboard()
        #expect(model.handle(.key(.character("i"))).isEmpty)
        #expect(model.render(size: size).plainText.contains("select a connection"))
    }

    @Test func checkpointsAreAskedFor() {
        var model = dashboard()
        #expect(model.handle(.key(.character("c"))).isEmpty)
        #expect(model.render(size: size).plainText.contains("Checkpoint the log"))
        #expect(model.handle(.key(.character("t"))) == [.checkpoint(.truncate)])
        #expect(model.overlay == nil)
        _ = model.handle(.key(.character("c")))
        _ = model.handle(.key(.down))
        #expect(model.handle(.key(.enter)) == [.checkpoint(.full)])
    }
}
