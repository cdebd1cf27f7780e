import TerminalUI

/// The schedule of automatic keys and of the image.
struct KeyPlan {
    /// The time between two keys, in nanoseconds, which is long enough to see the effect of each
    /// key.
    private static let gap: UInt64 = 300_000_000
    /// The time from the last key to the image, in nanoseconds.
    private static let settling: UInt64 = 1_000_000_000

    private var keys: [Key]
    private var next: UInt64
    private let takesPicture: Bool

    ///
    /// - Parameters:
    ///   - keys: The keys, in order.
    ///   - start: The time of the first key, in nanoseconds since the load started.
    ///   - takesPicture: Whether the plan ends with an image.
    init(keys: [Key], start: UInt64, takesPicture: Bool) {
        self.keys = keys.reversed()
        self.takesPicture = takesPicture
        // If there are no keys, take the image at the start time.
        next = start
    }

    /// An action in the plan.
    enum Step: Equatable {
        case nothing
        case press(Key)
        case picture
    }

    /// Returns the next action to perform at the given time, in nanoseconds since the load started.
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
