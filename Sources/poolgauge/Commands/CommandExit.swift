import ArgumentParser
import CursesTerminal
import Dashboard
import EngineTarget
import PoolgaugeAgent
import Recording
import SQLiteWatch
import Scenarios
import TerminalUI
import Text
import WorkloadEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension CommandFailure {
    /// Reports an error on standard error and ends the process.
    static func exit(with error: any Error) -> Never {
        let failure: CommandFailure
        switch error {
        case let error as CommandFailure: failure = error
        case let error as ScenarioError: failure = CommandFailure(error.description)
        case let error as ThemeError: failure = CommandFailure(error.description)
        case let error as UnknownThemeError: failure = CommandFailure(error.description)
        case let error as SettingsError: failure = CommandFailure(error.description)
        case let error as UnsupportedAccess: failure = CommandFailure(error.description)
        case let error as TerminalError: failure = CommandFailure(error.description)
        case let error as AgentError:
            failure = CommandFailure(error.description, status: ExitStatus.failed.rawValue)
        case let error as RecordingError:
            failure = CommandFailure(error.description, status: ExitStatus.failed.rawValue)
        case let error as RunError:
            failure = CommandFailure(
                error.description,
                status: error.code == .scenario ? usage : ExitStatus.failed.rawValue
            )
        case let error as StandardOutput.Failure where error.isClosedPipe:
            Poolgauge.exit(withError: ExitCode(closedPipe))
        case let error as StandardOutput.Failure:
            failure = CommandFailure(error.description, status: ExitStatus.failed.rawValue)
        default:
            // ArgumentParser handles help, versions, usage errors, and exit codes. The message of a
            // usage error contains the arguments.
            let message = Poolgauge.fullMessage(for: error)
            guard !Poolgauge.exitCode(for: error).isSuccess, !message.isEmpty else {
                Poolgauge.exit(withError: error)
            }
            StandardError.write(Escaping.terminalLines(message) + "\n")
            Poolgauge.exit(withError: Poolgauge.exitCode(for: error))
        }
        StandardError.write("poolgauge: \(Escaping.terminalLines(failure.message))\n")
        Poolgauge.exit(withError: ExitCode(failure.status))
    }
}
