import Foundation

// Measures the cost of observers for the writer, which commits on a schedule with and without
// observers.
//
//     swift run -c release Observers [--rounds N] [--seconds S] [--observers N] [--rate N]
//                                    [--readers N] [--only engine|GRDB]
//
// The writer's p99 is measured from the scheduled time of each commit. Rounds with and without
// observers alternate, and so do the libraries. Each ratio compares two adjacent rounds.

func option(_ name: String, _ defaultValue: String) -> String {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return CommandLine.arguments[index + 1]
}

/// Returns the resident memory in KiB, or 0 on systems without `/proc`.
func residentMemory() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return 0 }
    return Int(line.filter(\.isNumber)) ?? 0
}

/// Returns the load average of the last minute.
func loadAverage() -> Double {
    var averages = [0.0]
    return getloadavg(&averages, 1) == 1 ? averages[0] : .nan
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[sorted.count / 2]
}

let rounds = Int(option("rounds", "5")) ?? 5
let seconds = Double(option("seconds", "3")) ?? 3
let observers = Int(option("observers", "100")) ?? 100
let rate = Double(option("rate", "1000")) ?? 1000
let readers = Int(option("readers", "5")) ?? 5
let selectedName = option("only", "")

let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("poolgauge-observers-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let contenders = try [
    Contender.engine(in: folder, readers: readers), Contender.grdb(in: folder, readers: readers),
].filter { selectedName.isEmpty || $0.name == selectedName }

print(
    "\(observers) observers, \(Int(rate)) commits/s, \(readers) readers,",
    "\(rounds) rounds of \(seconds) s; load average \(String(format: "%.1f", loadAverage()))"
)
var nextValue = contenders.reduce(into: [:]) { $0[$1.name] = 1 }
var ratios: [String: [Double]] = [:]
var serviceRatios: [String: [Double]] = [:]

/// Runs one round of a contender, and prints its results on one line.
@MainActor func measure(_ contender: Contender, observers: Int, label: String) throws -> Round {
    let first = nextValue[contender.name, default: 1]
    let round = try run(
        contender,
        observers: observers,
        rate: rate,
        seconds: seconds,
        first: first
    )
    nextValue[contender.name] = first + round.responseTimes.count
    let settling = round.settlingTime.map { String(format: "%.1f ms", Double($0) / 1e6) }
    print(
        String(
            format: "%@  %@ %4d observers  p50 %7.0f  p99 %7.0f  max %7.0f µs"
                + "  the call: p99 %7.0f µs  CPU %4.0f %%  %7d values  settled %@  %d KiB",
            label,
            contender.name.padding(toLength: 6, withPad: " ", startingAt: 0),
            observers,
            round.responseTimes.microseconds(at: 0.5),
            round.responseTimes.microseconds(at: 0.99),
            round.responseTimes.microseconds(at: 1),
            round.serviceTimes.microseconds(at: 0.99),
            100 * round.processorSeconds / seconds,
            round.notifications,
            settling ?? "NEVER",
            residentMemory()
        )
    )
    return round
}

for contender in contenders {
    _ = try measure(contender, observers: observers, label: "warm-up")
}
let memoryAtStart = residentMemory()
for index in 1...rounds {
    for contender in contenders {
        var order = [0, observers]
        if index % 2 == 0 { order.reverse() }
        var (response, service) = ([Int: Double](), [Int: Double]())
        for count in order {
            let round = try measure(contender, observers: count, label: "round \(index)")
            response[count] = round.responseTimes.microseconds(at: 0.99)
            service[count] = round.serviceTimes.microseconds(at: 0.99)
        }
        ratios[contender.name, default: []]
            .append((response[observers] ?? .nan) / (response[0] ?? .nan))
        serviceRatios[contender.name, default: []]
            .append((service[observers] ?? .nan) / (service[0] ?? .nan))
    }
}
for contender in contenders {
    let (response, service) = (
        ratios[contender.name] ?? [], serviceRatios[contender.name] ?? []
    )
    print(
        String(
            format: "%@  p99 ratio, with/without observers: %.2f (%.2f–%.2f); p99 ratio of the "
                + "call: %.2f (%.2f–%.2f)  %@",
            contender.name,
            median(response),
            response.min() ?? .nan,
            response.max() ?? .nan,
            median(service),
            service.min() ?? .nan,
            service.max() ?? .nan,
            contender.counts()
        )
    )
}
print(
    "resident memory \(memoryAtStart) KiB after the warm-up, \(residentMemory()) KiB at the end;",
    "load average \(String(format: "%.1f", loadAverage()))"
)
