import FaultVFS

/// A cause of failures: the operations on files, for example.
package struct Fault: Sendable {
    package var name: String
    /// Starts the failures, from the n-th operation on the files of a folder.
    var start: @Sendable (_ folder: String, _ nth: Int64) -> Void
    /// Ends the failures, and returns how many operations have failed.
    var stop: @Sendable () -> Int64

    package init(
        name: String,
        start: @escaping @Sendable (_ folder: String, _ nth: Int64) -> Void,
        stop: @escaping @Sendable () -> Int64
    ) {
        self.name = name
        self.start = start
        self.stop = stop
    }

    /// Makes operations on files fail.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - kinds: The kinds of operations that are counted and fail.
    ///   - isPersistent: Whether all operations from the n-th on fail.
    ///   - code: The result code of failing writes, or 0 for an input/output error.
    /// - Returns: The fault, after a call of `faults_install`.
    package static func files(
        _ name: String,
        kinds: Int,
        isPersistent: Bool,
        code: Int32 = 0
    ) -> Fault {
        Fault(name: name) { folder, nth in
            faults_start(folder, UInt32(kinds), nth, isPersistent ? 1 : 0, code)
        } stop: {
            let failed = faults_failed()
            _ = faults_stop()
            return failed
        }
    }

    /// Makes allocations of SQLite fail, after a call of `allocations_install`.
    package static func allocations(isPersistent: Bool) -> Fault {
        Fault(name: isPersistent ? "failures from then on" : "one failure") { _, nth in
            allocations_start(nth, isPersistent ? 1 : 0)
        } stop: {
            allocations_stop()
        }
    }
}
