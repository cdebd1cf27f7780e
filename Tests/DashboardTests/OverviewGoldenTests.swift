import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct OverviewGoldenTests {
    private func dashboard(
        _ story: Story = Story(),
        theme: String = "dark",
        glyphs: GlyphSet = .braille,
        until end: Double = 31
    ) throws -> DashboardModel {
        var model = DashboardModel(theme: try Theme.named(theme), glyphs: glyphs)
        model.displayCPUShare = 0.008
        for sample in story.samples(until: end) { model.ingest(sample) }
        return model
    }

    @Test(arguments: [(120, 40), (80, 24), (60, 16), (20, 5)], GlyphSet.allCases)
    func showsAPool(size: (Int, Int), glyphs: GlyphSet) throws {
        let surface = try dashboard(glyphs: glyphs).render(
            size: Size(width: size.0, height: size.1)
        )
        let name = "pool-\(size.0)x\(size.1)-\(glyphs.rawValue)"
        try Golden.expect(surface, named: name, styles: size.0 >= 80 && glyphs == .braille)
        if glyphs == .ascii {
            #expect(surface.plainText.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test(arguments: [(120, 40), (80, 24), (100, 30), (200, 60), (40, 10)])
    func showsAPoolInTheLightTheme(size: (Int, Int)) throws {
        let surface = try dashboard(theme: "light").render(
            size: Size(width: size.0, height: size.1)
        )
        try Golden.expect(surface, named: "pool-light-\(size.0)x\(size.1)")
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func showsAQueue(size: (Int, Int)) throws {
        let model = try dashboard(Story(kind: .queue))
        let surface = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(surface, named: "queue-\(size.0)x\(size.1)")
    }

    @Test func showsItsFirstMomentsAndManyReaders() throws {
        let size = Size(width: 80, height: 24)
        try Golden.expect(try dashboard(until: 0).render(size: size), named: "first-sample-80x24")
        try Golden.expect(DashboardModel().render(size: size), named: "no-sample-80x24")
        let many = try dashboard(Story(readers: 24))
        try Golden.expect(many.render(size: size), named: "many-readers-80x24")
    }

    @Test(arguments: [(120, 40), (80, 24), (40, 10)])
    func showsItsHelpOverAPausedScreen(size: (Int, Int)) throws {
        var model = try dashboard()
        _ = model.handle(.key(.character(" ")))
        _ = model.handle(.key(.character("?")))
        let surface = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(surface, named: "help-\(size.0)x\(size.1)")
    }
}
