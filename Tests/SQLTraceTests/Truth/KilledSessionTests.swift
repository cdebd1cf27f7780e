#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLTrace

/// Tests that the kernel removes the probes of a killed session while programs keep running.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct KilledSessionTests {
    /// The number of links in the kernel.
    private static func linkCount() -> Int {
        var count = 0
        var id: UInt32 = 0
        while true {
            var attributes = KernelAttributes()
            attributes.set(0, id)
            // BPF_LINK_GET_NEXT_ID
            guard attributes.call(31) == 0 else { return count }
            id = attributes.value(4)
            count += 1
        }
    }

    @Test func aKilledSessionLeavesNothingBehind() throws {
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
        let before = Self.linkCount()
        var highest = before
        for _ in 0..<50 {
            let session = Process()
            session.executableURL = URL(fileURLWithPath: TracedPrograms.helper)
            session.arguments = ["trace", path]
            session.standardOutput = FileHandle.nullDevice
            try session.run()
            // Kill the session at a random time.
            usleep(UInt32.random(in: 0...600_000, using: &random))
            highest = max(highest, Self.linkCount())
            kill(session.processIdentifier, SIGKILL)
            session.waitUntilExit()
            try program.run("assert thread.is_alive()")
        }
        #expect(highest > before)
        // The kernel removes each link in 50 ms.
        for _ in 0..<200 where Self.linkCount() > before { usleep(10_000) }
        #expect(Self.linkCount() == before)
        try program.run("turn.clear(); assert turn.wait(60); stop = True")
    }
}
#endif
