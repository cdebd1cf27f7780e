#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLTrace

/// Tests that the guardian removes the probes of a killed session while programs keep running.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct GuardianTests {
    private static func names(of process: Int32, _ folder: TraceFolder) -> [String] {
        folder.sessionNames().filter { TraceOwner(name: $0)?.process == process }
    }

    @Test func aKilledSessionLeavesNothingBehind() throws {
        let folder = try TraceFolder.find().get()
        let files = TemporaryFolder()
        let path = files.file()
        let program = try ForeignProgram(path)
        try program.run(
            """
            c = connect(path)
            c.execute("CREATE TABLE t(a)")
            count = 0
            stop = False
            turn = threading.Event()
            def work():
                global count
                while not stop:
                    turn.set()
                    c.execute("INSERT INTO t VALUES(1)")
                    c.execute("SELECT max(a) FROM t").fetchall()
                    count += 1
            thread = threading.Thread(target=work)
            thread.start()
            """
        )
        var random = SeededRandom(seed: 15)
        for _ in 0..<50 {
            let session = Process()
            session.executableURL = URL(fileURLWithPath: TracedPrograms.helper)
            session.arguments = ["trace", path]
            let output = Pipe()
            session.standardOutput = output
            try session.run()
            // Kill the session at a random time.
            usleep(UInt32.random(in: 0...400_000, using: &random))
            kill(session.processIdentifier, SIGKILL)
            session.waitUntilExit()
            // The output ends only after the guardian has also ended.
            _ = try output.fileHandleForReading.readToEnd()
            #expect(Self.names(of: session.processIdentifier, folder).isEmpty)
            try program.run("assert thread.is_alive()")
        }
        try program.run("turn.clear(); assert turn.wait(60); stop = True")
    }

    @Test func cleaningRemovesProbesOfEndedProcesses() throws {
        let folder = try TraceFolder.find().get()
        // No process has this ID, which exceeds the kernel's limit.
        let ended = TraceOwner(process: 0x7fff_fff0, startTicks: 1)
        let current = try #require(TraceOwner.current)
        let foreign = "foreign_\(getpid())"
        for name in [ended.name, current.name, foreign] {
            #expect(mkdir("\(folder.path)/instances/\(name)", 0o700) == 0)
        }
        defer {
            rmdir("\(folder.path)/instances/\(foreign)")
            _ = folder.remove(current.name)
        }
        let cleaned = try TraceGuardian.clean().get()
        #expect(cleaned.removed.contains(ended.name))
        #expect(!folder.sessionNames().contains(ended.name))
        #expect(folder.sessionNames().contains(current.name))
        #expect(access("\(folder.path)/instances/\(foreign)", F_OK) == 0)
        #expect(!folder.remove(foreign))
    }
}
#endif
