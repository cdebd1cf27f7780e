import TerminalUI

/// The schedule for the automatic keys and the picture.
struct KeyPlan {
    /// The time between two keys, in nanoseconds, which is long enough to see each key's effect.
    private static let keyInterval: UInt64 = 300_000_000
    /// The time from the last key to the picture, in nanoseconds.
    private static let pictureDelay: UInt64 = 1_000_000_000

    private var keys: [Key]
    private var nextTime: UInt64
    private let takesPicture: Bool

    /// Creates a plan.
    ///
    /// `start` is the time of the first key, in nanoseconds after the content first appears.
    init(keys: [Key], start: UInt64, takesPicture: Bool) {
        self.keys = keys.reversed()
        self.takesPicture = takesPicture
        // Without keys, take the picture at the start time.
        nextTime = start
    }

    enum Step: Equatable {
        case nothing
        case press(Key)
        case picture
    }

    /// Returns the action at a time, in nanoseconds after the content first appears.
    ///
    /// Call this method until it returns `.nothing`.
    mutating func step(at time: UInt64) -> Step {
        guard time >= nextTime else { return .nothing }
        if let key = keys.popLast() {
            nextTime = time + (keys.isEmpty ? Self.pictureDelay : Self.keyInterval)
            return .press(key)
        }
        return takesPicture ? .picture : .nothing
    }
}
