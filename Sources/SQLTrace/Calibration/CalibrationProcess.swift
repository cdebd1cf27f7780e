#if os(Linux)
import CTrace
import Glibc

/// The process that loads another program's SQLite library to find its layout.
///
/// The library may be malicious, and loading it runs its code. The process therefore drops all
/// privileges first, and ``StatementLayout/init(text:)`` validates the response.
public enum SQLCalibration {
    /// The descriptor of the copy of the library.
    static let library: Int32 = 3

    /// Finds the layout of the library on descriptor 3 and writes the layout to standard output.
    ///
    /// A tracing program calls this method in the command that it passes to a session.
    ///
    /// - Parameter measuresCost: Whether to measure the cost of probes instead. If `true`, the
    ///   process waits for a byte on standard input before it measures with probes.
    public static func run(measuresCost: Bool = false) {
        do throws(LayoutSearch.Failure) {
            try dropPrivileges()
            guard
                let file = ELFFile(
                    isIncluded: { _ in true },
                    read: { DescriptorFile.read(library, at: $0, count: $1) }
                )
            else { throw LayoutSearch.Failure(reason: "it is not a library") }
            // The library's symbols must take precedence over the symbols of this program's SQLite.
            guard let handle = poolgauge_load("/proc/self/fd/\(library)") else {
                let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
                throw LayoutSearch.Failure(reason: "it cannot be loaded: \(reason)")
            }
            guard let functions = SQLiteFunctions(handle, file) else {
                throw LayoutSearch.Failure(reason: "it lacks functions that calibration requires")
            }
            if measuresCost {
                try measureCost(CostLoop(sqlite: functions))
            } else {
                answer(try LayoutSearch(functions).layout().text)
            }
        } catch {
            answer("failure=\(error.reason)\n")
        }
        // Skip the library's destructors.
        _exit(0)
    }

    /// The resource limits of the process.
    ///
    /// The library and its copy are mapped at most twice, with up to 2^28 bytes in each mapping.
    private static let limits = ProcessSandbox.Limits(
        processorSeconds: 5,
        seconds: 30,
        memory: 1 << 30
    )

    private static func dropPrivileges() throws(LayoutSearch.Failure) {
        ProcessSandbox.limit(to: limits)
        guard ProcessSandbox.dropPrivileges(closingFrom: library + 1) else {
            throw LayoutSearch.Failure(reason: "privileges cannot be dropped")
        }
    }

    private static func measureCost(_ loop: CostLoop) throws(LayoutSearch.Failure) {
        let failure = LayoutSearch.Failure(reason: "the cost cannot be measured")
        guard let plain = loop.measure() else { throw failure }
        answer("\n")
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1, let probed = loop.measure() else { throw failure }
        let reset = probed.reset - plain.reset
        let step = probed.step - plain.step
        let end = probed.execution - plain.execution - step - reset
        answer("reset=\(reset)\nstep=\(step)\nend=\(end)\nplain=\(plain.step)\n")
    }

    private static func answer(_ text: String) {
        _ = DescriptorFile.write(Array(text.utf8), to: STDOUT_FILENO)
    }
}
#endif
