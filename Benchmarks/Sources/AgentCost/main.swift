import Foundation
import PoolgaugeAgent
import SQLiteEngine
import Synchronization

// Measures the cost of an agent to its program: the throughput of point reads without an agent,
// with an agent without clients, and with an agent that serves four clients. Each round measures
// all three settings.
//
//     swift run -c release AgentCost [--rounds N] [--seconds S] [--threads N]
//
// The clients are separate processes. Two request the status four times per second, as the
// dashboard does. One requests the metrics once per second, and one requests the stream of
// events but never reads it.

func option(_ name: String, _ defaultValue: Double) -> Double {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return Double(CommandLine.arguments[index + 1]) ?? defaultValue
}

let rounds = Int(option("rounds", 20))
let seconds = option("seconds", 2)
let threads = Int(option("threads", 2))

let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("pga-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true,
    attributes: [.posixPermissions: 0o700]
)
defer { try? FileManager.default.removeItem(at: folder) }
setenv("XDG_RUNTIME_DIR", folder.path, 1)

let pool = try DatabasePool(path: folder.appendingPathComponent("cost.sqlite").path)
try pool.write { db in
    try db.execute(
        sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER); INSERT INTO t VALUES (1, 2)"
    )
}

/// A flag that ends a round.
final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
}

/// Performs reads for the given time, and returns the number of reads per second.
func measure() -> Double {
    let total = Atomic<Int>(0)
    let stopFlag = Flag()
    let completion = DispatchSemaphore(value: 0)
    let begin = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<threads {
        Thread.detachNewThread {
            var count = 0
            while !stopFlag.isSet.load(ordering: .relaxed) {
                do {
                    _ = try pool.read { db in
                        try Int.fetchOne(
                            db.cachedStatement(sql: "SELECT v FROM t WHERE id = 1")
                        )
                    }
                } catch { fatalError("\(error)") }
                count += 1
            }
            total.add(count, ordering: .relaxed)
            completion.signal()
        }
    }
    usleep(UInt32(seconds * 1_000_000))
    stopFlag.isSet.store(true, ordering: .relaxed)
    for _ in 0..<threads { completion.wait() }
    let elapsed = DispatchTime.now().uptimeNanoseconds - begin
    return Double(total.load(ordering: .relaxed)) / (Double(elapsed) / 1e9)
}

/// Starts a program that requests a path at an interval.
///
/// If the interval is `nil`, the program sends one request and does not read the response.
func startClient(_ socket: String, _ path: String, interval: Double?) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let python = """
        import socket, sys, time
        while True:
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(f"GET {sys.argv[2]} HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n".encode())
            if sys.argv[3] == "stop":
                time.sleep(3600)
            while s.recv(65536):
                pass
            s.close()
            time.sleep(float(sys.argv[3]))
        """
    process.arguments = ["python3", "-c", python, socket, path, interval.map { "\($0)" } ?? "stop"]
    try process.run()
    return process
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

var idleRatios: [Double] = []
var servingRatios: [Double] = []
print("\(threads) threads, \(rounds) rounds of \(seconds) s, alternating")
_ = measure()
for round in 1...rounds {
    let rateWithoutAgent = measure()
    let agent = try Agent.start(pool, name: "cost")
    let idleRate = measure()
    let clients = try [
        startClient(agent.socketPath, "/status", interval: 0.25),
        startClient(agent.socketPath, "/status", interval: 0.25),
        startClient(agent.socketPath, "/metrics", interval: 1),
        startClient(agent.socketPath, "/events", interval: nil),
    ]
    // Let Python start before the measurement.
    usleep(300_000)
    let servingRate = measure()
    for client in clients { kill(client.processIdentifier, SIGKILL) }
    for client in clients { client.waitUntilExit() }
    agent.stop()
    idleRatios.append(idleRate / rateWithoutAgent)
    servingRatios.append(servingRate / rateWithoutAgent)
    print(
        String(
            format: "%2d  without %9.0f/s  without clients %9.0f/s  with four clients %9.0f/s",
            round,
            rateWithoutAgent,
            idleRate,
            servingRate
        )
    )
}
for (name, ratios) in [("without clients", idleRatios), ("with four clients", servingRatios)] {
    let text = String(
        format: "%.3f (%.3f to %.3f)",
        median(ratios),
        ratios.min() ?? .nan,
        ratios.max() ?? .nan
    )
    print("median ratio to the rate without an agent, \(name): \(text)")
}
