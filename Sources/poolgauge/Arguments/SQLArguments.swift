import ArgumentParser
import Foundation
import SQLTrace
import Scenarios

/// The options of `poolgauge top` for tracing SQL.
struct SQLArguments: ParsableArguments {
    @Flag(
        name: .customLong("sql"),
        help: ArgumentHelp(
            "Trace the programs' statements; requires root. Probes on SQLite's functions slow down "
                + "the programs that have the database open, and no others. Every execution is "
                + "counted and timed, except in a program that would become slower than "
                + "--sql-limit permits, which has probes only in windows."
        )
    )
    var isOn = false

    /// The level from `--sql=LEVEL`, which has no effect.
    ///
    /// See ``expanded(_:)``.
    @Option(name: .customLong("sql-level"), help: .hidden)
    var levelName: String?

    /// The levels of earlier versions.
    private static let levels = ["light", "timed", "full"]

    /// Replaces `--sql=LEVEL` with a flag and an option, joins options with negative values, and
    /// replaces a command after `--` with options.
    ///
    /// ArgumentParser does not support options with an optional value, and no list of arguments after
    /// another one.
    static func expanded(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let isCommand = arguments.first.map(starters.contains) ?? false
        let rest = arguments[end...]
        return joined(arguments[..<end]).flatMap { argument in
            argument.hasPrefix("--sql=")
                ? ["--sql", "--sql-level", String(argument.dropFirst("--sql=".count))] : [argument]
        } + (isCommand ? rest.dropFirst().map { "--\(commandWord)=:" + $0 } : Array(rest))
    }

    /// Joins each long option with a negative value, as in `--from=-5m`, because ArgumentParser
    /// reads a separate `-5m` as an option.
    private static func joined(_ arguments: ArraySlice<String>) -> [String] {
        var result: [String] = []
        for argument in arguments {
            if let last = result.last, last.hasPrefix("--"), !last.contains("="),
                argument.hasPrefix("-"), argument.dropFirst().first?.isNumber == true
            {
                result[result.count - 1] = "\(last)=\(argument)"
            } else {
                result.append(argument)
            }
        }
        return result
    }

    @Option(help: "Trace only this process with --sql; can be repeated.")
    var pid: [Int32] = []

    @Flag(help: "Include literals, which are masked by default. Encryption keys are always masked.")
    var literals = false

    @Flag(help: "Read bound values, and include those of each statement's last execution.")
    var values = false

    @Option(
        help: """
            By which share the statements of a program may take longer, or none; 5% by default. A \
            program that would become slower has probes only in windows.
            """,
        transform: ShareArgument.parse
    )
    var sqlLimit: ShareArgument?

    /// The command after `--`, which is started and traced without privileges.
    ///
    /// See ``expanded(_:)``.
    @Option(
        name: .customLong(commandWord),
        parsing: .singleValue,
        help: .hidden,
        transform: { String($0.dropFirst()) }
    )
    var command: [String] = []

    /// The name of the option for a word of the command.
    ///
    /// A colon precedes the word, which may be empty.
    static let commandWord = "command-word"

    /// The subcommands that start the command after `--`.
    private static let starters: Set<String> = ["top", "record", "capture", "check"]

    func validate() throws {
        if let levelName, !Self.levels.contains(levelName) {
            throw ValidationError("--sql=\(levelName): there are no levels; use --sql")
        }
        try Self.check(processes: pid)
        if !command.isEmpty {
            guard pid.isEmpty, sqlLimit == nil else {
                throw ValidationError(
                    "--pid and --sql-limit are for probes, and a command after -- is traced without "
                        + "them"
                )
            }
            return
        }
        if !isOn, !pid.isEmpty || literals || values || sqlLimit != nil {
            throw ValidationError("--pid, --literals, --values, and --sql-limit require --sql")
        }
    }

    /// Checks that the given processes exist.
    static func check(processes: [Int32]) throws {
        for process in processes where process <= 0 || (kill(process, 0) != 0 && errno == ESRCH) {
            throw ValidationError("--pid: there is no process \(process)")
        }
    }

    /// The tracing options, or `nil` without `--sql`.
    var options: SQLTraceOptions? {
        guard isOn else { return nil }
        var options = SQLTraceOptions()
        options.processes = pid
        options.showsLiterals = literals
        options.readsValues = values
        if let sqlLimit { options.shareLimit = sqlLimit.share }
        return options
    }
}

extension SQLArguments {
    /// The options for the statements of a command, which needs no probes.
    var commandOptions: SQLTraceOptions {
        var options = SQLTraceOptions()
        options.showsLiterals = literals
        options.readsValues = values
        return options
    }

    /// The tracing options, or those for programs that another process has started with the library,
    /// or `nil` if there are none.
    var availableOptions: SQLTraceOptions? {
        if let options { return options }
        guard AgentTraceSession.opened() != nil else { return nil }
        var options = SQLTraceOptions()
        options.readsStartedPrograms = true
        return options
    }
}

/// A share of a whole, such as `5%`, or `none`.
struct ShareArgument {
    /// The share, or 0 for no limit.
    var share: Double

    static func parse(_ text: String) throws -> ShareArgument {
        if text == "none" { return ShareArgument(share: 0) }
        do { return ShareArgument(share: try Quantity.share(text)) } catch {
            throw ValidationError(String(describing: error))
        }
    }
}
