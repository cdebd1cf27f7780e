import Foundation

/// Looks again and again until `look` finds something, and gives it.
///
/// For what nobody tells: the end of a process that is not a child of the tests, or an age that a
/// status must reach. What can be waited for itself, such as a child's end, a pipe's or a thread's,
/// is waited for.
///
/// - Parameters:
///   - what: What is looked for, for the error.
///   - patience: After how many seconds to give up; far more than a slow and busy machine needs.
///   - look: Finds it, or nil.
/// - Returns: What was found.
/// - Throws: ``TimedOut``, and what `look` throws.
func eventually<Value>(
    _ what: String,
    patience: TimeInterval = 60,
    _ look: () throws -> Value?
) throws -> Value {
    let start = DispatchTime.now().uptimeNanoseconds
    while true {
        if let value = try look() { return value }
        let waited = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        guard waited < patience else {
            throw TimedOut(description: "waited \(patience) s in vain for \(what)")
        }
        // Whoever is waited for may need this core.
        usleep(1_000)
    }
}
