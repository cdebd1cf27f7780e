#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// A batch of deliveries for many observed values.
///
/// A delivery sends all values for the same dispatch queue together. A commit that changes a
/// hundred values therefore wakes the queue's thread only once.
struct Delivery {
    private typealias Batch = (queue: DispatchQueue, actions: [@Sendable () -> Void])

    /// The queue for deliveries that run user closures, separate from the queues of the
    /// connections.
    private static let closureQueue = DispatchQueue(
        label: "SQLiteEngine.observation.values",
        qos: .userInitiated,
        attributes: .concurrent
    )

    private var batches: [ObjectIdentifier: Batch] = [:]

    /// Delivers fetched values.
    ///
    /// The caller may hold a connection. A delivery that runs user closures therefore uses a
    /// different thread. A closure may block or take a long time, so such deliveries do not share a
    /// thread.
    static func deliver(_ members: [any ObservedMember]) {
        for member in members where member.runsClosuresOnDelivery {
            closureQueue.async { deliverTogether([member]) }
        }
        deliverTogether(members.filter { !$0.runsClosuresOnDelivery })
    }

    /// Delivers the fetched values that no other thread is delivering.
    ///
    /// The delivery includes values that arrive while it is in progress.
    private static func deliverTogether(_ members: [any ObservedMember]) {
        var rest = members.filter { $0.beginDelivery() }
        while !rest.isEmpty {
            var delivery = Delivery()
            for member in rest { member.deliver(through: &delivery) }
            // Send the values before the delivery ends, because another thread may then deliver the
            // next value.
            delivery.send()
            rest = rest.filter { !$0.endDelivery() }
        }
    }

    /// Adds an action to run on a queue after all actions that were added earlier.
    mutating func add(_ action: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        batches[ObjectIdentifier(queue), default: (queue, [])].actions.append(action)
    }

    private func send() {
        for (queue, actions) in batches.values {
            queue.async { for action in actions { action() } }
        }
    }
}
