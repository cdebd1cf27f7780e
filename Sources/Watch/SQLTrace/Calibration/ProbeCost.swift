/// The time that probes add to calls, in nanoseconds, measured on a private copy of a library.
struct ProbeCost: Equatable, Sendable {
    /// The cost of the entry probe of `sqlite3_reset`.
    var reset: Double
    /// The cost of the entry and return probes of `sqlite3_step`.
    var step: Double
    /// The cost of the end of an execution, in addition to a step and a reset.
    var end: Double
    /// The time of a step without probes.
    var plainStep: Double
    /// The part of ``step`` that elapses between the two events, or 0 if unknown.
    var insideStep: Double = 0
    /// The part of ``step`` that elapses before the first event and after the second.
    var outsideStep: Double { max(0, step - insideStep) }

    /// Parses text such as `reset=812\nstep=2600\nend=900\nplain=95\n`, or returns `nil` if it is malformed.
    init?(text: String) {
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Double(parts[1]), value.isFinite else { return nil }
            values[String(parts[0])] = min(max(value, 0), 1e6)
        }
        guard let reset = values["reset"], let step = values["step"],
            let end = values["end"], let plainStep = values["plain"]
        else { return nil }
        self.reset = reset
        self.step = step
        self.end = end
        self.plainStep = plainStep
    }
}
