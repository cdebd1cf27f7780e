import SQLiteEngine
import SecondProcess
import Telemetry
import TestSupport
import Testing

/// Tests the locks of a process that is stopped with SIGSTOP between two reads.
@Suite(.timeLimit(.minutes(5)))
struct StoppedProcessTests {
    private static let stopCount = 20

    /// Repeatedly stops a process that reads every 400 µs.
    ///
    /// - Returns: The number of stops during which the process prevents a checkpoint.
    private static func blockingStopCount(keepsReadTransactions: Bool, mode: String) throws -> Int {
        var random = SeededRandom(seed: 13)
        let shared = try SharedDatabase(for: .pool)
        let reader = try Peer(
            executable: BuiltProgram.path(of: "SecondProcess"),
            arguments: ["reads", shared.path, keepsReadTransactions ? "keeps" : "renews", "400"]
        )
        var count = 0
        for _ in 0..<stopCount {
            let moment =
                monotonicNanoseconds() + .random(in: 2_000_000..<12_000_000, using: &random)
            while monotonicNanoseconds() < moment {}
            try reader.stop()
            defer { reader.resume() }
            try shared.peer.commit(CommitLoad(count: 1))
            if try !shared.peer.completesCheckpoint(mode) { count += 1 }
        }
        return count
    }

    @Test(arguments: ["TRUNCATE", "RESTART"])
    func keepingDoesNotMakeAStoppedProcessBlockMoreCheckpoints(mode: String) async throws {
        let (keeping, renewing) = try await runOnNewThread {
            (
                try Self.blockingStopCount(keepsReadTransactions: true, mode: mode),
                try Self.blockingStopCount(keepsReadTransactions: false, mode: mode)
            )
        }
        #expect(keeping <= renewing + 3, "out of \(Self.stopCount) stops")
    }
}
