import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// What one thread tells of many observed values: those that are told on the same queue go there
/// together.
///
/// A hundred values that a commit has changed wake that queue's thread once, not a hundred times.
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

    /// Tells what was fetched of values that nobody tells yet, and what comes meanwhile.
    static func tell(_ members: [any ObservedMember]) {
        var rest = members[...]
        while !rest.isEmpty {
            let delivery = Delivery()
            var told: [any ObservedMember] = []
            while let member = rest.popFirst() {
                guard member.beginTelling() else { continue }
                member.tell(through: delivery)
                told.append(member)
                if delivery.isOverdue { break }
            }
            // Before the telling ends: another thread may tell a value's next one then.
            delivery.send()
            for member in told where !member.endTelling() { goOn(with: member) }
        }
    }

    /// Tells what has come while a value's telling was about to end.
    private static func goOn(with member: any ObservedMember) {
        repeat {
            let delivery = Delivery()
            member.tell(through: delivery)
            delivery.send()
        } while !member.endTelling()
    }

    private var isOverdue: Bool {
        monotonicNanoseconds() - batches.begin >= EngineTimings.longestBatch
    }

    /// Adds what is done on a queue, after all that was added before.
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
