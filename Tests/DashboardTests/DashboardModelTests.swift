import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct DashboardModelTests {
    private let size = Size(width: 120, height: 40)

    private func dashboard(until end: Double = 3) -> DashboardModel {
        var model = DashboardModel()
        for sample in Story().samples(until: end) { model.ingest(sample) }
        return model
    }

    @Test(arguments: [
        (Key.character("q"), DashboardAction.quit), (.control("c"), .quit),
        (.character("a"), .nextArm), (.character("I"), .interrupt(connection: nil)),
        (.character("n"), .makeSnapshot), (.character("x"), .releaseSnapshot(label: nil)),
    ])
    func keysRequestActions(key: Key, action: DashboardAction) {
        var model = DashboardModel()
        #expect(model.handle(.key(key)) == [action])
    }

    @Test func otherKeysAndResizesRequestNoAction() {
        var model = DashboardModel()
        for event in [InputEvent.key(.character("Z")), .key(.up), .resize(size)] {
            #expect(model.handle(event).isEmpty)
        }
    }

    @Test func aPausedDisplayIsFrozenWhileCollectionContinues() {
        var model = dashboard()
        let live = model.render(size: size).plainText
        #expect(model.handle(.key(.character(" "))).isEmpty)
        #expect(model.isPaused)
        let frozen = model.render(size: size).plainText
        #expect(frozen.contains("FROZEN") && !live.contains("FROZEN"))
        for sample in Story().samples(until: 10).dropFirst(31) { model.ingest(sample) }
        #expect(model.render(size: size).plainText == frozen)
        _ = model.handle(.key(.character(" ")))
        let after = model.render(size: size).plainText
        #expect(after.contains("10.0 of 35.0 s"))
        #expect(after.contains("first SQLITE_BUSY"), "samples arrive during the pause")
    }

    @Test func themesCycle() throws {
        var model = dashboard()
        let names = (0..<model.themes.count).map { _ in
            _ = model.handle(.key(.character("t")))
            return model.theme.name
        }
        #expect(names.last == "dark")
        #expect(Set(names) == Set(model.themes.map(\.name)))
        let background = model.render(size: size)[0, 5].style.background
        _ = model.handle(.key(.character("t")))
        #expect(model.render(size: size)[0, 5].style.background != background)
    }

    @Test func helpOpensAndCloses() {
        var model = dashboard()
        for key in [Key.character("?"), .character("h"), .function(1)] {
            _ = model.handle(.key(key))
            #expect(model.showsHelp)
            let text = model.render(size: size).plainText
            for binding in DashboardCommand.bindings { #expect(text.contains(binding.help)) }
            _ = model.handle(.key(.escape))
            #expect(!model.showsHelp)
        }
    }

    @Test func everyCommandHasABindingAndEveryKeyHasOneCommand() {
        let commands = DashboardCommand.bindings.map(\.command)
        #expect(commands.count == DashboardCommand.allCases.count)
        #expect(Set(commands) == Set(DashboardCommand.allCases))
        let keys = DashboardCommand.bindings.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        for binding in DashboardCommand.bindings {
            for key in binding.keys {
                #expect(DashboardKeys.standard.command(for: key) == binding.command)
            }
        }
    }

    @Test func zoomChangesTheVisibleTimeWithinBounds() {
        var model = dashboard()
        #expect(model.render(size: size).plainText.contains("last 30 s"))
        for _ in 0..<9 { _ = model.handle(.key(.character("-"))) }
        #expect(model.render(size: size).plainText.contains("last 5 min"))
        for _ in 0..<9 { _ = model.handle(.key(.character("+"))) }
        #expect(model.render(size: size).plainText.contains("last 10 s"))
    }

    @Test func aNoteIsShownImmediatelyEvenWhilePaused() {
        var model = dashboard()
        _ = model.handle(.key(.character(" ")))
        model.note("a queue has no snapshots", severity: .warning)
        #expect(model.render(size: size).plainText.contains("▲ a queue has no snapshots"))
    }

    @Test func theFooterShowsTheCostOfTheDisplay() {
        var model = dashboard()
        model.displayCPUShare = 0.013
        #expect(model.render(size: size).plainText.contains("display 1.3% CPU"))
    }
}
