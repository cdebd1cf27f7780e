import TerminalUI
import Testing

@testable import Dashboard
@testable import SQLiteWatch

struct WatchGoldenTests {
    private static let screens = Array(WatchScreens.standard.indices)
    private static let sizes = [(120, 40), (80, 24), (60, 16), (20, 5)]

    private func dashboard(
        _ screen: Int,
        glyphs: GlyphSet = .braille,
        until end: Double = 18
    ) throws -> WatchDashboard {
        var model = try WatchDashboard.watching(glyphs: glyphs, until: end)
        for report in WatchStory(path: "/srv/shop/log.db", isWAL: false).reports(until: end) {
            model.ingest([report])
        }
        _ = model.perform(.screen(screen))
        return model
    }

    private func name(_ screen: Int) -> String {
        "watch-" + WatchScreens.standard[screen].title.lowercased()
    }

    @Test(arguments: screens, sizes)
    func showsAScreen(screen: Int, size: (Int, Int)) throws {
        let extent = Size(width: size.0, height: size.1)
        var model = try dashboard(screen)
        _ = model.handle(.resize(extent))
        let picture = "\(name(screen))-\(size.0)x\(size.1)"
        try Golden.expect(model.render(size: extent), named: picture, styles: size.0 == 120)
    }

    @Test(arguments: screens, [GlyphSet.block, .ascii])
    func showsAScreenInOtherGlyphs(screen: Int, glyphs: GlyphSet) throws {
        let size = Size(width: 80, height: 24)
        let surface = try dashboard(screen, glyphs: glyphs).render(size: size)
        try Golden.expect(surface, named: "\(name(screen))-80x24-\(glyphs.rawValue)")
        if glyphs == .ascii {
            #expect(surface.plainText.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test(arguments: screens)
    func keepsEveryCellInEveryDepth(screen: Int) throws {
        var lines: [String] = []
        for glyphs in [GlyphSet.braille, .ascii] {
            let model = try dashboard(screen, glyphs: glyphs)
            for (width, height) in Self.sizes {
                let surface = model.render(size: Size(width: width, height: height))
                for depth in [ColorDepth.direct, .basic16, .mono] {
                    let digest = Golden.digest(of: surface.reduced(to: depth))
                    let kind = "\(width)x\(height) \(glyphs.rawValue) \(depth.rawValue)"
                    lines.append("\(kind): \(digest)")
                }
            }
        }
        try Golden.expect(lines.joined(separator: "\n") + "\n", named: "\(name(screen))-depths")
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func showsAPastMoment(size: (Int, Int)) throws {
        var model = try WatchDashboard.watching(theme: "light")
        model.press("S17")
        _ = model.handle(.key(.enter))
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "watch-past-\(size.0)x\(size.1)")
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func showsAProcessInDetail(size: (Int, Int)) throws {
        var model = try WatchDashboard.watching()
        _ = model.handle(.resize(Size(width: size.0, height: size.1)))
        _ = model.handle(.key(.down))
        _ = model.handle(.key(.enter))
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "watch-details-\(size.0)x\(size.1)")
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func showsARollbackJournal(size: (Int, Int)) throws {
        let model = try WatchDashboard.watching(WatchStory(isWAL: false), until: 18)
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "watch-rollback-\(size.0)x\(size.1)")
    }

    @Test(arguments: [(120, 40), (80, 24), (40, 10)])
    func showsItsHelp(size: (Int, Int)) throws {
        var model = try WatchDashboard.watching()
        model.press("?")
        let picture = model.render(size: Size(width: size.0, height: size.1))
        try Golden.expect(picture, named: "watch-help-\(size.0)x\(size.1)")
    }

    @Test func showsThePlaceholderBeforeTheFirstReport() throws {
        let model = WatchDashboard(placeholder: "There is no SQLite database in '/srv'.")
        let picture = model.render(size: Size(width: 80, height: 24))
        try Golden.expect(picture, named: "watch-empty-80x24")
    }
}
