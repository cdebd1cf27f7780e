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

    @Test func aClickSelectsAConnectionAndTheWheelMovesTheSelection() throws {
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

    @Test func aClickOnATitleSortsAndASecondClickReversesTheOrder() throws {
        var model = dashboard()
        _ = model.handle(.key(.character("2")))
        let held = try place(of: "held   accesses", in: model)
        _ = model.handle(.mouse(MouseEvent(.press, at: held)))
        #expect(model.view.sortColumn == "held")
        let scene = { (model: DashboardModel) in
            ScreenScene(history: model.displayedHistory, seconds: 30, view: model.view)
        }
        #expect(ConnectionsScreen(scene: scene(model)).lanes.first?.label == "demo.reader.1")
        _ = model.handle(.mouse(MouseEvent(.press, at: held)))
        #expect(ConnectionsScreen(scene: scene(model)).lanes.last?.label == "demo.reader.1")
    }

    @Test func aClickOnAChartGoesToItsTime() throws {
        var model = dashboard()
        let left = try place(of: "−30 s", in: model)
        let above = Point(x: left.x + 1, y: left.y - 3)
        _ = model.handle(.mouse(MouseEvent(.press, at: above)))
        #expect(model.isPaused)
        #expect((1.0...2.2).contains(model.displayedHistory.now))
        // Dragging moves through the recorded time.
        _ = model.handle(.mouse(MouseEvent(.drag, at: Point(x: left.x + 20, y: left.y - 3))))
        #expect((8.0...12.0).contains(model.displayedHistory.now))
    }

    @Test func nothingIsInterruptedWithoutASelection() {
        var model = dashboard()
        #expect(model.handle(.key(.character("i"))).isEmpty)
        #expect(model.render(size: size).plainText.contains("select a connection"))
    }

    @Test func keysRequestCheckpoints() {
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
