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

/// Divides the time of one access among its phases.
///
/// Times are in nanoseconds.
struct AccessClock {
    /// The time spent in each phase, indexed by the phase's raw value.
    private(set) var times = SIMD8<UInt64>()
    private(set) var phase: AccessPhase
    private var mark: UInt64

    init(_ phase: AccessPhase, at now: UInt64) {
        self.phase = phase
        mark = now
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
        self[phase] &+= now &- mark
        mark = now
        return phase
    }
}
