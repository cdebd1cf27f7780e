/// Which arm runs, and which one comes next: the arms in their order, again and again.
struct ArmCycle: Equatable {
    /// What to do about a change.
    enum Step: Equatable {
        /// Nothing.
        case stay
        /// End the run of the arm.
        case stop
        /// Begin the run of the arm with this index.
        case start(Int)
    }

    private enum Phase: Equatable {
        case running
        case stopping(next: Int)
        case over
    }

    let count: Int
    /// The index of the arm that runs, or ran last.
    private(set) var current: Int
    private var phase = Phase.running

    init(count: Int, current: Int) {
        self.count = count
        self.current = current
    }

    /// Whether no arm runs.
    var isOver: Bool { phase == .over }

    /// The arm that would be next.
    var following: Int { (current + 1) % count }

    /// Somebody wants the next arm; asked again while one ends, the one after it.
    mutating func advance() -> Step {
        switch phase {
        case .running:
            phase = .stopping(next: following)
            return .stop
        case .stopping(let next):
            phase = .stopping(next: (next + 1) % count)
            return .stay
        case .over:
            return start(following)
        }
    }

    /// Somebody wants the arm that runs, or ran last, from its beginning.
    mutating func again() -> Step {
        switch phase {
        case .running:
            phase = .stopping(next: current)
            return .stop
        case .stopping: return .stay
        case .over: return start(current)
        }
    }

    /// The run of the arm has ended, by itself or because it was stopped.
    ///
    /// - Parameter goesOn: Whether the next arm follows by itself.
    /// - Returns: What to do now.
    mutating func runEnded(goesOn: Bool) -> Step {
        if case .stopping(let next) = phase { return start(next) }
        if goesOn { return start(following) }
        phase = .over
        return .stay
    }

    private mutating func start(_ index: Int) -> Step {
        current = index
        phase = .running
        return .start(index)
    }
}
