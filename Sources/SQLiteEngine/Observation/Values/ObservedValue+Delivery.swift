import Telemetry

extension ObservedValue {
    var isDeliveryQuick: Bool { inbox.withLock { $0.lastDelivery < EngineTimings.quickFetch } }

    func beginDelivery() -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isDelivering, !inbox.fetched.isEmpty else { return false }
            inbox.isDelivering = true
            return true
        }
    }

    func deliver(through delivery: Delivery) {
        let fetched = inbox.withLock { inbox in
            defer { inbox.fetched = [] }
            return inbox.fetched
        }
        for next in fetched {
            let begin = monotonicNanoseconds()
            switch next {
            case .success(let fetched): reduce(fetched.value, delivery)
            case .failure(let error): fail(error, delivery)
            }
            let took = monotonicNanoseconds() - begin
            inbox.withLock { $0.lastDelivery = took }
        }
    }

    func endDelivery() -> Bool {
        inbox.withLock { inbox in
            inbox.isDelivering = !inbox.fetched.isEmpty
            return !inbox.isDelivering
        }
    }

    private func reduce(_ fetched: Reducer.Fetcher.Value, _ delivery: Delivery) {
        guard isActive else { return }
        do {
            guard let value = try reducer._value(fetched) else {
                hub?.counts.add(.duplicates)
                return
            }
            schedule(delivery) { [self] in
                if isActive { onChange(value) }
            }
        } catch {
            fail(error, delivery)
        }
    }

    /// Delivers an error after the values that preceded it.
    private func fail(_ error: any Error, _ delivery: Delivery) {
        schedule(delivery) { [self] in
            guard end() else { return }
            observation.events.didFail?(error)
            onError(error)
        }
    }

    private func schedule(_ delivery: Delivery, _ action: @escaping @Sendable () -> Void) {
        if let queue {
            delivery.add(action, on: queue)
        } else {
            scheduler.schedule(action)
        }
    }
}

/// A fetched value in transfer to the thread that delivers it.
///
/// `@unchecked Sendable`: the thread that fetched the value does not use the value again.
struct Carried<Value>: @unchecked Sendable {
    let value: Value
}
