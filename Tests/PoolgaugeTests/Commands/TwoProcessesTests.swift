import Foundation
import TestSupport
import Testing

/// Tests runs with a second process that writes to the same file.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct TwoProcessesTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-two-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func object(_ value: Any?, _ keys: String...) throws -> [String: Any] {
        try keys.reduce(try #require(value as? [String: Any])) {
            try #require($0[$1] as? [String: Any])
        }
    }

    @Test(arguments: ["pool", "queue-wal", "queue"])
    func bothProcessesWriteAndBlockEachOther(arm: String) throws {
        try withFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "run", "two-processes", "--arm", arm, "--duration", "1s", "--format", "json",
                    "--progress", "never",
                ],
                in: folder
            )
            let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let runs = try #require((report as? [String: Any])?["runs"] as? [Any])
            let run = try object(runs.first)
            // If the machine stalls, the run is invalid. Other failures are not allowed.
            let isValid = try #require(run["valid"] as? Bool)
            #expect(outcome.status == (isValid ? 0 : 5), "\(outcome.errors)")
            for client in ["pay", "other"] {
                let result = try object(run, "clients", client)
                #expect(try #require(result["completed"] as? Int) > 0)
            }
            let retried = try ["pay", "other"].reduce(0) {
                $0 + (try #require(try object(run, "clients", $1)["retried"] as? Int))
            }
            #expect(retried > 0, "writes of two processes must conflict")
            let holders = try object(run, "busyHolders")
            #expect(holders.values.compactMap { $0 as? Int }.reduce(0, +) >= retried)
        }
    }

    @Test func theLockHolderIsIdentified() throws {
        #if os(Linux)
        try withFolder { folder in
            // The other process has long transactions, so it still holds the lock when the run
            // identifies the holder.
            let scenario = """
                version: 1
                name: held
                dataset:
                  schema: ["CREATE TABLE t (n INTEGER)", INSERT INTO t VALUES (0)]
                arms: {pool: {type: pool, readers: 1}}
                phases: [{name: steady, duration: 2s}]
                transactions:
                  short: UPDATE t SET n = n + 1
                  long:
                    - UPDATE t SET n = n + 1
                    - >-
                      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 1000000)
                      SELECT count(*) FROM c
                clients:
                  pay: {access: write, think: {mean: 5ms}, use: short, retry: {busy: 20}}
                  other: {access: write, style: process, think: {mean: 5ms}, use: long, retry: {busy: 20}}
                primary: [pay.response.p99]
                """
            try scenario.write(
                to: folder.appendingPathComponent("held.yaml"),
                atomically: true,
                encoding: .utf8
            )
            let outcome = try HeadlessProgram.run(
                ["run", "held.yaml", "--format", "json", "--progress", "never"],
                in: folder
            )
            let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let runs = try #require((report as? [String: Any])?["runs"] as? [Any])
            let holders = try object(runs.first, "busyHolders")
            #expect(holders.keys.contains("process of other"), "\(holders) \(outcome.errors)")
        }
        #endif
    }

    @Test func theOtherProcessAlwaysEndsWithTheRun() throws {
        #if os(Linux)
        try withFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "run", "two-processes", "--arm", "pool", "--duration", "30s", "--progress",
                    "always",
                ],
                in: folder,
                sending: (number: SIGKILL, after: "warm-up")
            )
            #expect(outcome.status == SIGKILL, "the run must be killed during its load")
            // The other process checks for its parent ten times per second, so it ends long before
            // the run would end.
            try eventually("the other process ends", timeout: 20) {
                isServing(in: folder) ? nil : ()
            }
        }
        #endif
    }

    /// Returns whether a process that a run started is working in the folder.
    private func isServing(in folder: URL) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { process in
            guard Int32(process) != nil,
                let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline"),
                String(decoding: command, as: UTF8.self).contains("serve-client"),
                let place = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(process)/cwd"
                )
            else { return false }
            return URL(fileURLWithPath: place).lastPathComponent == folder.lastPathComponent
        }
    }
}
