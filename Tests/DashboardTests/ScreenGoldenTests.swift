import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct ScreenGoldenTests {
    private func dashboard(
        _ screen: DashboardScreen,
        _ story: Story = Story(),
        theme: String = "dark",
        glyphs: GlyphSet = .braille,
        until end: Double = 31
    ) throws -> DashboardModel {
        var model = DashboardModel(theme: try Theme.named(theme), glyphs: glyphs)
        model.displayCPUShare = 0.008
        if screen == .compare {
            for sample in Story(kind: .queue).samples(until: 26) { model.ingest(sample) }
        }
        // At this moment, accesses wait for a reader and for the writer.
        let end = screen == .waiters ? 25.9 : end
        for sample in story.samples(until: end) { model.ingest(sample) }
        let key = try #require("\(screen.rawValue)".first)
        _ = model.handle(.key(.character(key)))
        return model
    }

    private static let screens = Array(DashboardScreen.allCases.dropFirst())

    @Test(arguments: screens, [(120, 40), (80, 24), (60, 16), (20, 5)])
    func showsAScreen(screen: DashboardScreen, size: (Int, Int)) throws {
        let extent = Size(width: size.0, height: size.1)
        var model = try dashboard(screen)
        _ = model.handle(.resize(extent))
        let name = "\(screen)-\(size.0)x\(size.1)"
        try Golden.expect(model.render(size: extent), named: name, styles: size.0 == 120)
    }

    @Test(arguments: screens, [GlyphSet.block, .ascii])
    func showsAScreenInOtherGlyphs(screen: DashboardScreen, glyphs: GlyphSet) throws {
        let surface = try dashboard(screen, glyphs: glyphs).render(
            size: Size(width: 80, height: 24)
        )
        try Golden.expect(surface, named: "\(screen)-80x24-\(glyphs.rawValue)")
        if glyphs == .ascii {
            #expect(surface.plainText.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    /// Compares every cell and style in every size, depth, and glyph set.
    ///
    /// Digests take less disk space than pictures, which other tests compare.
    @Test(arguments: DashboardScreen.allCases)
    func keepsEveryCellInEveryDepth(screen: DashboardScreen) throws {
        var lines: [String] = []
        for glyphs in [GlyphSet.braille, .ascii] {
            let model = try dashboard(screen, glyphs: glyphs)
            for (width, height) in [(120, 40), (80, 24), (60, 16), (20, 5)] {
                let surface = model.render(size: Size(width: width, height: height))
                for depth in [ColorDepth.direct, .basic16, .mono] {
                    let digest = Golden.digest(of: surface.reduced(to: depth))
                    let kind = "\(width)x\(height) \(glyphs.rawValue) \(depth.rawValue)"
                    lines.append("\(kind): \(digest)")
                }
            }
        }
        try Golden.expect(lines.joined(separator: "\n") + "\n", named: "\(screen)-depths")
    }

    @Test(arguments: screens)
    func showsAQueueOnEachScreen(screen: DashboardScreen) throws {
        let model = try dashboard(screen, Story(kind: .queue))
        let size = Size(width: 100, height: 30)
        try Golden.expect(model.render(size: size), named: "\(screen)-queue-100x30")
    }

    @Test(arguments: DashboardScreen.allCases)
    func showsAPastMoment(screen: DashboardScreen) throws {
        var model = try dashboard(screen, theme: "light")
        for key in "S25" { _ = model.handle(.key(.character(key))) }
        _ = model.handle(.key(.enter))
        let size = Size(width: 120, height: 40)
        try Golden.expect(model.render(size: size), named: "\(screen)-past-120x40")
    }

    /// Each panel shows results for the run, and no panel presents them as current.
    @Test(arguments: DashboardScreen.allCases, [(120, 40), (80, 24)])
    func showsTheEndOfARun(screen: DashboardScreen, size: (Int, Int)) throws {
        var model = DashboardModel(theme: try Theme.named("dark"))
        for sample in Story().finished() { model.ingest(sample) }
        let key = try #require("\(screen.rawValue)".first)
        _ = model.handle(.key(.character(key)))
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "\(screen)-finished-\(size.0)x\(size.1)")
        #expect(!picture.plainText.contains(/\bnow\b/))
    }

    /// Tests that the screen explains the size of a large log that is neither pinned nor growing.
    @Test(arguments: [DashboardScreen.overview, .snapshots], [(120, 40), (80, 24)])
    func showsALogThatRestarts(screen: DashboardScreen, size: (Int, Int)) throws {
        var model = DashboardModel(theme: try Theme.named("dark"))
        for var sample in Story().samples() {
            sample.database.wal?.pin = nil
            sample.database.snapshots = []
            sample.database.connections.removeAll { $0.role == .snapshot }
            sample.database.wal?.bytes = 32 + 11_020 * 4_120
            sample.database.wal?.frames = 120
            sample.database.wal?.checkpointedFrames = 100
            model.ingest(sample)
        }
        let key = try #require("\(screen.rawValue)".first)
        _ = model.handle(.key(.character(key)))
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "\(screen)-starts-over-\(size.0)x\(size.1)")
    }

    /// If there are too few accesses for p99, each panel names the percentile that it shows.
    @Test(arguments: [(120, 40), (80, 24)])
    func identifiesTheShownPercentile(size: (Int, Int)) throws {
        var model = DashboardModel(theme: try Theme.named("dark"))
        for var sample in Story().samples() {
            for index in sample.clients.indices {
                sample.clients[index].slow?.beyond = "p95"
                sample.clients[index].slow?.accesses = 12
            }
            model.ingest(sample)
        }
        _ = model.handle(.key(.character("5")))
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "latency-p95-\(size.0)x\(size.1)")
    }

    @Test func showsASelectionWithItsDetails() throws {
        var model = try dashboard(.connections)
        for key in [Key.character("s"), .character("s"), .down, .down, .enter] {
            _ = model.handle(.key(key))
        }
        let size = Size(width: 80, height: 24)
        try Golden.expect(model.render(size: size), named: "connections-expanded-80x24")
        for key in "/ui" { _ = model.handle(.key(.character(key))) }
        try Golden.expect(model.render(size: size), named: "connections-filter-80x24")
    }
}
