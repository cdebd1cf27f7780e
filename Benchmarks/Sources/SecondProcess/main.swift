import Foundation

// Measures the cost of commits by another process during continuous reads through this engine, with
// and without `keepsReadTransactions`. Runs with the two settings alternate.
//
//     swift run -c release SecondProcess [--rounds N] [--commits N] [--slow-commits N]
//         [--threads N] [--only TEXT]
//
// The other process is a second instance of this program, started with the argument `commands`. It
// uses libsqlite3 directly. It sets `synchronous` to OFF, so the times do not depend on the disk.

let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "commands" {
    try CommandLoop(
        connection: ForeignConnection(path: arguments[2]),
        counter: SharedCounter(path: arguments[3])
    )
    .run()
    exit(0)
}

func option(_ name: String, _ defaultValue: String) -> String {
    guard let index = arguments.firstIndex(of: "--" + name), index + 1 < arguments.count
    else { return defaultValue }
    return arguments[index + 1]
}

/// Prints a line without buffering, so that it is visible immediately, even in a file.
func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let rounds = Int(option("rounds", "5")) ?? 5
let commits = Int(option("commits", "20000")) ?? 20_000
let slowCommits = Int(option("slow-commits", "40")) ?? 40
let threads = Int(option("threads", "2")) ?? 2
let selectedText = option("only", "")
let program = Bundle.main.executablePath ?? arguments[0]

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

func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

func row(_ cells: [String]) -> String {
    zip(cells, [26, 9, 9, 9, 9, 11, 9, 12])
        .map { cell, width in
            cell.padding(toLength: max(width, cell.count), withPad: " ", startingAt: 0)
        }
        .joined(separator: " ")
}

/// Returns the numbers of a measurement, in the order of the columns.
func numbers(_ measurement: Measurement) -> [Double] {
    let times = measurement.times
    let maintenance = Double(max(1, times.maintenanceCount))
    return [
        times.mean / 1e3, Double(times.quantile(0.99)) / 1e3, Double(times.largestLogBytes) / 1e6,
        measurement.readsPerSecond, Double(times.maintenanceNanoseconds) / 1e3 / maintenance,
        100 * Double(times.blockedMaintenanceCount) / maintenance,
    ]
}

let digits = [1, 0, 1, 0, 0, 0]

report(
    "\(rounds) rounds, \(threads) reading threads, \(commits) commits without pauses; "
        + "medians; load average \(text(loadAverage(), 1))"
)
report(
    row([
        "case", "keeping", "mean µs", "p99 µs", "WAL MB", "reads/s", "maint. µs", "blocked %",
    ])
)
for testCase in Case.all(commits: commits, slowCommits: slowCommits)
where selectedText.isEmpty || testCase.name.contains(selectedText) {
    let values = try Alternation(rounds: rounds) { keeps in
        numbers(
            try testCase.measure(keepsReadTransactions: keeps, threads: threads, program: program)
        )
    }
    let columns = digits.indices
    for (label, rows) in [("on", values.keeping), ("off", values.renewing)] {
        report(
            row(
                [testCase.name, label]
                    + columns.map { column in text(median(rows.map { $0[column] }), digits[column])
                    }
            )
        )
    }
    let ratios = columns.prefix(4).map { column in
        let ratios = zip(values.keeping, values.renewing).map { $0[column] / $1[column] }
        return "\(text(median(ratios), 2)) (\(text(ratios.min() ?? .nan, 2))–"
            + "\(text(ratios.max() ?? .nan, 2)))"
    }
    report("  on/off: mean \(ratios[0]), p99 \(ratios[1]), WAL \(ratios[2]), reads \(ratios[3])")
}
report("load average \(text(loadAverage(), 1))")
