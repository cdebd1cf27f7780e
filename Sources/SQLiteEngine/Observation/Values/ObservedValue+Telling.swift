import Telemetry

/// How what was fetched is reduced and told.
extension ObservedValue {
    var isTellingQuick: Bool { inbox.withLock { $0.lastTelling < EngineTimings.quickFetch } }

    func beginTelling() -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isTelling, !inbox.fetched.isEmpty else { return false }
            inbox.isTelling = true
            return true
        }
    }

    func tell(through delivery: Delivery) {
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
            inbox.withLock { $0.lastTelling = took }
        }
    }

    func endTelling() -> Bool {
        inbox.withLock { inbox in
            inbox.isTelling = !inbox.fetched.isEmpty
            return !inbox.isTelling
        }
    }

    private func reduce(_ fetched: Reducer.Fetcher.Value, _ delivery: Delivery) {
        guard isGoingOn else { return }
        do {
            guard let value = try reducer._value(fetched) else {
                hub?.counts.add(.duplicates)
                return
            }
            schedule(delivery) { [self] in
                if isGoingOn { onChange(value) }
            }
        } catch {
            fail(error, delivery)
        }
    }

    /// After the values that came before the error.
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

/// Carries what was fetched to the thread that tells it.
///
/// `@unchecked Sendable`: whoever made it does not use it again.
struct Carried<Value>: @unchecked Sendable {
    let value: Value
}
