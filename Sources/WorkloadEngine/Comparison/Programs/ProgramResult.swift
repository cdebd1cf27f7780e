import Foundation
import Text

/// A type that reads the result of a program's run, or explains its absence.
struct ProgramResult {
    let program: ComparedProgram
    let arm: String
    let scenario: Scenario
    /// The path of the scenario's copy, which error messages replace with the scenario's name.
    let path: String
    let limit: Duration

    /// The maximum number of characters of the program's error output in a message.
    private static let maximumQuotationLength = 600

    /// Returns the result with only the arm's run.
    ///
    /// - Throws: ``RunError`` with the reason and the program's messages if there is no result.
    func result(of outcome: ProgramProcess.Outcome) throws -> RunResult {
        switch outcome.end {
        case .timedOut:
            throw failure(
                "did not end within \(ReportUnits.seconds(limit.inSeconds)) and was killed",
                outcome
            )
        case .outputTooLarge: throw failure("wrote too much output and was killed", outcome)
        case .signal(let number):
            throw failure(
                "crashed: signal \(number) (\(String(cString: strsignal(number))))",
                outcome
            )
        // Without output, a nonzero status indicates a usage error or a missing program.
        case .status(let status) where outcome.output.isEmpty && status != 0:
            throw failure(
                "ended with status \(status) and printed no result",
                outcome,
                status: status
            )
        case .status, .stopped: break
        }
        var result: RunResult
        do {
            result = try RunResult.decode(outcome.output)
        } catch let error as UnreadableResult {
            throw failure("did not produce a result: \(described(error, outcome.output))", outcome)
        }
        result.runs.removeAll { $0.arm != arm }
        guard let run = result.runs.first else {
            let reasons = (result.failures ?? []).joined(separator: "; ")
            throw failure(
                "did not produce a result for arm '\(arm)'"
                    + (reasons.isEmpty ? "" : ": \(reasons)"),
                outcome
            )
        }
        if run.partial, run.failures == nil { throw failure("was interrupted", outcome) }
        for client in scenario.clients {
            guard let result = run.clients[client.name], result.skipped > 0, result.completed > 0,
                result.spectra == nil
            else { continue }
            throw failure(
                "reports no distribution ('spectra') for \(client.name), which skipped accesses; "
                    + "remove 'skip-after', or compare with a newer version",
                outcome
            )
        }
        return result
    }

    private func described(_ error: UnreadableResult, _ output: Data) -> String {
        guard (try? JSONSerialization.jsonObject(with: output)) != nil else {
            let start = String(decoding: output.prefix(60), as: UTF8.self)
            let line = start.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            return line.isEmpty ? "its output is empty" : "its output begins with '\(line)'"
        }
        return "\(error); its version may be too old or too new"
    }

    private func failure(
        _ problem: String,
        _ outcome: ProgramProcess.Outcome,
        status: Int32 = 0
    ) -> RunError {
        let name = scenario.file.isEmpty ? scenario.name : scenario.file
        let messages = outcome.errors.replacing(path, with: name)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        var text = "the program '\(program.name)' (\(program.path)) \(problem)"
        if !messages.isEmpty {
            text += "; its error output is: \(messages.suffix(Self.maximumQuotationLength))"
        }
        text +=
            "\nA program must accept 'run SCENARIO --arm NAME --seed N --database FILE --format "
            + "json', as poolgauge does; to reproduce the problem, run: \(program.path) run "
            + "\(name) --arm \(arm) --format json"
        // `poolgauge` exits with status 64 for an invalid scenario or option.
        return RunError(status == 64 ? .scenario : .program, text)
    }
}
