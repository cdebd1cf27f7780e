import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct AnySizeTests {
    private func dashboards() -> [DashboardModel] {
        var empty = DashboardModel()
        empty.displayCPUShare = 0.5
        var pool = DashboardModel(glyphs: .block)
        for sample in Story(readers: 12).samples(until: 12) { pool.ingest(sample) }
        var help = DashboardModel(glyphs: .ascii)
        for sample in Story(kind: .queue).samples(until: 3) { help.ingest(sample) }
        _ = help.handle(.key(.character("?")))
        return [empty, pool, help]
    }

    @Test(.timeLimit(.minutes(5)))
    func everySizeIsDrawnWithoutACrash() {
        for dashboard in dashboards() {
            // The steps have no common divisor, so they cover many combinations of widths and
            // heights.
            for height in stride(from: 0, through: 45, by: 3) {
                for width in stride(from: 0, through: 130, by: 13) {
                    let size = Size(width: width, height: height)
                    #expect(dashboard.render(size: size).size == size)
                }
            }
            for step in stride(from: 0, through: 100, by: 10) {
                let size = Size(width: step * 4, height: step)
                #expect(dashboard.render(size: size).size == size)
            }
        }
        let odd = DashboardModel().render(size: Size(width: -3, height: -1))
        #expect(odd.cells.isEmpty)
    }

    @Test(.timeLimit(.minutes(5)), arguments: DashboardScreen.allCases)
    func everyScreenIsDrawnInEverySizeLiveAndInThePast(screen: DashboardScreen) throws {
        var model = DashboardModel(glyphs: .block)
        for sample in Story(readers: 12).samples(until: 26) { model.ingest(sample) }
        let key = try #require("\(screen.rawValue)".first)
        _ = model.handle(.key(.character(key)))
        for keys in ["", "je[", "\u{1B}"] {
            for key in keys { _ = model.handle(.key(key == "\u{1B}" ? .escape : .character(key))) }
            for height in stride(from: 10, through: 45, by: 7) {
                for width in stride(from: 40, through: 150, by: 23) {
                    let size = Size(width: width, height: height)
                    #expect(model.render(size: size).size == size)
                }
            }
        }
    }

    @Test(arguments: DashboardScreen.allCases)
    func hostileTextIsHarmlessOnEveryScreen(screen: DashboardScreen) throws {
        let bad = "\u{1B}]0;x\u{7}\u{202E}日本\u{301}\u{9B}2J\r\n\t"
        var sample = try #require(Story().samples(until: 25.9).last)
        sample.arm = bad
        sample.phase = bad
        sample.database.journalMode = bad
        for index in sample.database.connections.indices {
            sample.database.connections[index].sql = "SELECT '\(bad)'"
            sample.database.connections[index].holder = AccessOrigin(name: bad)
            sample.database.connections[index].label += bad
            sample.database.connections[index].heldNanoseconds = .max
            sample.database.connections[index].busyWaitNanoseconds = .max
        }
        for index in sample.database.waitingReaders.indices {
            sample.database.waitingReaders[index].origin = AccessOrigin(name: bad)
            sample.database.waitingReaders[index].waitedNanoseconds = .max
        }
        sample.database.snapshots[0].label = bad
        sample.database.snapshots[0].frame = .max
        sample.database.snapshots[0].pinnedFrames = .max
        sample.database.wal?.pageSize = .max - 24
        sample.settings?.clients[0] = LoadSettings.Client(
            name: bad,
            workers: .max,
            rate: .infinity,
            holdSeconds: .nan,
            writeShare: -.infinity
        )
        var latencies = OperationLatencies(name: bad)
        for value in [0, UInt64.max] {
            latencies.response.add(value, count: .max)
            latencies.wait.add(value, count: 20)
        }
        sample.clients[0].name = bad
        sample.clients[0].operations = [latencies]
        sample.clients[0].throughput = .infinity
        for glyphs in GlyphSet.allCases {
            var model = DashboardModel(glyphs: glyphs)
            for step in 0..<40 {
                sample.sequence = step
                sample.time = Double(step) / 10
                model.ingest(sample)
            }
            let key = try #require("\(screen.rawValue)".first)
            for key in [Key.character(key), .down, .enter, .right, .tab] {
                _ = model.handle(.key(key))
            }
            let surface = model.render(size: Size(width: 120, height: 40))
            let scalars = surface.cells.flatMap(\.character.unicodeScalars)
            #expect(scalars.allSatisfy { $0.properties.generalCategory != .control })
            #expect(scalars.allSatisfy { $0.properties.generalCategory != .format })
            if glyphs == .ascii { #expect(surface.plainText.utf8.allSatisfy { $0 < 0x80 }) }
        }
    }

    @Test func aTerminalThatIsTooSmallShowsTheRequiredSize() {
        let dashboard = DashboardModel()
        for size in [Size(width: 39, height: 30), Size(width: 120, height: 9)] {
            #expect(dashboard.render(size: size).plainText.contains("40x10"))
        }
        #expect(!dashboard.render(size: Size(width: 40, height: 10)).plainText.contains("needs"))
    }

    @Test func nonfiniteNumbersAndHostileTextAreHarmless() {
        var sample = Story().samples(until: 0)[0]
        sample.time = .nan
        sample.plannedDuration = .infinity
        sample.utilization = .nan
        sample.saturation = -.infinity
        sample.scenario = "\u{1B}[31mred\u{7}\r\n"
        sample.clients[0].throughput = .nan
        sample.clients[0].targetRate = .infinity
        sample.clients[0].name = "\u{202E}日本語\u{301}é\u{9B}2J"
        sample.database.readers?.maximum = .max
        sample.database.connections[0].label = ""
        sample.database.connections[1].holder = AccessOrigin(name: "\u{1B}]0;x\u{7}")
        sample.database.connections[1].state = .statement
        sample.database.connections[1].heldNanoseconds = .max
        sample.database.wal?.bytes = .max
        sample.events = [TelemetryEvent(time: -.infinity, message: "\u{1B}c" + "長" + "\t")]
        for glyphs in GlyphSet.allCases {
            var dashboard = DashboardModel(glyphs: glyphs)
            dashboard.ingest(sample)
            sample.time = -5
            sample.database.readers?.maximum = 0
            dashboard.ingest(sample)
            let surface = dashboard.render(size: Size(width: 120, height: 40))
            let scalars = surface.cells.flatMap(\.character.unicodeScalars)
            #expect(scalars.allSatisfy { $0.properties.generalCategory != .control })
            #expect(scalars.allSatisfy { $0.properties.generalCategory != .format })
        }
    }

    @Test func textStaysVisibleWithFewerColors() throws {
        for theme in Theme.builtIn {
            var dashboard = DashboardModel(theme: theme)
            for sample in Story().samples(until: 26) { dashboard.ingest(sample) }
            let surface = dashboard.render(size: Size(width: 120, height: 40))
            for depth in [ColorDepth.indexed256, .basic16] {
                let reduced = surface.reduced(to: depth)
                let hidden = reduced.cells.filter { cell in
                    let isText = cell.character.first.map { $0.isLetter || $0.isNumber } ?? false
                    let (front, back) = (cell.style.foreground, cell.style.background)
                    // The terminal's default colors always differ.
                    return isText && front == back && front != .standard
                }
                #expect(hidden.isEmpty, "\(theme.name) at \(depth.rawValue)")
            }
            let mono = surface.reduced(to: .mono)
            #expect(mono.cells.allSatisfy { $0.style.foreground == .standard })
        }
    }
}
