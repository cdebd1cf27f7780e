import Telemetry
import TerminalUI
import Text

/// The metrics of an arm's latest run, second by second, for the comparison of arms.
struct ArmRecord: Sendable {
    /// The maximum number of recorded seconds.
    static let capacity = 600
    /// The maximum number of recorded clients.
    static let maximumClientCount = 16

    let name: String
    /// A description, such as `pool, wal, 4 readers`.
    let kind: String
    var isRunning = true
    private(set) var metrics: [ArmMetric] = []
    /// The values of each metric, second by second.
    ///
    /// NaN represents a missing value.
    private(set) var series: [RingBuffer<Float>] = []
    /// The median of each metric, or NaN if the metric has no values.
    private(set) var medians: [Double] = []
    /// The end of each recorded second, in seconds since the start of the run.
    private(set) var times = RingBuffer<Float>(capacity: Self.capacity)

    /// The start of the current second, in seconds since the start of the run, or a negative number
    /// before the first second.
    private var secondStart = -1.0
    private var sampleCount = 0
    private var inUseSum = 0.0
    private var saturationSum = 0.0
    private var maximumWaitingReaders = 0.0
    private var maximumWaitingWriters = 0.0

    init(_ sample: Sample) {
        name = sample.arm
        kind = Self.kind(of: sample)
    }

    /// Returns whether the record belongs to a sample's arm.
    ///
    /// Arms with the same name but different numbers of readers have separate records.
    func isForArm(of sample: Sample) -> Bool {
        sample.arm == name && Self.kind(of: sample) == kind
    }

    private static func kind(of sample: Sample) -> String {
        let database = sample.database
        let readers = database.readers.map {
            ", \(HumanUnits.counted($0.maximum, "reader", "readers"))"
        }
        let journal = database.journalMode.map { ", \($0)" }
        return "\(database.kind.rawValue)\(journal ?? "")\(readers ?? "")"
    }

    /// Adds a sample if it is part of the run's result.
    mutating func append(_ sample: Sample, _ moment: Moment) {
        guard sample.state == .running || sample.state == .paused, sample.isMeasured != false
        else { return }
        if secondStart < 0 { begin(sample, moment: moment) }
        let maximum = Double(max(sample.database.readers?.maximum ?? 1, 1))
        inUseSum += moment.inUse / maximum
        saturationSum += moment.saturation
        maximumWaitingReaders = max(maximumWaitingReaders, moment.waitingReaders)
        maximumWaitingWriters = max(maximumWaitingWriters, moment.waitingWriters)
        sampleCount += 1
        guard moment.time - secondStart >= 1 else { return }
        end(sample, moment: moment)
    }

    private mutating func begin(_ sample: Sample, moment: Moment) {
        secondStart = moment.time
        metrics = [
            ArmMetric(title: "all accesses", meaning: "completed by all clients", unit: .rate)
        ]
        for client in sample.clients.prefix(Self.maximumClientCount) where Self.isTimed(client) {
            metrics += [
                ArmMetric(title: client.name, meaning: "completed", unit: .rate),
                ArmMetric(
                    title: "\(client.name) p50",
                    meaning: "response, last ten seconds",
                    unit: .duration
                ),
                ArmMetric(
                    title: "\(client.name) p99",
                    meaning: "response, last ten seconds",
                    unit: .duration
                ),
            ]
        }
        metrics += [
            ArmMetric(title: "in use", meaning: "share of the connections", unit: .share),
            ArmMetric(title: "saturated", meaning: "share of the time", unit: .share),
            ArmMetric(title: "reads waiting", meaning: "peak per second", unit: .count),
            ArmMetric(title: "writes waiting", meaning: "peak per second", unit: .count),
            ArmMetric(title: "log", meaning: "size of the WAL file", unit: .bytes),
        ]
        series = metrics.map { _ in RingBuffer(capacity: Self.capacity) }
        medians = metrics.map { _ in .nan }
    }

    private static func isTimed(_ client: ClientStatus) -> Bool {
        !["snapshot", "interrupt"].contains(client.activity)
    }

    private mutating func end(_ sample: Sample, moment: Moment) {
        var values: [Double] = [
            sample.clients.reduce(0) { $0 + ($1.throughput.isFinite ? $1.throughput : 0) }
        ]
        for client in sample.clients.prefix(Self.maximumClientCount) where Self.isTimed(client) {
            values += [
                client.throughput,
                client.response?.p50.map { Double($0) } ?? .nan,
                client.response?.p99.map { Double($0) } ?? .nan,
            ]
        }
        let count = Double(max(sampleCount, 1))
        values += [
            inUseSum / count, saturationSum / count, maximumWaitingReaders, maximumWaitingWriters,
            moment.walBytes,
        ]
        times.append(Float(moment.time))
        for index in series.indices {
            let value = values.indices.contains(index) ? values[index] : .nan
            series[index].append(Float(value))
            medians[index] = Self.median(of: series[index])
        }
        secondStart = moment.time
        (sampleCount, inUseSum, saturationSum) = (0, 0, 0)
        (maximumWaitingReaders, maximumWaitingWriters) = (0, 0)
    }

    private static func median(of series: RingBuffer<Float>) -> Double {
        let values = (0..<series.count).map { series[$0] }.filter(\.isFinite).sorted()
        guard !values.isEmpty else { return .nan }
        let middle = values.count / 2
        let upper = Double(values[middle])
        return values.count.isMultiple(of: 2) ? (Double(values[middle - 1]) + upper) / 2 : upper
    }
}

/// A metric for the comparison of arms.
struct ArmMetric: Sendable, Hashable {
    enum Unit: Sendable {
        case rate
        /// A duration, in nanoseconds.
        case duration
        /// A share from 0 to 1.
        case share
        /// A number without a unit.
        case count
        case bytes
    }

    var title: String
    var meaning: String
    var unit: Unit

    /// The meaning of the median over all seconds.
    ///
    /// The median of maxima is not necessarily a whole number, so the text contains "median".
    var meaningOfMedian: String { unit == .count ? "median " + meaning : meaning }

    func text(_ value: Double) -> String {
        guard value.isFinite, value >= 0 else { return "–" }
        switch unit {
        case .rate: return HumanUnits.rate(value)
        case .duration: return HumanUnits.duration(nanoseconds: UInt64(min(value, 1e18)))
        case .share: return HumanUnits.percent(value)
        case .count:
            let tenths = Int((min(value, 1e9) * 10).rounded())
            return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        case .bytes: return HumanUnits.bytes(UInt64(min(value, 1e18)))
        }
    }
}
