import ArgumentParser
import Foundation
import SQLTrace
import WorkloadEngine

/// The options of `poolgauge top` for tracing SQL.
struct SQLArguments: ParsableArguments {
    @Flag(
        name: .customLong("sql"),
        help: ArgumentHelp(
            "Trace the programs' statements; requires root. Probes on SQLite's functions slow down "
                + "the programs that have the database open, and no others. Every execution is "
                + "counted and timed, except in a program that would lose more than --sql-limit "
                + "of its time, which has probes only in windows."
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

    @Option(help: "Trace only this process with --sql; can be repeated.")
    var pid: [Int32] = []

    @Flag(help: "Include literals, which are masked by default. Encryption keys are always masked.")
    var literals = false

    @Flag(help: "Read bound values, and include those of each statement's last execution.")
    var values = false

    @Option(
        help: """
            The share of its time that a program may lose to probes, or none; 5% by default. A \
            program that would lose more has probes only in windows.
            """,
        transform: ShareArgument.parse
    )
    var sqlLimit: ShareArgument?

    func validate() throws {
        if let levelName, !Self.levels.contains(levelName) {
            throw ValidationError("--sql=\(levelName): there are no levels; use --sql")
        }
        try Self.check(processes: pid)
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
