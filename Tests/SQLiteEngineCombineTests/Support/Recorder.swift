import Foundation
import Telemetry
import TestSupport

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber that records all events and requests the demand that a test specifies.
///
/// `@unchecked Sendable`: a lock protects all mutable state.
final class Recorder<Input>: Subscriber, @unchecked Sendable {
    typealias Failure = any Error

    private struct State {
        var subscription: (any Subscription)?
        var values: [String] = []
        var completion: Subscribers.Completion<any Error>?
        var demand = Subscribers.Demand.none
    }

    private let state = Lock(State())
    private let onValue: (Input) -> Subscribers.Demand

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - demand: The demand when the subscription starts.
    ///   - onValue: A closure that receives each value and returns additional demand.
    init(
        demand: Subscribers.Demand = .unlimited,
        onValue: @escaping (Input) -> Subscribers.Demand = { _ in .none }
    ) {
        self.onValue = onValue
        state.withLock { $0.demand = demand }
    }

    var values: [String] { state.withLock { $0.values } }
    var isFinished: Bool {
        state.withLock { state in
            if case .finished = state.completion { true } else { false }
        }
    }
    var error: (any Error)? {
        state.withLock { state in
            if case .failure(let error) = state.completion { error } else { nil }
        }
    }
    var hasEnded: Bool { state.withLock { $0.completion != nil } }

    func receive(subscription: any Subscription) {
        let demand = state.withLock { state in
            state.subscription = subscription
            return state.demand
        }
        if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.values.append("\(input)") }
        return onValue(input)
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        state.withLock { $0.completion = completion }
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.subscription }?.request(demand)
    }

    func cancel() { state.withLock { $0.subscription }?.cancel() }

    /// Polls until a condition is met.
    func waitUntil(_ condition: (Recorder) -> Bool) throws {
        try eventually { condition(self) }
    }
}
