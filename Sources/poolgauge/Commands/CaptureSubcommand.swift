import ArgumentParser
import Capture
import Foundation
import Recording

struct CaptureSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Turn the SQL of a running program into a scenario.",
        discussion: """
            Traces the statements that programs execute on the database (--for, as root on Linux), \
            or those of a command that it starts, without privileges (-- COMMAND, on Linux), or reads them from JSON lines or a recording (--from). Writes a scenario that runs on a copy of the \
            database. The scenario contains the program's transactions with their rates and pauses, \
            distributions for their parameters, and arms to compare. Then runs the scenario \
            briefly, corrects its values and pauses by what this shows, at most three times, and reports how \
            closely it matches the program. --print-tracer python prints a module that writes the \
            JSON lines; docs/Capture.md describes them and has recipes for SQLAlchemy, Django, and \
            GRDB.

            Without --literals or --values, the scenario contains no values from the program.
            """
    )

    @Argument(help: "The program's database.", completion: .file())
    var file: String?

    @Option(help: "The program's database; an alternative to the argument.", completion: .file())
    var database: String?

    @Option(
        help: ArgumentHelp(
            "A file with the executed statements as JSON lines, a recording of 'top --sql', or '-' "
                + "to read JSON lines from standard input."
        ),
        completion: .file()
    )
    var from: String?

    @Option(
        name: .customLong("for"),
        help: "How long to trace the programs that use the database; ^C ends the trace early.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "The ID of a process to trace, with repetitions for several; by default, all processes "
                + "that have the database open."
        )
    )
    var pid: [Int32] = []

    @Option(
        help: """
            By which share the statements of a traced program may take longer, or none; 5% by \
            default. A program that would become slower is recorded only in windows.
            """,
        transform: ShareArgument.parse
    )
    var sqlLimit: ShareArgument?

    /// The command after `--`, as in ``SQLArguments/expanded(_:)``.
    @Option(
        name: .customLong(SQLArguments.commandWord),
        parsing: .singleValue,
        help: .hidden,
        transform: { String($0.dropFirst()) }
    )
    var command: [String] = []

    @Option(name: .shortAndLong, help: "The file for the scenario.", completion: .file())
    var output: String?

    /// The languages with a module that records the statements of a program.
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case python
    }

    @Option(
        help: ArgumentHelp(
            "Print a module that records the statements of a program for --from, and do nothing else.",
            valueName: "language"
        )
    )
    var printTracer: Language?

    @Flag(help: "Replace an existing scenario file.")
    var force = false

    @Option(help: "The scenario's name; by default, the database's name followed by -captured.")
    var name: String?

    @Flag(help: "Keep literals that are the same in every execution of a statement.")
    var literals = false

    @Flag(help: "Fit distributions to the observed values; frequent values appear in the scenario.")
    var values = false

    @Option(
        name: .customLong("k"),
        help: "The minimum number of occurrences for a value or literal to appear in the scenario.",
        transform: NumberArgument.positive
    )
    var minimumCount = 5

    @Option(
        help: "How long to run the scenario to compare it with the capture; 5s by default.",
        transform: TimeArgument.parse
    )
    var check: TimeArgument?

    @Flag(help: "Do not run the scenario.")
    var noCheck = false

    func validate() throws {
        guard printTracer == nil else { return }
        guard let output else {
            throw ValidationError("specify the file for the scenario with --output")
        }
        if file == nil, database == nil {
            throw ValidationError(
                "specify the program's database as an argument or with --database"
            )
        }
        if file != nil, database != nil {
            throw ValidationError(
                "specify the database only once, as '\(file ?? "")' or with --database"
            )
        }
        if let name, !name.contains(where: { !$0.isWhitespace }) {
            throw ValidationError("--name must not be blank")
        }
        if !command.isEmpty {
            guard from == nil, duration == nil, pid.isEmpty, sqlLimit == nil else {
                throw ValidationError(
                    "--for, --from, --pid, and --sql-limit cannot be combined with a command, which "
                        + "is traced until it ends"
                )
            }
        } else if from == nil, duration == nil {
            throw ValidationError(
                "specify --for (how long to trace), --from (a file with executed statements), or a "
                    + "command after --"
            )
        }
        if from != nil, duration != nil {
            throw ValidationError("specify only one of --for and --from")
        }
        if check != nil, noCheck {
            throw ValidationError("specify only one of --check and --no-check")
        }
        if from != nil, !pid.isEmpty || sqlLimit != nil {
            throw ValidationError("--pid and --sql-limit require --for")
        }
        try SQLArguments.check(processes: pid)
        try DistinctFiles.check(
            outputs: [.init("--output", output)],
            inputs: [
                .init("the database", file), .init("--database", database), .init("--from", from),
            ]
        )
    }

    func run() throws {
        guard printTracer == nil, let output else {
            return try StandardOutput.write(PythonTracer.source + "\n")
        }
        let path = try DatabaseFile.url(
            file ?? database ?? "",
            option: file == nil ? "--database" : nil
        ).path
        var run = CaptureRun(database: path, output: output)
        run.replacesOutput = force
        run.checkDuration = noCheck ? nil : check?.duration ?? .seconds(5)
        run.options.name = name ?? Self.name(of: path)
        run.options.showsLiterals = literals
        run.options.showsValues = values
        run.options.minimumCount = minimumCount
        if !command.isEmpty {
            var live = LiveCapture(database: path, duration: Self.commandLimit)
            live.command = command
            live.options.readsValues = values
            return try run.run(live)
        }
        guard let duration else {
            let source = from ?? "-"
            guard source != "-", RecordingReader.isRecording(source) else {
                return try run.run(from: source)
            }
            return try run.run(from: RecordingReader(path: source))
        }
        var live = LiveCapture(database: path, duration: duration.duration)
        live.options.processes = pid
        live.options.readsValues = values
        if let sqlLimit { live.options.shareLimit = sqlLimit.share }
        try run.run(live)
    }

    /// The time after which the trace of a command ends.
    private static let commandLimit = Duration.seconds(7 * 24 * 3_600)

    /// Returns the default name of the scenario, such as `app-captured` for `app.sqlite`.
    private static func name(of path: String) -> String {
        let base = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return base + "-captured"
    }
}
