/// The nanoseconds that probes add to calls, as a process measures them on its own copy of a
/// library.
struct ProbeCost: Equatable, Sendable {
    /// Of the entry of `sqlite3_reset`.
    var reset: Double
    /// Of the entry and the return of `sqlite3_step`.
    var step: Double
    /// Of a step without probes.
    var plainStep: Double
    /// How much of ``step`` is between the times of the two events; 0 while it is not known.
    var insideStep: Double = 0

    /// Reads `reset=812\nstep=2600\n`; nil when malformed.
    init?(text: String) {
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Double(parts[1]), value.isFinite else { return nil }
            values[String(parts[0])] = min(max(value, 0), 1e6)
        }
        guard let reset = values["reset"], let step = values["step"],
            let plainStep = values["plain"]
        else { return nil }
        self.reset = reset
        self.step = step
        self.plainStep = plainStep
    }
}
