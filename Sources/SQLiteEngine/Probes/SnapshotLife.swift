import Synchronization
import Telemetry

/// Reports when a snapshot is created and when it is closed or deallocated.
final class SnapshotLife: Sendable {
    private let events: EventHub
    private let label: String
    private let site: AccessSite
    private let createdAt: UInt64
    private let hasEnded = Atomic<Bool>(false)

    init(events: EventHub, label: String, site: AccessSite, createdAt: UInt64) {
        self.events = events
        self.label = label
        self.site = site
        self.createdAt = createdAt
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
}
