import Synchronization

extension ObservedValue {
    func beginDelivery() -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isDelivering, !inbox.fetched.isEmpty else { return false }
            inbox.isDelivering = true
            return true
        }
    }

    func deliver(through delivery: inout Delivery) {
        let fetched = inbox.withLock { inbox in
            defer { inbox.fetched = [] }
            return inbox.fetched
        }
        for next in fetched {
            switch next {
            case .success(let fetched): reduce(fetched.value, &delivery)
            case .failure(let error): fail(error, &delivery)
            }
        }
    }

    func endDelivery() -> Bool {
        inbox.withLock { inbox in
            inbox.isDelivering = !inbox.fetched.isEmpty
            return !inbox.isDelivering
        }
    }

    private func reduce(_ fetched: Reducer.Fetcher.Value, _ delivery: inout Delivery) {
        guard isActive else { return }
        do {
            guard let value = try reducer._value(fetched) else {
                hub?.counts.duplicates.wrappingAdd(1, ordering: .relaxed)
                return
            }
            schedule(&delivery) { [self] in
                if isActive { onChange(value) }
            }
        } catch {
            fail(error, &delivery)
        }
    }

    /// Delivers an error after the values that preceded it.
    private func fail(_ error: any Error, _ delivery: inout Delivery) {
        schedule(&delivery) { [self] in
            guard end() else { return }
            for events in observation.events { events.didFail?(error) }
            onError(error)
        }
    }

    private func schedule(_ delivery: inout Delivery, _ action: @escaping @Sendable () -> Void) {
        if let queue {
            delivery.add(action, on: queue)
        } else {
            scheduler.schedule(action)
        }
    }
}

/// A fetched value that is being transferred to the thread that delivers it.
///
/// `@unchecked Sendable`: the thread that fetched the value does not use the value again.
struct TransferredValue<Value>: @unchecked Sendable {
    let value: Value
}
