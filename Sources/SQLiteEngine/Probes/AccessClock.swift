/// A phase of an access.
enum AccessPhase: Int, CaseIterable {
    /// Waiting for a connection.
    case waiting
    /// Waiting for a connection to be opened.
    case opening
    /// Starting the transaction.
    case acquiringState
    /// Preparing or stepping a statement.
    case insideSQLite
    /// Running the caller's closure.
    case closure
    /// Ending the transaction.
    case committing
    /// Notifying observers.
    case notifying
}

/// A clock that divides the time of one access among the access's phases.
///
/// Times are in nanoseconds.
struct AccessClock {
    /// The time spent in each phase, indexed by the phase's raw value.
    private(set) var times = SIMD8<UInt64>()
    private(set) var phase: AccessPhase
    private var phaseStart: UInt64

    init(_ phase: AccessPhase, at now: UInt64) {
        self.phase = phase
        phaseStart = now
    }

    subscript(phase: AccessPhase) -> UInt64 {
        get { times[phase.rawValue] }
        set { times[phase.rawValue] = newValue }
    }

    /// Starts a phase.
    ///
    /// - Returns: The previous phase, to which the caller can return.
    @discardableResult
    mutating func enter(_ next: AccessPhase, at now: UInt64) -> AccessPhase {
        defer { phase = next }
        self[phase] &+= now &- phaseStart
        phaseStart = now
        return phase
    }
}
