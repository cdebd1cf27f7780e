import ArgumentParser
import Foundation
import SQLTrace
import WorkloadEngine

/// The options of `poolgauge top` for tracing SQL.
struct SQLArguments: ParsableArguments {
    @Flag(
        name: .customLong("sql"),
        help: ArgumentHelp(
            "Trace the programs' statements; requires root. Levels: --sql=light, timed, or full. "
                + "Probes on SQLite's functions slow down every program that uses the same "
                + "library. light, the default, counts executions; timed also estimates their "
                + "times and rows from short windows; full times every execution in the processes "
                + "that you specify with --pid."
        )
    )
    var isOn = false

    /// The level from `--sql=LEVEL`.
    ///
    /// See ``expanded(_:)``.
    @Option(name: .customLong("sql-level"), help: .hidden)
    var levelName: String?

    /// The level, or `nil` without `--sql`.
    var level: SQLTraceOptions.Level? {
        levelName.flatMap(SQLTraceOptions.Level.init) ?? (isOn ? .light : nil)
    }

    /// Replaces `--sql=LEVEL` with a flag and an option, and joins options with negative values.
    ///
    /// ArgumentParser does not support options with an optional value.
    static func expanded(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return joined(arguments[..<end]).flatMap { argument in
            argument.hasPrefix("--sql=")
                ? ["--sql", "--sql-level", String(argument.dropFirst("--sql=".count))] : [argument]
        } + arguments[end...]
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

    @Option(help: "A process to trace with --sql=full; can be repeated.")
    var pid: [Int32] = []

    @Flag(help: "Include literals, which are masked by default. Encryption keys are always masked.")
    var literals = false

    @Flag(help: "Read bound values, and include those of each statement's last execution.")
    var values = false

    @Option(
        help: "Pause tracing when it uses more than this share of a program's time; 5% by default.",
        transform: ShareArgument.parse
    )
    var sqlLimit: ShareArgument?

    func validate() throws {
        if let levelName, SQLTraceOptions.Level(rawValue: levelName) == nil {
            throw ValidationError(
                "--sql=\(levelName): there is no such level; use light, timed, or full"
            )
        }
        try Self.check(processes: pid)
        if level == nil, !pid.isEmpty || literals || values || sqlLimit != nil {
            throw ValidationError("--pid, --literals, --values, and --sql-limit require --sql")
        }
        if level == .full, pid.isEmpty {
            throw ValidationError("--sql=full requires --pid; specify at least one process")
        }
        if level != .full, !pid.isEmpty {
            throw ValidationError("--pid requires --sql=full")
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
        level.map { level in
            var options = SQLTraceOptions()
            options.level = level
            options.processes = pid
            options.showsLiterals = literals
            options.readsValues = values
            if let sqlLimit { options.shareLimit = sqlLimit.share }
            return options
        }
    }
}

/// A share of a whole, such as `5%`.
struct ShareArgument {
    var share: Double

    static func parse(_ text: String) throws -> ShareArgument {
        do { return ShareArgument(share: try Quantity.share(text)) } catch {
            throw ValidationError(String(describing: error))
        }
    }
}
