import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// The deliveries of many observed values on one thread.
///
/// A delivery sends all values for the same dispatch queue together. A commit that changes a
/// hundred values therefore wakes the queue's thread only once.
struct Delivery {
    private final class Batch {
        let queue: DispatchQueue
        var actions: [@Sendable () -> Void] = []
        init(_ queue: DispatchQueue) { self.queue = queue }
    }

    private final class Batches {
        var batches: [Batch] = []
        let begin = monotonicNanoseconds()
    }

    private let batches = Batches()

    /// Delivers the fetched values that no other thread is delivering.
    ///
    /// The delivery includes values that arrive while it is in progress.
    static func deliver(_ members: [any ObservedMember]) {
        var rest = members[...]
        while !rest.isEmpty {
            let delivery = Delivery()
            var delivered: [any ObservedMember] = []
            while let member = rest.popFirst() {
                guard member.beginDelivery() else { continue }
                member.deliver(through: delivery)
                delivered.append(member)
                if delivery.isOverdue { break }
            }
            // Send the values before the delivery ends, because another thread may then deliver the
            // next value.
            delivery.send()
            for member in delivered where !member.endDelivery() { continueDelivery(with: member) }
        }
    }

    /// Delivers the values that arrived while a delivery was about to end.
    private static func continueDelivery(with member: any ObservedMember) {
        repeat {
            let delivery = Delivery()
            member.deliver(through: delivery)
            delivery.send()
        } while !member.endDelivery()
    }

    private var isOverdue: Bool {
        monotonicNanoseconds() - batches.begin >= EngineTimings.longestBatch
    }

    /// Adds an action to run on a queue after all actions that were added earlier.
    func add(_ action: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        let batch: Batch
        if let known = batches.batches.first(where: { $0.queue === queue }) {
            batch = known
        } else {
            batch = Batch(queue)
            batches.batches.append(batch)
        }
        batch.actions.append(action)
    }

    private func send() {
        for batch in batches.batches {
            let actions = batch.actions
            batch.queue.async { for action in actions { action() } }
        }
    }
}
