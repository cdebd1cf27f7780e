import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

/// Tests selecting a part of a screen with Tab and expanding it with Enter.
struct PartsTests {
    private static let size = Size(width: 120, height: 40)

    private func dashboard(_ keys: [Key]) -> DashboardModel {
        var model = DashboardModel()
        _ = model.handle(.resize(Self.size))
        for sample in Story().samples() { model.ingest(sample) }
        for key in keys { _ = model.handle(.key(key)) }
        return model
    }

    @Test(arguments: DashboardScreen.allCases.filter { !$0.parts.isEmpty })
    func tabCyclesThroughAllPartsAndTheWholeScreen(screen: DashboardScreen) throws {
        let key = Key.character(try #require("\(screen.rawValue)".first))
        var model = dashboard([key])
        let whole = model.render(size: Self.size)
        var pictures: Set<String> = [Golden.digest(of: whole)]
        for part in screen.parts.indices {
            _ = model.handle(.key(.tab))
            #expect(model.view.part == part)
            let picture = model.render(size: Self.size)
            #expect(pictures.insert(Golden.digest(of: picture)).inserted)
            // The selection is also visible without colors.
            #expect(
                Golden.digest(of: picture.reduced(to: .mono))
                    != Golden.digest(of: whole.reduced(to: .mono))
            )
        }
        _ = model.handle(.key(.tab))
        #expect(model.view.part == nil)
        #expect(model.render(size: Self.size) == whole)
        _ = model.handle(.key(.backTab))
        #expect(model.view.part == screen.parts.count - 1)
    }

    @Test(arguments: DashboardScreen.allCases.filter { !$0.parts.isEmpty })
    func enterExpandsAPartInAnySize(screen: DashboardScreen) throws {
        let key = Key.character(try #require("\(screen.rawValue)".first))
        for part in screen.parts.indices {
            var model = dashboard([key] + Array(repeating: .tab, count: part + 1) + [.enter])
            for size in [Self.size, Size(width: 80, height: 24), Size(width: 40, height: 10)] {
                _ = model.handle(.resize(size))
                let text = model.render(size: size).plainText
                // A single panel has a single upper left corner.
                #expect(text.filter { $0 == "╭" }.count <= 1)
            }
            _ = model.handle(.key(.escape))
            #expect(!model.view.isExpanded && model.view.part == part)
            _ = model.handle(.key(.escape))
            #expect(model.view.part == nil)
        }
    }

    @Test func aSmallTerminalShowsOnlyTheLog() {
        let keys = Array(repeating: Key.tab, count: 5) + [.enter]
        let text = dashboard(keys).render(size: Size(width: 80, height: 24)).plainText
        #expect(text.contains("Write-ahead log") && text.contains("pinned by snapshot"))
        #expect(!text.contains("Reader pool"))
    }

    @Test func enterOnALaneOpensItsDetails() {
        let model = dashboard([.down, .down, .enter])
        #expect(model.screen == .connections)
        #expect(model.view.selected == "demo.reader.1")
        #expect(model.view.isExpanded)
    }

    @Test func enterWithoutASelectionShowsAHint() {
        let model = dashboard([.enter])
        #expect(model.screen == .overview)
        #expect(model.history.newestEvents(1)[0].message.contains("Tab selects a panel"))
    }
}
