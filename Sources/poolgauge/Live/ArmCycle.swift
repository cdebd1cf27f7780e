/// A state machine that cycles through the arms in the scenario's order.
struct ArmCycle: Equatable {
    enum Step: Equatable {
        case stay
        /// End the arm's run.
        case stop
        /// Start a run of the arm at this index.
        case start(Int)
    }

    private enum Phase: Equatable {
        case running
        case stopping(next: Int)
        case over
    }

    let count: Int
    /// The index of the running arm or, if no arm is running, of the arm that ran last.
    private(set) var current: Int
    private var phase = Phase.running

    init(count: Int, current: Int) {
        self.count = count
        self.current = current
    }

    var isOver: Bool { phase == .over }

    /// The index of the arm after the current one.
    var nextArm: Int { (current + 1) % count }

    /// Requests the next arm.
    ///
    /// While an arm's run is ending, each additional request skips an arm.
    mutating func advance() -> Step {
        switch phase {
        case .running:
            phase = .stopping(next: nextArm)
            return .stop
        case .stopping(let next):
            phase = .stopping(next: (next + 1) % count)
            return .stay
        case .over:
            return start(nextArm)
        }
    }

    /// Restarts the running arm or, if no arm is running, the arm that ran last.
    mutating func restart() -> Step {
        switch phase {
        case .running:
            phase = .stopping(next: current)
            return .stop
        case .stopping: return .stay
        case .over: return start(current)
        }
    }

    /// Records that the arm's run was completed or stopped.
    ///
    /// - Parameter startsNext: Whether the next arm starts automatically.
    /// - Returns: The next step.
    mutating func recordRunEnd(startsNext: Bool) -> Step {
        if case .stopping(let next) = phase { return start(next) }
        if startsNext { return start(nextArm) }
        phase = .over
        return .stay
    }

    private mutating func start(_ index: Int) -> Step {
        current = index
        phase = .running
        return .start(index)
    }
}
