import FaultVFS

/// A fault to inject, such as failing file operations.
package struct Fault: Sendable {
    package var name: String
    /// A closure that starts the failures at the `nth` operation on the files in a folder, or at the
    /// `nth` allocation.
    var start: @Sendable (_ folder: String, _ nth: Int64) -> Void
    /// A closure that ends the failures and returns the number of failed operations.
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

    /// Returns a fault that makes file operations fail.
    ///
    /// Call `faults_install` first.
    ///
    /// - Parameters:
    ///   - name: The fault's name.
    ///   - kinds: The kinds of operations that are counted and fail.
    ///   - isPersistent: Whether all operations fail, starting with the `nth` operation.
    ///   - code: The result code of failing writes, or 0 for an input/output error.
    /// - Returns: The fault.
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

    /// Returns a fault that makes allocations by SQLite fail.
    ///
    /// Call `allocations_install` first.
    package static func allocations(isPersistent: Bool) -> Fault {
        Fault(name: isPersistent ? "failures from then on" : "one failure") { _, nth in
            allocations_start(nth, isPersistent ? 1 : 0)
        } stop: {
            allocations_stop()
        }
    }
}
