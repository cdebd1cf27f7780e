import TerminalUI

/// The times of automatic keys and of a picture.
struct KeyPlan {
    /// The time between two keys, in nanoseconds, so that the effect of each is visible.
    private static let gap: UInt64 = 300_000_000
    /// The time from the last key to the picture, in nanoseconds.
    private static let settling: UInt64 = 1_000_000_000

    private var keys: [Key]
    private var next: UInt64
    private let takesPicture: Bool

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - keys: The keys, in their order.
    ///   - start: The time of the first key, in nanoseconds since the start of the load.
    ///   - takesPicture: Whether the plan ends with a picture.
    init(keys: [Key], start: UInt64, takesPicture: Bool) {
        self.keys = keys.reversed()
        self.takesPicture = takesPicture
        // Without keys, the picture is taken at the start.
        next = start
    }

    /// An action that is due.
    enum Step: Equatable {
        case nothing
        case press(Key)
        case picture
    }

    /// Returns the next action that is due, at a time in nanoseconds since the start of the load.
    ///
    /// Call this method until it returns `.nothing`.
    mutating func step(at time: UInt64) -> Step {
        guard time >= next else { return .nothing }
        if let key = keys.popLast() {
            next = time + (keys.isEmpty ? Self.settling : Self.gap)
            return .press(key)
        }
        return takesPicture ? .picture : .nothing
    }
}
