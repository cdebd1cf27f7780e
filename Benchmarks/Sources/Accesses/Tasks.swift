import Foundation
import Synchronization

/// Returns the number of accesses per second when each of 64 tasks performs `access` repeatedly.
func measureTasks(
    _ seconds: Double,
    _ access: @escaping @Sendable (_ key: Int64) async throws -> Void
) -> Double {
    let state = RoundState()
    let completion = DispatchSemaphore(value: 0)
    let start = DispatchTime.now().uptimeNanoseconds
    Task {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    var keys = KeySequence(thread: task)
                    var count = 0
                    while !state.shouldStop.load(ordering: .relaxed) {
                        do { try await access(keys.next()) } catch { fatalError("\(error)") }
                        count += 1
                    }
                    state.accessCount.wrappingAdd(count, ordering: .relaxed)
                }
            }
        }
        completion.signal()
    }
    usleep(UInt32(seconds * 1_000_000))
    state.shouldStop.store(true, ordering: .relaxed)
    let elapsed = DispatchTime.now().uptimeNanoseconds - start
    completion.wait()
    return Double(state.accessCount.load(ordering: .relaxed)) / (Double(elapsed) / 1e9)
}
