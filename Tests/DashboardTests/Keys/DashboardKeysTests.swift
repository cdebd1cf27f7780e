import TerminalUI
import Testing

@testable import Dashboard

struct DashboardKeysTests {
    @Test func aConfiguredKeyMovesToItsNewCommand() throws {
        let keys = try DashboardKeys(changing: [.theme: [.character("a"), .function(5)]])
        #expect(keys.command(for: .character("a")) == .theme)
        #expect(keys.command(for: .function(5)) == .theme)
        #expect(keys.command(for: .character("t")) == nil)
        #expect(keys.key(for: .nextArm) == nil)
        #expect(keys.command(for: .character("q")) == .quit)
    }

    @Test func twoChangesForOneKeyAreRejected() {
        let changes: [DashboardCommand: [Key]] = [.help: [.function(2)], .copy: [.function(2)]]
        let failure = #expect(throws: DashboardKeys.Failure.self) {
            try DashboardKeys(changing: changes)
        }
        #expect(failure?.description.contains("F2") == true)
        #expect(failure?.description.contains("'copy'") == true)
        #expect(failure?.description.contains("'help'") == true)
    }

    @Test func quitNeedsAKey() {
        #expect(throws: DashboardKeys.Failure.self) { try DashboardKeys(changing: [.quit: []]) }
        #expect(throws: DashboardKeys.Failure.self) {
            try DashboardKeys(changing: [.next: [.character("q")], .back: [.control("c")]])
        }
    }

    @Test func aModelUsesChangedKeysAndItsKeyBarShowsThem() throws {
        let keys = try DashboardKeys(changing: [.quit: [.character("Q")], .latency: [.function(9)]])
        var model = DashboardModel(keys: keys)
        #expect(model.handle(.key(.character("q"))).isEmpty)
        _ = model.handle(.key(.function(9)))
        #expect(model.screen == .latency)
        let text = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(text.contains("F9 Latency") && text.contains("Q quit"))
        #expect(model.handle(.key(.character("Q"))) == [.quit])
    }

    @Test func everyHelpTextFitsInAColumn() {
        for binding in DashboardCommand.bindings { #expect(binding.help.utf8.count <= 40) }
    }
}

extension DashboardCommand {
    /// A short alias for ``nextArm``.
    fileprivate static var next: DashboardCommand { .nextArm }
}
