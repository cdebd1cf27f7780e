import TerminalUI

/// Keys that are pressed without a person, and the moment of a picture.
struct KeyPlan {
    /// Nanoseconds between two keys, so that each one's effect can be seen.
    private static let gap: UInt64 = 300_000_000
    /// Nanoseconds from the last key to the picture.
    private static let settling: UInt64 = 1_000_000_000

    private var keys: [Key]
    private var next: UInt64
    private let takesPicture: Bool

    /// Plans keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, in their order.
    ///   - start: When the first one is pressed, in nanoseconds since the load began.
    ///   - takesPicture: Whether a picture ends it all.
    init(keys: [Key], start: UInt64, takesPicture: Bool) {
        self.keys = keys.reversed()
        self.takesPicture = takesPicture
        // Without keys the picture is taken at the start itself.
        next = start
    }

    /// What is due.
    enum Step: Equatable {
        case nothing
        case press(Key)
        case picture
    }

    /// What is due, in nanoseconds since the load began; ask again until there is nothing.
    mutating func step(at time: UInt64) -> Step {
        guard time >= next else { return .nothing }
        if let key = keys.popLast() {
            next = time + (keys.isEmpty ? Self.settling : Self.gap)
            return .press(key)
        }
        return takesPicture ? .picture : .nothing
    }
}
