/// A condition on samples, for which a replay searches.
package enum RecordedCondition: Sendable, Equatable {
    /// The connections were saturated for at least this share of time.
    case saturation(Double)
    /// An access or a process waited for at least this time, in nanoseconds.
    case wait(UInt64)
    /// The log has at least this size, in bytes.
    case log(UInt64)
    /// An access received `SQLITE_BUSY` or encountered a lock.
    case busy

    func isMet(by facts: RecordedFacts) -> Bool {
        switch self {
        case .saturation(let share): (facts.saturation ?? 0) >= share
        case .wait(let nanoseconds): (facts.waitNanoseconds ?? 0) >= nanoseconds
        case .log(let bytes): (facts.walBytes ?? 0) >= bytes
        case .busy: (facts.busy ?? 0) > 0
        }
    }
}

extension RecordingContents {
    /// Returns the time of the nearest sample, after or before `time`, at which a source starts to
    /// meet a condition.
    ///
    /// Times are in milliseconds since 1970. The result is `nil` if there is no such sample.
    package func start(
        of condition: RecordedCondition,
        _ direction: Direction,
        _ time: Int64
    ) -> Int64? {
        switch direction {
        case .after:
            return (index(at: time + 1)..<rows.count).first { starts(condition, at: $0) }
                .map { rows[$0].time }
        case .before:
            return (0..<index(at: time)).last { starts(condition, at: $0) }.map { rows[$0].time }
        }
    }

    package enum Direction: Sendable {
        case after
        case before
    }

    /// Returns whether a sample meets a condition that the source's previous sample does not meet.
    private func starts(_ condition: RecordedCondition, at index: Int) -> Bool {
        guard condition.isMet(by: rows[index].facts) else { return false }
        var before = index - 1
        while before >= 0 {
            if rows[before].source == rows[index].source {
                return !condition.isMet(by: rows[before].facts)
            }
            before -= 1
        }
        return true
    }
}
