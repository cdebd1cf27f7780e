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

    var yaml: String {
        switch kind {
        case .constant: TimeText.yaml(mean)
        case .uniform(let from, let to): "{from: \(TimeText.yaml(from)), to: \(TimeText.yaml(to))}"
        case .exponential: "{mean: \(TimeText.yaml(mean))}"
        }
    }
}
