// This program contains the helper processes that sessions start in tests.
import SQLTrace

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

switch CommandLine.arguments.dropFirst().first {
case "calibration": SQLCalibration.run(measuresCost: CommandLine.arguments.count > 2)
case "plans": StatementPlanning.run()
case "guardian": TraceGuardian.run(name: CommandLine.arguments[2])
case "trace":
    // A test kills this session.
    let program = CommandLine.arguments[0]
    // The guardian inherits this duplicate of the pipe. The test therefore reads the end of the
    // file only after both processes have ended.
    _ = dup(STDOUT_FILENO)
    do throws(TraceError) {
        let session = try SQLTraceSession(
            paths: [CommandLine.arguments[2]],
            commands: SQLTraceCommands(
                calibration: [program, "calibration"],
                guardian: [program, "guardian"]
            )
        )
        print("ready")
        while true { session.poll() }
    } catch {
        print(error)
    }
default: print("usage: TraceHelper calibration|plans|guardian|trace")
}
