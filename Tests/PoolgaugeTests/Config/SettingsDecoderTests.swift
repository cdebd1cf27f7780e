import Dashboard
import TerminalUI
import Testing

@testable import poolgauge

struct SettingsDecoderTests {
    private func decode(_ yaml: String) throws(SettingsError) -> DashboardSettings {
        try SettingsDecoder.decode(yaml: yaml, file: "config.yaml")
    }

    @Test func omittedSettingsHaveTheirDefaults() throws {
        #expect(try decode("") == DashboardSettings())
        #expect(try decode("# nothing yet\n") == DashboardSettings())
        #expect(try decode("version: 1\nkeys:\n") == DashboardSettings())
    }

    @Test func thePrintedConfigurationMatchesTheDefaults() throws {
        let yaml = DefaultConfiguration.yaml(themes: Theme.builtIn)
        let settings = try decode(yaml)
        var plain = settings
        plain.keys = [:]
        plain.theme = nil
        #expect(plain == DashboardSettings())
        #expect(settings.theme == Theme.standard.name)
        // The text contains every command with its default keys.
        #expect(Set(settings.keys.keys) == Set(DashboardCommand.allCases))
        for binding in DashboardCommand.bindings {
            #expect(settings.keys[binding.command] == binding.keys)
        }
        #expect(yaml.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test func everySettingCanBeChanged() throws {
        let settings = try decode(
            """
            theme: mine
            glyphs: block
            refresh: 2.5
            mouse: false
            keys:
              quit: x
              release: [X, Del]
              snapshot: ["n", ^N]
              theme: []
            """
        )
        #expect(settings.theme == "mine")
        #expect(settings.glyphs == .block)
        #expect(settings.refreshRate == 2.5)
        #expect(!settings.usesMouse)
        #expect(settings.keys[.quit] == [.character("x")])
        #expect(settings.keys[.release] == [.character("X"), .delete])
        #expect(settings.keys[.snapshot] == [.character("n"), .control("n")])
        #expect(settings.keys[.theme] == [])
        let keys = try DashboardKeys(changing: settings.keys)
        #expect(keys.command(for: .character("x")) == .quit)
        #expect(keys.command(for: .character("q")) == nil)
        #expect(keys.command(for: .character("t")) == nil)
    }

    @Test func everyErrorContainsItsPositionAndTheNearestName() throws {
        let yaml = """
            version: 2
            them: dark
            glyphs: brail
            refresh: fast
            mouse: maybe
            keys:
              quitt: q
              help: [F99]
              sort: {a: b}
            """
        let error = #expect(throws: SettingsError.self) { try decode(yaml) }
        let issues = try #require(error).issues
        let expected = [
            "config.yaml:1:10: unknown version '2'; expected 1",
            "config.yaml:2:1: unknown key 'them'; did you mean 'theme'?",
            "config.yaml:3:9: unknown glyphs 'brail'; did you mean 'braille'?",
            "config.yaml:4:10: 'fast' is not a refresh rate; expected 0.5 to 60 frames per second",
            "config.yaml:5:8: expected true or false, not 'maybe'",
            "config.yaml:7:3: unknown command 'quitt'; did you mean 'quit'?",
            "config.yaml:8:10: there is no key 'F99'; did you mean 'F9'? Keys: a character, Space",
            "config.yaml:9:9: expected a key, such as q",
        ]
        #expect(issues.count == expected.count)
        for (issue, start) in zip(issues, expected) {
            #expect(issue.description.hasPrefix(start), "\(issue)")
        }
    }

    @Test(arguments: [
        (
            "keys:\n  sort: x\n  theme: x",
            "config.yaml:3:3: the key x of 'theme' is already assigned to 'sort'"
        ),
        ("keys: {quit: []}", "config.yaml:1:8: 'quit' requires a key"),
        ("keys: 7", "config.yaml:1:7: '7' is not a mapping"),
        ("theme: [", "config.yaml:"),
        ("- a", "config.yaml:1:1: the configuration must be a mapping"),
        ("theme: a\ntheme: b", "config.yaml:"), ("refresh: 0", "config.yaml:1:10: '0'"),
        ("refresh: 1000", "config.yaml:1:10: '1000'"),
    ])
    func invalidSettingsAreErrorsWithTheirPosition(yaml: String, start: String) throws {
        let error = #expect(throws: SettingsError.self) { try decode(yaml) }
        #expect(try #require(error).description.hasPrefix(start), "\(error?.description ?? "")")
    }

    @Test func theFolderFollowsTheXDGSpecification() {
        func path(_ environment: [String: String]) -> String? {
            ConfigurationFolder(environment: environment).path
        }
        #expect(path(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/poolgauge")
        #expect(path(["XDG_CONFIG_HOME": "", "HOME": "/h"]) == "/h/.config/poolgauge")
        #expect(path(["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/poolgauge")
        #expect(path([:]) == nil)
    }
}
