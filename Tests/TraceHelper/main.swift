// This program contains the helper processes that sessions start in tests.
import SQLTrace

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

switch CommandLine.arguments.dropFirst().first {
case "calibration": SQLCalibration.run(Array(CommandLine.arguments.dropFirst(2)))
case "plans": StatementPlanning.run()
case "opens": OpenGate.run(waits: CommandLine.arguments.count == 2)
case "trace":
    // A test kills this session.
    let program = CommandLine.arguments[0]
    do throws(TraceError) {
        let session = try SQLTraceSession(
            paths: [CommandLine.arguments[2]],
            commands: SQLTraceCommands(
                calibration: [program, "calibration"],
                opening: [program, "opens"]
            )
        )
        print("ready")
        fflush(nil)
        while true { session.poll() }
    } catch {
        print(error)
    }
default: print("usage: TraceHelper calibration|plans|opens|trace")
}
