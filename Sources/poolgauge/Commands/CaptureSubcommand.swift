import ArgumentParser
import Capture
import Foundation
import WorkloadEngine

/// `poolgauge capture`.
struct CaptureSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Turn the SQL of a running program into a scenario.",
        discussion: """
            Traces what programs execute on the database (--for, as root on Linux), or reads it from \
            JSON lines (--from), and writes a scenario over a copy of the database: transactions \
            with their rates, rests and values, and arms to compare with. Then runs the scenario \
            for a moment and reports how like the program it is. docs/Capture.md has the format of \
            the lines, and recipes for SQLAlchemy, Django and GRDB.

            No value of the program is in the scenario without --literals or --values.
            """
    )

    @Argument(help: "The program's database.", completion: .file())
    var file: String?

    @Option(help: "The program's database; another way to name it.", completion: .file())
    var database: String?

    @Option(
        help: "A file of JSON lines with the executed statements; - for standard input.",
        completion: .file()
    )
    var from: String?

    @Option(
        name: .customLong("for"),
        help: "How long to trace the programs that use the database; ^C ends it early.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "A process to time in full, while it runs as usual but slower; may be given several "
                + "times. Without it, short windows time a sample of all programs' statements."
        )
    )
    var pid: [Int32] = []

    @Option(name: .shortAndLong, help: "The scenario's file.", completion: .file())
    var output: String

    @Flag(help: "Replace the scenario's file if there is one.")
    var force = false

    @Option(help: "The scenario's name; that of the database's file by default.")
    var name: String?

    @Flag(help: "Keep literals that are the same in all executions of a statement.")
    var literals = false

    @Flag(help: "Fit distributions to the observed values; frequent values appear in the scenario.")
    var values = false

    @Option(
        help: "How often a value or literal must have been seen to appear.",
        transform: NumberArgument.positive
    )
    var k = 5

    @Option(
        help: "How long the scenario runs for the comparison with the capture; 5s by default.",
        transform: TimeArgument.parse
    )
    var check: TimeArgument?

    @Flag(help: "Do not run the scenario.")
    var noCheck = false

    func validate() throws {
        if file == nil, database == nil { throw ValidationError("name the program's database") }
        if file != nil, database != nil {
            throw ValidationError("name one database: '\(file ?? "")' or --database")
        }
        if let name, !name.contains(where: { !$0.isWhitespace }) {
            throw ValidationError("--name is blank")
        }
        if from == nil, duration == nil {
            throw ValidationError(
                "give --for, how long to trace, or --from, a file of executed statements"
            )
        }
        if from != nil, duration != nil { throw ValidationError("give one of --for and --from") }
        if check != nil, noCheck { throw ValidationError("give one of --check and --no-check") }
        if from != nil, !pid.isEmpty { throw ValidationError("--pid goes with --for") }
    }

    func run() throws {
        let path = try DatabaseFile.url(file ?? database ?? "").path
        var run = CaptureRun(database: path, output: output)
        run.replacesOutput = force
        run.checkDuration = noCheck ? nil : check?.duration ?? .seconds(5)
        run.options.name = name ?? Self.name(of: path)
        run.options.showsLiterals = literals
        run.options.showsValues = values
        run.options.leastCount = k
        guard let duration else { return try run.run(from: from ?? "-") }
        var live = LiveCapture(database: path, duration: duration.duration)
        live.options.level = pid.isEmpty ? .timed : .full
        live.options.processes = pid
        live.options.readsValues = values
        try run.run(live)
    }

    /// `app-captured` for `app.sqlite`.
    private static func name(of path: String) -> String {
        let base = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return base + "-captured"
    }
}
