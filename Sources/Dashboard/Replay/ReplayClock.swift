/// A clock that advances the position in a recording.
///
/// The caller provides the time, so tests do not need to wait.
package struct ReplayClock: Sendable, Equatable {
    package static let speeds: [Double] = [1, 2, 5, 10, 30, 60, 120, 300, 600]

    /// The times of the first and last moments, in milliseconds since 1970.
    package let range: ClosedRange<Int64>
    /// The playback speed, as a multiple of real time.
    package private(set) var speed = 1.0
    package private(set) var isPlaying: Bool

    /// The position, in milliseconds since the start.
    private var offset = 0.0
    /// The time of the last update, in nanoseconds on the caller's clock.
    private var lastUpdate: UInt64?

    package init(range: ClosedRange<Int64>, isPlaying: Bool = true) {
        self.range = range
        self.isPlaying = isPlaying
    }

    /// The position, in milliseconds since 1970.
    package var position: Int64 { range.lowerBound + Int64(offset) }

    package var isAtEnd: Bool { position >= range.upperBound }

    /// The position as a share of the recording, from 0 to 1.
    package var progress: Double {
        let length = Double(range.upperBound - range.lowerBound)
        return length > 0 ? min(offset / length, 1) : 1
    }

    /// Advances the position by the time since the last update, multiplied by the speed.
    ///
    /// `now` is in nanoseconds on the caller's clock. At the end of the recording, the clock
    /// pauses.
    package mutating func advance(to now: UInt64) {
        defer { lastUpdate = now }
        guard isPlaying, let lastUpdate, now > lastUpdate else { return }
        offset += Double(now - lastUpdate) / 1e6 * speed
        clampOffset()
        if isAtEnd { isPlaying = false }
    }

    /// Starts or pauses the clock.
    ///
    /// At the end of the recording, this method restarts the clock at the beginning.
    package mutating func toggle() {
        if !isPlaying, isAtEnd { offset = 0 }
        isPlaying.toggle()
    }

    package mutating func pause() { isPlaying = false }

    /// Moves to a time in milliseconds since 1970.
    ///
    /// If the time is outside the recording, this method moves to the start or end.
    package mutating func seek(to time: Int64) {
        offset = Double(time - range.lowerBound)
        clampOffset()
    }

    /// Skips the time since the last update, during which the program was suspended.
    package mutating func skip(to now: UInt64) { lastUpdate = now }

    /// Changes to the next lower or higher speed.
    package mutating func changeSpeed(faster: Bool) {
        let next =
            faster
            ? Self.speeds.first { $0 > speed } : Self.speeds.last { $0 < speed }
        speed = next ?? speed
    }

    /// Sets the speed, limited to the range from 1 through 600.
    package mutating func setSpeed(_ value: Double) {
        speed = min(max(value, Self.speeds[0]), Self.speeds[Self.speeds.count - 1])
    }

    private mutating func clampOffset() {
        offset = min(max(offset, 0), Double(range.upperBound - range.lowerBound))
    }
}
