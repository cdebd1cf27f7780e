import Text

/// The pauses between attempts to acquire a lock that another connection holds.
public enum BusyRetry: Sendable, Codable, Equatable {
    /// The pauses of `sqlite3_busy_timeout`: 1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, then 100 ms.
    case backoff
    /// Pauses of equal length, such as the 1 ms pauses of the Rails busy handler.
    ///
    /// With increasing pauses, new waiters retry more often than old waiters. With equal pauses,
    /// all waiters have the same chance.
    case fixed(Duration)

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Parses text such as `backoff` or `fixed 1ms`.
    ///
    /// - Throws: ``Failure`` if the text is invalid.
    init(parsing text: String) throws {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        func failure(_ problem: String) -> Failure {
            Failure(
                description: "\(problem); write backoff, or fixed and a time, such as fixed 1ms"
            )
        }
        switch (words.first ?? "", words.dropFirst().first) {
        case ("backoff", nil):
            self = .backoff
        case ("backoff", _?):
            throw failure("'\(text)' has a time, but backoff always uses SQLite's pauses")
        case ("fixed", nil):
            throw failure("'\(text)' has no time")
        case ("fixed", let time?):
            let pause: Duration
            do { pause = try Quantity.duration(time) } catch {
                throw failure(
                    Double(time) == nil
                        ? "'\(time)' in '\(text)' is not a time"
                        : "the time in '\(text)' has no unit"
                )
            }
            guard pause > .zero else { throw failure("'\(text)' requires a pause longer than 0") }
            self = .fixed(pause)
        default:
            throw failure("'\(text)' is not a kind of retry")
        }
    }
}

extension Arm {
    /// The busy handler's settings, such as `timeout 5.00 s, retry fixed 1.00 ms`, if any.
    var busySettings: String? {
        guard let busyTimeout else { return nil }
        let timeout = "timeout \(ReportUnits.time(busyTimeout.wholeNanoseconds))"
        switch busyRetry {
        case nil: return timeout
        case .backoff?: return timeout + ", retry backoff"
        case .fixed(let pause)?:
            return timeout + ", retry fixed \(ReportUnits.time(pause.wholeNanoseconds))"
        }
    }
}
