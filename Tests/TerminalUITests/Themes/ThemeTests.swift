import Foundation
import Testing

@testable import TerminalUI

struct ThemeTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "themes")

    @Test func everyFileInTheFolderIsBuiltInUnchanged() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix(".yaml") }.sorted()
        #expect(files == Theme.sources.map(\.name).sorted())
        for (name, bytes) in Theme.sources {
            let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            #expect(Array(text.utf8) == bytes)
            let theme = try Theme.parse(yaml: text, file: name)
            #expect(theme.name + ".yaml" == name)
            #expect(!theme.summary.isEmpty)
            #expect(try Theme.named(theme.name) == theme)
        }
        #expect(Theme.builtIn.count == files.count)
        #expect(Theme.builtIn.first?.name == "dark")
    }

    @Test func missingRolesUseFallbacks() throws {
        let theme = try Theme.parse(
            yaml: "name: small\nroles: {text: white, warning: '#ff8000', background: '#102'}",
            file: "small.yaml"
        )
        #expect(theme.color(.text) == .indexed(7))
        #expect(theme.color(.title) == .indexed(7))
        #expect(theme.color(.waiting) == .rgb(255, 128, 0))
        #expect(theme.style(.limit).background == .rgb(17, 0, 34))
        #expect(theme.color(.load, at: 0.5) == .rgb(255, 128, 0))
        let empty = try Theme.parse(yaml: "name: empty", file: "empty.yaml")
        #expect(empty.color(.error) == .standard)
    }

    @Test func aGradientMixesItsThreeColors() throws {
        let yaml = """
            palette: {low: "#000000", middle: "#646464", high: "#c86464"}
            gradients: {load: {start: low, mid: middle, end: high}}
            """
        let theme = try Theme.parse(yaml: yaml, file: "t.yaml")
        #expect(theme.color(.load, at: 0) == .rgb(0, 0, 0))
        #expect(theme.color(.load, at: 0.25) == .rgb(50, 50, 50))
        #expect(theme.color(.load, at: 0.5) == .rgb(100, 100, 100))
        #expect(theme.color(.load, at: 1) == .rgb(200, 100, 100))
        #expect(theme.color(.load, at: .nan) == .rgb(0, 0, 0))
        #expect(theme.color(.load, at: 7) == .rgb(200, 100, 100))
    }

    @Test func everyErrorContainsItsPositionAndTheNearestName() throws {
        let yaml = """
            name: wrong
            pallete: {}
            palette:
              ink: "#12345"
            roles:
              warnin: red
              text: whit
              title: {color: red, bolt: true, bold: perhaps}
            gradients:
              load: {start: red}
              wal: {start: red, end: blue, middle: green}
            """
        let error = #expect(throws: ThemeError.self) {
            try Theme.parse(yaml: yaml, file: "wrong.yaml")
        }
        let lines = try #require(error).description.split(separator: "\n").map(String.init)
        let expected = [
            "wrong.yaml:2:1: unknown key 'pallete'; did you mean 'palette'?",
            "wrong.yaml:4:8: '#12345' is not a color; expected \"#rrggbb\"",
            "wrong.yaml:6:3: unknown role 'warnin'; did you mean 'warning'?",
            "wrong.yaml:7:9: there is no color 'whit'; did you mean 'white'?",
            "wrong.yaml:8:23: unknown key 'bolt'; did you mean 'bold'?",
            "wrong.yaml:8:41: expected true or false, not 'perhaps'",
            "wrong.yaml:10:9: a gradient requires 'start' and 'end'; 'mid' is optional",
            "wrong.yaml:11:32: unknown key 'middle'",
        ]
        #expect(lines.count == expected.count)
        for (line, start) in zip(lines, expected) { #expect(line.hasPrefix(start), "\(line)") }
    }

    @Test(arguments: [
        ("name: [", "t.yaml:"), ("- a\n- b", "t.yaml:1:1: a theme must be a mapping"),
        ("", "t.yaml:1:1: a theme must be a mapping"),
        ("version: 2", "t.yaml:1:10: unknown version '2'"),
        ("name: a\nname: b", "t.yaml:"), ("roles: 7", "t.yaml:1:8: '7' is not a mapping"),
    ])
    func invalidThemesCauseErrors(yaml: String, start: String) throws {
        let error = #expect(throws: ThemeError.self) {
            try Theme.parse(yaml: yaml, file: "t.yaml")
        }
        #expect(try #require(error).description.hasPrefix(start))
    }

    @Test func theErrorForAnUnknownThemeContainsTheNearestName() throws {
        let error = #expect(throws: UnknownThemeError.self) { try Theme.named("drak") }
        let text = try #require(error).description
        #expect(text.contains("'drak'; did you mean 'dark'? Themes: dark, light"))
        let other = #expect(throws: UnknownThemeError.self) { try Theme.named("foo") }
        let otherText = try #require(other).description
        #expect(otherText.hasPrefix("there is no theme 'foo'; expected one of: dark, light"))
        #expect(otherText.split(separator: "light").count == 2)
    }

    @Test func theIndexOfARoleIsItsPosition() {
        #expect(Role.allCases.map(\.index) == Array(Role.allCases.indices))
        #expect(GradientRole.allCases.map(\.index) == Array(GradientRole.allCases.indices))
    }
}
