import Dispatch
import Synchronization

/// Blocks the current thread until asynchronous work ends.
///
/// Call this function only on the main thread, because threads of the cooperative pool must not
/// block. The main thread has no other work.
func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    let completion = DispatchSemaphore(value: 0)
    Task.detached {
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        outcome.value.withLock { $0 = result }
        completion.signal()
    }
    completion.wait()
    guard let result = outcome.value.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
}

private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
}
