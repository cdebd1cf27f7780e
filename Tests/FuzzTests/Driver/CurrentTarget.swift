/// The target that libFuzzer runs.
enum CurrentTarget {
    // Set once, before libFuzzer starts.
    nonisolated(unsafe) static var value: FuzzTarget?
}
