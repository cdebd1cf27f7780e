import ArgumentParser
import GRDBTarget
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
