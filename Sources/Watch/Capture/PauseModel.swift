import Scenarios
import Telemetry
import Text

/// A distribution of pauses in the scenario language: constant, uniform, or exponential.
struct PauseModel: Equatable {
    enum Kind: Equatable {
        case constant
        case uniform(from: Double, to: Double)
        case exponential
    }

    /// The shortest pause to model, in seconds.
    ///
    /// The load generator also needs time between two statements: up to 30 µs after a sleep.
    static let shortest = 50e-6

    /// The mean, in seconds.
    var mean: Double
    var kind: Kind

    /// Creates a model of observed pauses.
    ///
    /// The ratio of their standard deviation to their mean determines the distribution. The ratio is
    /// 0 for a constant, at most 0.58 for a uniform distribution, and 1 for an exponential
    /// distribution.
    ///
    /// - Parameters:
    ///   - numbers: Observed pauses, in seconds.
    ///   - known: The mean, if it differs from the mean of the observed pauses.
    init(_ numbers: SampledNumbers, mean known: Double? = nil) {
        let mean = known ?? numbers.mean
        self.mean = mean
        let variation = numbers.variation
        if variation < 0.2 {
            kind = .constant
        } else if variation < 0.7 {
            let half = min(variation, 1 / 3.0.squareRoot()) * 3.0.squareRoot() * mean
            kind = .uniform(from: max(0, mean - half), to: mean + half)
        } else {
            kind = .exponential
        }
    }

    /// Creates a constant pause, in seconds.
    init(constant seconds: Double) {
        mean = seconds
        kind = .constant
    }

    /// Returns longer or shorter pauses of the same kind.
    func scaled(by factor: Double) -> PauseModel {
        var model = self
        model.mean *= factor
        if case .uniform(let from, let to) = kind {
            model.kind = .uniform(from: from * factor, to: to * factor)
        }
        return model
    }

    var thinkTime: ThinkTime {
        switch kind {
        case .constant: .constant(.rounded(mean))
        case .uniform(let from, let to): .uniform(.rounded(from) ... .rounded(to))
        case .exponential: .exponential(mean: .rounded(mean))
        }
    }
}

extension Duration {
    /// Returns a time in seconds with three significant digits.
    static func rounded(_ seconds: Double) -> Duration {
        (try? Quantity.duration(ReportUnits.compactTime(seconds))) ?? .zero
    }
}

extension Double {
    /// Returns a number with three significant digits, or as an integer if it is 100 or more.
    static func rounded(_ number: Double) -> Double { Double(ReportUnits.compact(number)) ?? 0 }
}
