import Testing

@testable import CursesTerminal

struct TerminalProfileTests {
    private func profile(
        _ environment: [String: String],
        knowing entries: Set<String> = ["xterm-256color", "xterm-direct", "tmux-256color"]
    ) throws(TerminalError) -> TerminalProfile {
        try TerminalProfile(environment: environment) { entries.contains($0) }
    }

    @Test
    func directColorRequiresCOLORTERMAndATerminfoEntry() throws {
        var environment = ["TERM": "xterm-256color"]
        #expect(try profile(environment).name == "xterm-256color")
        environment["COLORTERM"] = "truecolor"
        #expect(try profile(environment).name == "xterm-direct")
        environment["TERM"] = "tmux-256color"
        #expect(try profile(environment).name == "tmux-256color")
    }

    @Test
    func aNonemptyNoColorVariableDisablesColor() throws {
        var environment = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""]
        #expect(try profile(environment).usesColors)
        environment["NO_COLOR"] = "0"
        let plain = try profile(environment)
        #expect(!plain.usesColors)
        #expect(plain.name == "xterm-256color")
    }

    @Test
    func directColorEntriesHaveSeveralPossibleNames() {
        #expect(TerminalProfile.directNames(of: "xterm-256color") == ["xterm-direct"])
        #expect(
            TerminalProfile.directNames(of: "xterm-kitty") == [
                "xterm-kitty-direct", "kitty-direct",
            ]
        )
        #expect(TerminalProfile.directNames(of: "foot-direct") == ["foot-direct"])
    }

    @Test(arguments: [[:], ["TERM": ""], ["TERM": "dumb"], ["TERM": "unknown"], ["TERM": "odd"]])
    func anUnsuitableTerminalCausesAnErrorThatSuggestsACommand(environment: [String: String]) {
        let error = #expect(throws: TerminalError.self) { try profile(environment) }
        #expect(error?.description.contains("poolgauge run") == true)
    }
}
