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
    /// The IDs of all links in the kernel.
    private static func links() -> Set<UInt64> {
        var found: Set<UInt64> = []
        var id: UInt32 = 0
        while true {
            var attributes = KernelAttributes()
            attributes.set(0, id)
            // BPF_LINK_GET_NEXT_ID
            guard attributes.call(31) == 0 else { return found }
            id = attributes.value(4)
            found.insert(UInt64(id))
        }
    }

    /// The IDs of the links that a process has.
    private static func links(of process: Int32) -> Set<UInt64> {
        let folder = "/proc/\(process)/fdinfo"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            names.compactMap { name in
                let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                return text?.split(separator: "\n").first { $0.hasPrefix("link_id:") }
                    .flatMap { UInt64($0.dropFirst(8).trimmingCharacters(in: .whitespaces)) }
            }
        )
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
        var links: Set<UInt64> = []
        for _ in 0..<50 {
            let session = Process()
            session.executableURL = URL(fileURLWithPath: TracedPrograms.helper)
            session.arguments = ["trace", path]
            session.standardOutput = FileHandle.nullDevice
            try session.run()
            // Kill the session at a random time.
            usleep(UInt32.random(in: 0...600_000, using: &random))
            links.formUnion(Self.links(of: session.processIdentifier))
            kill(session.processIdentifier, SIGKILL)
            session.waitUntilExit()
            try program.run("assert thread.is_alive()")
        }
        #expect(!links.isEmpty)
        // The kernel removes each link in 50 ms. Other sessions have links of their own.
        for _ in 0..<200 where !links.isDisjoint(with: Self.links()) { usleep(10_000) }
        #expect(links.isDisjoint(with: Self.links()))
        try program.run("turn.clear(); assert turn.wait(60); stop = True")
    }
}
#endif
