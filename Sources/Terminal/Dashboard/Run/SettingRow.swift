import Telemetry
import TerminalUI
import Text

/// A setting of the load that can change during the run.
struct SettingRow: Sendable {
    enum Kind: Sendable, Hashable {
        case readers
        case rateFactor
        case writeShare
        case workers(client: String)
        case rate(client: String)
        case hold(client: String)
    }

    var kind: Kind
    /// The value, in the setting's unit.
    var value: Double
    /// The measured value with its unit, or `nil` if there is no measurement.
    var actual: String?

    /// Creates a setting.
    ///
    /// A nonfinite value becomes 0.
    init(kind: Kind, value: Double, actual: String? = nil) {
        self.kind = kind
        self.value = value.isFinite ? min(max(value, 0), 1e9) : 0
        self.actual = actual
    }

    var name: String {
        switch kind {
        case .readers: "maximum readers"
        case .rateFactor: "all rates"
        case .writeShare: "write share"
        case .workers(let client): "\(client): workers"
        case .rate(let client): "\(client): rate"
        case .hold(let client): "\(client): hold time"
        }
    }

    var meaning: String {
        switch kind {
        case .readers: "rebuilds the pool and restarts the run"
        case .rateFactor: "multiplies all arrival rates"
        case .writeShare: "share of writes in the load"
        case .workers: "number of concurrent accesses"
        case .rate: "arrival rate of accesses (open loop)"
        case .hold: "connection hold time per access"
        }
    }

    func text(_ value: Double) -> String {
        switch kind {
        case .readers: HumanUnits.counted(Int(value), "reader", "readers")
        case .rateFactor: "× " + Self.factorText(value)
        case .writeShare: HumanUnits.percent(value)
        case .workers: HumanUnits.counted(Int(value), "worker", "workers")
        case .rate: HumanUnits.rate(value)
        case .hold: HumanUnits.duration(nanoseconds: UInt64(min(max(value, 0), 1e9) * 1e9))
        }
    }

    /// Returns the next higher or lower value, or `nil` if the limit has been reached.
    func stepped(from value: Double, up: Bool) -> Double? {
        let next: Double
        switch kind {
        case .readers: next = value + (up ? 1 : -1)
        case .workers: next = value + (up ? 1 : -1) * (value >= 20 ? 5 : 1)
        case .writeShare: next = ((value * 20).rounded() + (up ? 1 : -1)) / 20
        case .rateFactor, .rate, .hold: next = Self.nice(value, up: up)
        }
        let bounds = bounds
        let bounded = min(max(next, bounds.lowerBound), bounds.upperBound)
        return bounded == value ? nil : bounded
    }

    var bounds: ClosedRange<Double> {
        switch kind {
        case .readers: 1...1_000
        case .rateFactor: 0...1_000
        case .writeShare: 0...1
        case .workers: 0...1_000
        case .rate: 0...1e7
        case .hold: 0.001...3_600
        }
    }

    func action(setting value: Double) -> DashboardAction {
        switch kind {
        case .readers: .setReaderCount(Int(value))
        case .rateFactor: .changeSetting(.rateFactor(value))
        case .writeShare: .changeSetting(.writeShare(value))
        case .workers(let client): .changeSetting(.workers(client: client, count: Int(value)))
        case .rate(let client): .changeSetting(.rate(client: client, perSecond: value))
        case .hold(let client): .changeSetting(.holdTime(client: client, seconds: value))
        }
    }

    /// Returns the next higher or lower number in the series 1, 1.5, 2, 3, 4, 5, 6, 8, 10, scaled
    /// by a power of ten.
    private static func nice(_ value: Double, up: Bool) -> Double {
        let steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]
        guard value > 0 else { return up ? 0.1 : 0 }
        var scale = 1.0
        while value >= scale * 10 * (1 - 1e-9) { scale *= 10 }
        while value < scale * (1 - 1e-9), scale > 1e-6 { scale /= 10 }
        let ratio = value / scale
        if up {
            return (steps.first { $0 > ratio * (1 + 1e-6) } ?? 15) * scale
        }
        guard let lower = steps.last(where: { $0 < ratio * (1 - 1e-6) }) else {
            return 0.8 * scale
        }
        return lower * scale
    }

    /// Formats a factor, such as `0.8`, `1`, `1.5`, or `20`.
    private static func factorText(_ value: Double) -> String {
        let hundredths = Int((min(max(value, 0), 1e6) * 100).rounded())
        if hundredths.isMultiple(of: 100) { return "\(hundredths / 100)" }
        let remainder = hundredths % 100
        let whole = "\(hundredths / 100)."
        return remainder.isMultiple(of: 10)
            ? whole + "\(remainder / 10)" : whole + (remainder < 10 ? "0" : "") + "\(remainder)"
    }

    /// Returns the settings in a sample.
    ///
    /// Settings of the whole load come first.
    static func all(in sample: Sample) -> [SettingRow] {
        var settings: [SettingRow] = []
        if let readers = sample.database.readers {
            settings.append(
                SettingRow(
                    kind: .readers,
                    value: Double(min(readers.maximum, 1_000_000)),
                    actual: "\(readers.inUse) in use, \(readers.open) open"
                )
            )
        }
        guard let load = sample.settings else { return settings }
        let hasRates = load.clients.contains { $0.rate != nil }
        if hasRates { settings.append(SettingRow(kind: .rateFactor, value: load.rateFactor)) }
        if let share = load.writeShare {
            settings.append(
                SettingRow(kind: .writeShare, value: share, actual: measuredWriteShare(sample))
            )
        }
        for client in load.clients { settings += Self.settings(of: client, in: sample) }
        return settings
    }

    private static func settings(of client: LoadSettings.Client, in sample: Sample) -> [SettingRow]
    {
        let status = sample.clients.first { $0.name == client.name }
        var settings = [
            SettingRow(
                kind: .workers(client: client.name),
                value: Double(client.workers),
                actual: status.map { HumanUnits.counted($0.workers, "worker", "workers") }
            )
        ]
        if let rate = client.rate {
            settings.append(
                SettingRow(
                    kind: .rate(client: client.name),
                    value: rate,
                    actual: status.map { HumanUnits.rate($0.throughput) + " done" }
                )
            )
        }
        if let hold = client.holdSeconds {
            let longestHold = sample.database.connections.filter { $0.holder?.name == client.name }
                .compactMap(\.heldNanoseconds).max()
            settings.append(
                SettingRow(
                    kind: .hold(client: client.name),
                    value: hold,
                    actual: longestHold.map { "held for \(HumanUnits.duration(nanoseconds: $0))" }
                        ?? "no connection held"
                )
            )
        }
        return settings
    }

    /// Returns the share of writes among the accesses completed in the last second.
    private static func measuredWriteShare(_ sample: Sample) -> String? {
        var total = 0.0
        var writes = 0.0
        for client in sample.clients where client.throughput.isFinite {
            guard ["read", "write"].contains(client.activity) else { continue }
            total += client.throughput
            if client.activity == "write" { writes += client.throughput }
        }
        return total > 0 ? "\(HumanUnits.percent(writes / total)) of the accesses" : nil
    }
}
