import Synchronization
import Telemetry

/// An object that reports the creation, the closing, and the status of a snapshot.
final class SnapshotLife: Sendable {
    let site: AccessSite
    private let events: EventHub
    private let label: String
    /// The time at which the snapshot acquired its state, in nanoseconds on the monotonic clock.
    private let createdAt = monotonicNanoseconds()
    private let hasEnded = Atomic<Bool>(false)

    /// Reports the creation of a snapshot whose connections have been opened.
    ///
    /// The age of the snapshot does not include the opening time.
    init(events: EventHub, label: String, site: AccessSite) {
        self.events = events
        self.label = label
        self.site = site
        events.emit(label, .snapshotMade(by: origin))
    }

    deinit { end() }

    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        events.emit(
            label,
            .snapshotClosed(by: origin, age: monotonicNanoseconds() &- createdAt)
        )
    }

    private var origin: AccessOrigin { site.origin ?? AccessOrigin(name: label) }

    func status(at now: UInt64) -> SnapshotStatus {
        SnapshotStatus(
            label: label,
            origin: origin,
            ageNanoseconds: now > createdAt ? now - createdAt : 0
        )
    }
}
