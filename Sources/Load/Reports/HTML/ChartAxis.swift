import Foundation
import Text

struct ChartAxis: Sendable {
    struct Tick: Sendable, Equatable {
        var value: Double
        var label: String
    }

    /// The name of the quantity and its unit.
    let label: String
    let lower: Double
    let upper: Double
    let isLogarithmic: Bool
    let ticks: [Tick]
    let format: @Sendable (Double) -> String

    /// Returns the position of a value, from 0 to 1, clamped to the ends of the axis.
    func position(of value: Double) -> Double {
        let share: Double
        if isLogarithmic {
            guard value > lower else { return 0 }
            share = log(value / lower) / log(upper / lower)
        } else {
            share = (value - lower) / (upper - lower)
        }
        return min(max(share, 0), 1)
    }

    /// Creates a linear axis that starts at 0.
    ///
    /// The distance between ticks, in multiples of `unit`, is 1, 2, or 5 times a power of ten.
    static func linear(
        _ label: String,
        upTo maximum: Double,
        unit: Double = 1,
        minimumTop: Double = 1,
        format: @escaping @Sendable (Double) -> String
    ) -> ChartAxis {
        let top = max(maximum, minimumTop)
        let step = roundStep(atLeast: top / unit / 5) * unit
        let upper = (top / step - 1e-9).rounded(.up) * step
        let count = Int((upper / step).rounded())
        return ChartAxis(
            label: label,
            lower: 0,
            upper: upper,
            isLogarithmic: false,
            ticks: (0...max(1, count)).map { index in
                let value = Double(index) * step
                return Tick(value: value, label: format(value))
            },
            format: format
        )
    }

    private static func roundStep(atLeast minimum: Double) -> Double {
        guard minimum > 0, minimum.isFinite else { return 1 }
        let power = pow(10, log10(minimum).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= minimum * (1 - 1e-9) } ?? 10 * power
    }

    static func seconds(upTo end: Double) -> ChartAxis {
        let rounded = linear("seconds", upTo: end, minimumTop: 0.001) { ReportUnits.plain($0) }
        return ChartAxis(
            label: rounded.label,
            lower: 0,
            upper: max(end, 0.001),
            isLogarithmic: false,
            ticks: rounded.ticks.filter { $0.value <= end },
            format: rounded.format
        )
    }

    static func blocks(_ count: Int) -> ChartAxis {
        let step = max(1, (count + 9) / 10)
        return ChartAxis(
            label: "block",
            lower: 1,
            upper: Double(max(2, count)),
            isLogarithmic: false,
            ticks: stride(from: 1, through: max(1, count), by: step).map {
                Tick(value: Double($0), label: String($0))
            },
            format: { ReportUnits.plain($0) }
        )
    }

    static func share(_ label: String) -> ChartAxis {
        ChartAxis(
            label: label,
            lower: 0,
            upper: 1,
            isLogarithmic: false,
            ticks: [0, 0.25, 0.5, 0.75, 1].map {
                Tick(value: $0, label: "\(Int($0 * 100))%")
            },
            format: { ReportUnits.percent($0) }
        )
    }

    static func bytes(_ label: String, upTo maximum: Double) -> ChartAxis {
        var unit = 1.0
        while maximum >= unit * 1024 { unit *= 1024 }
        return linear(label, upTo: maximum, unit: unit, minimumTop: 1) { value in
            ReportUnits.roundBytes(value)
        }
    }

    static func count(_ label: String, upTo maximum: Double) -> ChartAxis {
        linear(label, upTo: maximum, minimumTop: 4) { ReportUnits.plain($0) }
    }

    static func latency(_ label: String, _ values: [Double]) -> ChartAxis {
        let positive = values.filter { $0 >= 1 }
        var low = floor(log10(max(1, positive.min() ?? 1_000)))
        var high = ceil(log10(max(1, positive.max() ?? 1_000_000)))
        if high - low < 1 { high = low + 1 }
        // Cover at most eight decades so that slow accesses remain distinguishable.
        low = max(low, high - 8)
        let decades = Int(high - low)
        let steps: [Double] = decades <= 1 ? [1, 2, 5] : decades <= 2 ? [1, 3] : [1]
        var ticks: [Tick] = []
        for decade in Int(low)...Int(high) {
            for step in steps {
                let value = step * pow(10, Double(decade))
                guard value <= pow(10, high) * 1.001 else { continue }
                if decades > 5, (decade - Int(low)) % 2 == 1 { continue }
                ticks.append(Tick(value: value, label: ReportUnits.roundTime(value)))
            }
        }
        return ChartAxis(
            label: label,
            lower: pow(10, low),
            upper: pow(10, high),
            isLogarithmic: true,
            ticks: ticks,
            format: { ReportUnits.time(UInt64(max(0, $0))) }
        )
    }

    /// Creates an axis of percentiles on which each nine has the same width.
    ///
    /// The value for a percentile p is −log₁₀ (1 − p).
    static func percentiles(upTo nines: Double) -> ChartAxis {
        let upper = max(1, nines)
        let names = ["0%", "90%", "99%", "99.9%", "99.99%", "99.999%", "99.9999%"]
        var ticks = names.enumerated().map { Tick(value: Double($0), label: $1) }
        ticks.append(Tick(value: -log10(0.5), label: "50%"))
        return ChartAxis(
            label: "percentile",
            lower: 0,
            upper: upper,
            isLogarithmic: false,
            ticks: ticks.filter { $0.value <= upper + 1e-9 }.sorted { $0.value < $1.value },
            format: { ReportUnits.percent(1 - pow(10, -$0)) }
        )
    }

    /// Creates a logarithmic axis of ratios that is symmetric around 1.
    static func ratio(_ label: String, values: [Double]) -> ChartAxis {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let furthest = positive.map { abs(log10($0)) }.max() ?? 0.1
        let reach = min(max(furthest * 1.08, log10(1.25)), 4)
        let marks: [Double] =
            reach < 0.16
            ? [0.8, 0.9, 1, 1.1, 1.25]
            : reach < 0.35
                ? [0.5, 0.7, 1, 1.4, 2]
                : reach < 1.3
                    ? [0.1, 0.2, 0.5, 1, 2, 5, 10]
                    : [0.000_1, 0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000]
        return ChartAxis(
            label: label,
            lower: pow(10, -reach),
            upper: pow(10, reach),
            isLogarithmic: true,
            ticks: marks.filter { abs(log10($0)) <= reach }.map {
                Tick(value: $0, label: ReportUnits.roundRatio($0))
            },
            format: { ReportUnits.roundRatio($0) }
        )
    }
}
