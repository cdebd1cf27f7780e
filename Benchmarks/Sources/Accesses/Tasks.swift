import Foundation
import Synchronization

/// Returns the accesses per second of 64 tasks that each repeat `access`.
func measureTasks(
    _ seconds: Double,
    _ access: @escaping @Sendable (_ key: Int64) async throws -> Void
) -> Double {
    let state = RoundState()
    let done = DispatchSemaphore(value: 0)
    let start = DispatchTime.now().uptimeNanoseconds
    Task {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    var keys = KeySequence(thread: task)
                    var count = 0
                    while !state.stop.load(ordering: .relaxed) {
                        do { try await access(keys.next()) } catch { fatalError("\(error)") }
                        count += 1
                    }
                    state.total.wrappingAdd(count, ordering: .relaxed)
                }
            }
        }
        done.signal()
    }
    usleep(UInt32(seconds * 1_000_000))
    state.stop.store(true, ordering: .relaxed)
    let elapsed = DispatchTime.now().uptimeNanoseconds - start
    done.wait()
    return Double(state.total.load(ordering: .relaxed)) / (Double(elapsed) / 1e9)
}
