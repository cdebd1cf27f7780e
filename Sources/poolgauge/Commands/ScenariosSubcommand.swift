import ArgumentParser
import Capture
import Foundation
import GRDBTarget
import Scenarios
import TerminalUI
import Text
import WorkloadEngine

struct ScenariosSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios",
        abstract: "List, show, draft, and check scenarios.",
        subcommands: [
            List.self, Show.self, NewScenarioSubcommand.self, Validate.self, Schema.self,
            Metrics.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the presets.")

        func run() throws {
            for preset in Presets.all {
                let scenario = try preset.scenario()
                let lines = TextWrapping.lines(of: scenario.description, width: 76).map {
                    "    \($0)\n"
                }
                try StandardOutput.write("\(preset.name)\n\(lines.joined())")
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a scenario's YAML, for example as a template for your own."
        )

        @Argument(help: "The name of a preset, or the path to a YAML file.")
        var scenario: String

        func run() throws {
            try StandardOutput.write(Scenario.load(nameOrPath: scenario).source)
        }
    }

    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check scenarios without running them, and list all errors.",
            aliases: ["check"]
        )

        @Argument(help: "The names of presets, or paths to YAML files; - for standard input.")
        var scenarios: [String]

        func run() throws {
            var issues: [ScenarioError.Issue] = []
            for name in scenarios {
                do throws(ScenarioError) {
                    let scenario = try Scenario.load(nameOrPath: name)
                    try StatementCheck(LibraryTargetFactory()).check(scenario)
                    try? StandardOutput.write(
                        "\(name): valid ("
                            + HumanUnits.counted(scenario.clients.count, "client", "clients") + ", "
                            + HumanUnits.counted(scenario.arms.count, "arm", "arms") + ")\n"
                            + scenario.commands.map { arm, command in
                                "  arm '\(arm)' runs: \(Escaping.terminal(command.joined(separator: " ")))\n"
                            }.joined()
                    )
                } catch {
                    issues += error.issues
                }
            }
            if !issues.isEmpty { throw ScenarioError(issues: issues) }
        }
    }

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the JSON Schema of scenarios, for your editor.",
            discussion: "Save it as poolgauge.schema.json, and start your scenario with "
                + "'# yaml-language-server: $schema=poolgauge.schema.json'."
        )

        @Flag(help: "Print the reference in Markdown instead, with a table for each mapping.")
        var markdown = false

        func run() throws {
            try StandardOutput.write(markdown ? ScenarioReference.markdown : ScenarioSchema.json)
        }
    }

    struct Metrics: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the metrics that thresholds and comparisons can use.",
            discussion: "CLIENT stands for the name of a client in the scenario."
        )

        @Flag(help: "Print the list in Markdown.")
        var markdown = false

        func run() throws {
            try StandardOutput.write(markdown ? MetricReference.markdown : MetricReference.text)
        }
    }
}

struct NewScenarioSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Draft a scenario for your database, as a starting point.",
        discussion: """
            For each of the tables with the most rows, the scenario contains reads by key and by \
            index, searches in full-text indexes, and an update of one row. Each update is first \
            tried on a copy. If a constraint or a trigger rejects it, the scenario contains a \
            comment instead.
            """
    )

    @Option(help: "The database; the command only reads it.", completion: .file())
    var database: String

    @Option(
        help: "The number of tables to use, starting with the table that has the most rows.",
        transform: NumberArgument.positive
    )
    var tables = 5

    @Option(
        name: .shortAndLong,
        help: "The file for the scenario; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace an existing scenario file.")
    var force = false

    @Option(help: "When to show progress on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        try DistinctFiles.check(
            outputs: [.init("--output", output)],
            inputs: [.init("--database", database)]
        )
    }

    func run() throws {
        let source = try DatabaseFile.url(database)
        let destination =
            try output.map { try ReportDestination(newFile: $0, replacesFile: force) }
            ?? ReportDestination(path: nil)
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        let reporter = ProgressReporter(progress)
        defer { reporter.finish() }
        let copy = try DatabaseFile.copy(source, named: database, in: folder.url) {
            reporter.showStep($0)
        }
        let facts = try DraftDatabase(copy: copy.path, of: database, triesStatements: true)
        guard !facts.statements.isEmpty else {
            throw CommandFailure(
                "'\(database)' has no rows; add rows, or write a scenario with a dataset, such as "
                    + "the one that 'poolgauge scenarios show reads-during-import' prints"
            )
        }
        let yaml = try draft(of: source, facts).yaml
        // Validate the draft in the same way as a user's scenario.
        _ = try Scenario.parse(yaml: yaml, file: output ?? "new")
        try destination.write(yaml)
    }

    private func draft(of source: URL, _ facts: DraftDatabase) throws -> ScenarioDraft {
        let name = source.deletingPathExtension().lastPathComponent
        var options = DraftOptions(
            name: name,
            description: "Likely reads and writes on \(source.lastPathComponent).",
            database: DatabaseReference.path(of: database, from: output)
        )
        let chosen = facts.statements.prefix(tables)
        options.introduction = introduction(chosen.map(\.table), in: facts)
        options.rate = 100
        options.writeShare = 0.2
        var draft = ScenarioDraft(options, schema: facts.schema, words: facts.words)
        for (table, statements) in chosen {
            for read in statements.reads where hasWords(read, table: table, in: facts) {
                try add { () throws(DraftError) in
                    try draft.addRead(read.sql, name: read.name, comment: read.comment)
                }
            }
            if let write = statements.write {
                try add { () throws(DraftError) in
                    try draft.addWrite(write.sql, name: write.name, comment: write.comment)
                }
            }
        }
        return draft
    }

    /// Returns `false` if the statement searches a full-text index without words.
    private func hasWords(
        _ read: TableStatements.Statement,
        table: DraftTable,
        in facts: DraftDatabase
    ) -> Bool {
        guard case .fullText = table.kind else { return true }
        return facts.words.contains(table: table.name)
    }

    private func add(_ body: () throws(DraftError) -> Void) throws {
        do { try body() } catch { throw CommandFailure("'\(database)': \(error)") }
    }

    private func introduction(_ tables: [DraftTable], in facts: DraftDatabase) -> [String] {
        let names = tables.map { "\($0.name) (\($0.rows) \($0.rows == 1 ? "row" : "rows"))" }
            .joined(separator: ", ")
        var lines = [
            "Written by 'poolgauge scenarios new' from the schema of the database. The statements "
                + "are guesses: replace them with your program's statements, and set its rates.",
            "Tables: \(names).",
        ]
        let others = facts.statements.dropFirst(tables.count).map(\.table.name)
        if !others.isEmpty {
            lines.append("Without statements: \(others.joined(separator: ", ")).")
        }
        for table in tables {
            if let reason = facts.failures[table.name] {
                lines.append("No update of \(table.name), which failed: \(reason)")
            } else if case .fullText(ownsContent: false) = table.kind {
                lines.append("No update of \(table.name): its text is in another table.")
            }
        }
        return lines
    }
}
