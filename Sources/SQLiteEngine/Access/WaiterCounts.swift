import Synchronization

/// The current and peak numbers of accesses that wait for the connections of a database.
///
/// The gates of a pool share one object, because a barrier waits for the writer and then for
/// readers. An access that finds a free connection does not change the counts.
final class WaiterCounts: Sendable {
    struct Count: ~Copyable, Sendable {
        private let waiting = Atomic<Int>(0)
        private let maximum = Atomic<Int>(0)

        /// The largest number of accesses that waited simultaneously since ``restart()``.
        var peak: Int { maximum.load(ordering: .sequentiallyConsistent) }

        fileprivate func change(by difference: Int) {
            let now = waiting.wrappingAdd(difference, ordering: .relaxed).newValue
            if difference > 0 { maximum.max(now, ordering: .relaxed) }
        }

        /// Resets the peak to the number of accesses that wait now.
        ///
        /// If an access starts to wait at the same moment, either the loaded count includes it, or
        /// it raises the peak after the store.
        fileprivate func restart() {
            maximum.store(0, ordering: .sequentiallyConsistent)
            maximum.max(waiting.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
        }
    }

    let reading = Count()
    let writing = Count()

    func begin(_ waiter: Waiter) { change(waiter, by: 1) }

    func end(_ waiter: Waiter) { change(waiter, by: -1) }

    private func change(_ waiter: Waiter, by difference: Int) {
        switch waiter.intent {
        case .read: reading.change(by: difference)
        case .write: writing.change(by: difference)
        case .maintenance: break
        }
    }

    func restart() {
        reading.restart()
        writing.restart()
    }
}
