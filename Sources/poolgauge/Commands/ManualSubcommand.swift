import ArgumentParser

struct ManualSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page in man(1) format.",
        discussion: "To read the page, run: poolgauge manual | man -l -"
    )

    func run() throws {
        try StandardOutput.write(ManualPage(of: Poolgauge.self).text)
    }
}
