/// What an access is doing, for the split of its time.
enum AccessPhase: Int, CaseIterable {
    /// Waiting for a connection.
    case waiting
    /// Waiting for a connection to be opened.
    case opening
    /// Beginning the transaction.
    case acquiringState
    /// Preparing or stepping a statement.
    case insideSQLite
    /// Running the caller's closure.
    case closure
    /// Ending the transaction.
    case committing
    /// Telling observers.
    case notifying
}

/// Splits the time of one access between its phases; times are nanoseconds.
struct AccessClock {
    /// The time of each phase, by its raw value.
    private(set) var times = SIMD8<UInt64>()
    private(set) var phase: AccessPhase
    private var mark: UInt64

    /// Starts in a phase.
    init(_ phase: AccessPhase, at now: UInt64) {
        self.phase = phase
        mark = now
    }

    /// The time of a phase so far.
    subscript(phase: AccessPhase) -> UInt64 {
        get { times[phase.rawValue] }
        set { times[phase.rawValue] = newValue }
    }

    /// Goes over to a phase.
    ///
    /// - Returns: The one before, to come back to.
    @discardableResult
    mutating func enter(_ next: AccessPhase, at now: UInt64) -> AccessPhase {
        defer { phase = next }
        self[phase] &+= now &- mark
        mark = now
        return phase
    }
}
