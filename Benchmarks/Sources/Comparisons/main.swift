import Foundation
import WorkloadEngine

// Does a comparison say what is true?
//
//     swift run -c release Comparisons [--alarms N] [--finds N] [--blocks N] [--seconds S]
//                                      [--slowdown SHARE] [--workers N]
//
// First, an arm is compared with itself: how often does the test see a difference at 5 %? Then an
// arm is compared with one whose accesses take a tenth longer: how often is it found? Blocks of
// half a second are short: what is found in them, longer ones find too.

func option(_ name: String, _ standard: Double) -> Double {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return standard }
    return Double(CommandLine.arguments[index + 1]) ?? standard
}

let alarmRounds = Int(option("alarms", 40))
let findRounds = Int(option("finds", 20))
let blocks = Int(option("blocks", 10))
let seconds = option("seconds", 0.5)
let workers = Int(option("workers", 1))
let slowdown = option("slowdown", 0.1)

/// The load average of the last minute.
func load() -> String {
    var averages = [0.0, 0, 0]
    guard getloadavg(&averages, 3) > 0 else { return "unknown" }
    return String(format: "%.1f", averages[0])
}

/// Readers in a closed loop, each access a sum over five hundred rows.
func scenario(seed: UInt64) -> Scenario {
    let read = Operation(
        name: "sum",
        statements: ["SELECT sum(value) FROM item WHERE id BETWEEN :id AND :id + 500"]
    )
    var reader = Client(name: "read", activity: .operations(.read, mix: [read]))
    reader.workers = workers
    var scenario = Scenario(
        name: "comparisons",
        dataset: .sql([
            "CREATE TABLE item(id INTEGER PRIMARY KEY, value INTEGER)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                + "INSERT INTO item SELECT i, i * 7 % 1000 FROM n",
        ]),
        arms: [Arm(name: "plain", kind: .pool), Arm(name: "slowed", kind: .pool)],
        phases: [
            Phase(name: "warm-up", duration: .milliseconds(100), isMeasured: false),
            Phase(name: "steady", duration: .milliseconds(500)),
        ],
        clients: [reader]
    )
    scenario.seed = seed
    scenario.drain = .milliseconds(100)
    scenario.variables["id"] = Variable(distribution: .uniform, minimum: 1, maximum: 19_000)
    return scenario
}

func compare(_ arms: [String], seed: UInt64) async throws -> WorkloadEngine.ComparisonResult {
    var options = ComparisonOptions()
    options.blocks = blocks
    options.duration = .seconds(seconds)
    options.arms = arms
    return try await ComparisonRun(
        scenario: scenario(seed: seed),
        factory: SlowedFactory(slowdown: slowdown),
        options: options
    ).run()
}

/// Writes a line at once, also into a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

say("load average \(load()) at the begin")
let start = ContinuousClock.now

var alarms = 0
var floors: [Double] = []
var ratios: [Double] = []
for round in 0..<alarmRounds {
    // One arm: each block runs it twice, and nothing else.
    let result = try await compare(["plain"], seed: UInt64(1000 + round))
    guard let noise = result.noise.first(where: { $0.metric == "read.throughput" }) else {
        say("A/A \(round + 1): no samples")
        continue
    }
    let isAlarm = noise.p <= 0.05
    if isAlarm { alarms += 1 }
    floors.append(noise.floor)
    ratios.append(noise.ratio)
    say(
        String(
            format: "A/A %d: %.3f (%.3f to %.3f), p %.3f%@",
            round + 1,
            noise.ratio,
            noise.low,
            noise.high,
            noise.p,
            isAlarm ? "  ALARM" : ""
        )
    )
}
if alarmRounds > 0 {
    say(
        String(
            format: "%d alarms in %d comparisons of an arm with itself; noise floor %.3f (median)",
            alarms,
            alarmRounds,
            floors.sorted()[floors.count / 2]
        )
    )
}

/// What was found in one metric: a rate that stalls of the machine move, and a median that they do
/// not.
struct Finds {
    let metric: String
    /// Verdicts *worse*.
    var found = 0
    /// Exact p of at most 0.05, in the true direction.
    var tested = 0
    var estimates: [Double] = []
    var floors: [Double] = []
}

var finds = ["read.throughput", "read.response.p50"].map { Finds(metric: $0) }
for round in 0..<findRounds {
    let result = try await compare(["plain", "slowed"], seed: UInt64(2000 + round))
    for index in finds.indices {
        let metric = finds[index].metric
        guard let pair = result.pair(metric, of: "slowed", against: "plain"),
            let ratio = pair.ratio, let low = pair.low, let high = pair.high, let p = pair.p
        else {
            say("slowed \(round + 1): no samples of \(metric)")
            continue
        }
        let isSlower = metric.hasSuffix("throughput") ? ratio < 1 : ratio > 1
        if pair.verdict == .worse { finds[index].found += 1 }
        if p <= 0.05, isSlower { finds[index].tested += 1 }
        finds[index].estimates.append(ratio)
        let floor = result.noiseFloor[metric] ?? 1
        finds[index].floors.append(floor)
        say(
            String(
                format: "slowed %d, %@: %.3f (%.3f to %.3f), p %.3f, noise floor %.3f, %@",
                round + 1,
                metric,
                ratio,
                low,
                high,
                p,
                floor,
                pair.verdict.rawValue
            )
        )
    }
}
for find in finds where !find.estimates.isEmpty {
    say(
        String(
            format: "%@: %d of %d found (%d by p alone); %.3f, noise floor %.3f (medians)",
            find.metric,
            find.found,
            findRounds,
            find.tested,
            find.estimates.sorted()[find.estimates.count / 2],
            find.floors.sorted()[find.floors.count / 2]
        )
    )
}
say("load average \(load()) at the end, \((ContinuousClock.now - start).components.seconds) s")
