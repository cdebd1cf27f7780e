/// The values of a second recording on the time axis of the displayed recording.
struct Ghost<Entry: Timed>: Sendable {
    private var moments: RingBuffer<Entry>

    /// Creates a ghost from moments in chronological order.
    init(_ entries: [Entry]) {
        moments = RingBuffer(capacity: entries.count)
        for entry in entries { moments.append(entry) }
    }

    /// Returns the value in each interval of a chart.
    ///
    /// - Parameters:
    ///   - timeline: The series that the chart displays.
    ///   - seconds: The length of the chart's time window, in seconds.
    ///   - count: The number of intervals.
    ///   - reduction: The method of combining the moments in an interval.
    ///   - value: A closure that returns the value of a moment.
    /// - Returns: One value for each interval, or NaN before the first and after the last moment.
    func values(
        alignedWith timeline: some Timeline,
        seconds: Double,
        count: Int,
        _ reduction: TimeBins.Reduction,
        _ value: (Entry) -> Double
    ) -> [Double] {
        let end = timeline.windowEnd(seconds)
        let bins = TimeBins(moments: moments, seconds: seconds, until: end, count: count)
        var values = bins.values(reduction) { value(moments[$0]) }
        guard let last = moments.last, last.time < end, count > 0, seconds > 0 else {
            return values
        }
        // Do not extend the last value beyond the end of the second recording.
        let length = seconds / Double(count)
        let age = (end / length).rounded(.down) - (last.time / length).rounded(.down)
        for index in values.indices.suffix(Int(min(max(age, 0), Double(count)))) {
            values[index] = .nan
        }
        return values
    }
}
