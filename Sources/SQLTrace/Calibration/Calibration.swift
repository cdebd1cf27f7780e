#if os(Linux)
import Text
import CTrace
import Glibc
import SQLiteWatch
import Telemetry

/// A type that runs the process that finds a library's layout, and reads the result.
struct Calibration {
    /// The path and arguments of a program that calls ``SQLCalibration/run(measuresCost:)``.
    let command: [String]

    /// The maximum size of a library, in bytes.
    private static let libraryLimit = 1 << 28
    /// The maximum length of a response, in bytes.
    private static let answerLimit = 4_096
    /// The time limit of the process, in nanoseconds.
    ///
    /// No records are read until the process ends.
    var answerTimeout: UInt64 = 5_000_000_000

    /// Returns the layout of a library, or the reason why the layout was not found.
    func layout(of library: SQLiteLibrary) -> Result<StatementLayout, TraceError> {
        guard let copy = copy(of: library) else {
            return .failure(TraceError(.calibration, "the library cannot be copied to memory"))
        }
        defer { close(copy) }
        guard let answer = answer(copy, root: library.root) else {
            return .failure(TraceError(.calibration, "the calibration process returned no answer"))
        }
        if let layout = StatementLayout(text: answer) { return .success(layout) }
        let reason =
            answer.isEmpty
            ? "its code failed in the calibration process"
            : answer.hasPrefix("failure=") ? String(answer.dropFirst(8)) : "malformed answer"
        return .failure(
            TraceError(
                .calibration,
                Escaping.terminal(reason.trimmingSuffix { $0 == "\n" })
            )
        )
    }

    /// Creates a probe-free copy of a library that the unprivileged process can read and change.
    ///
    /// The process may start the copy as a program, so no descriptor may be open for writing.
    private func copy(of library: SQLiteLibrary) -> Int32? {
        let file = poolgauge_memfd("poolgauge-library")
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard library.copy(to: file, limit: Self.libraryLimit) else { return nil }
        let copy = open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC)
        return copy >= 0 ? copy : nil
    }

    /// Measures the cost of probes for a program that calls a library.
    ///
    /// - Parameters:
    ///   - library: The library.
    ///   - probe: A closure that sets probes in a process on a copy that is open in this process.
    /// - Returns: The cost, or `nil` if it cannot be measured.
    func cost(of library: SQLiteLibrary, probe: (pid_t, Int32) -> Bool) -> ProbeCost? {
        guard let copy = copy(of: library) else { return nil }
        defer { close(copy) }
        let answer = answer(copy, arguments: ["--cost"]) { process, input in
            var byte: UInt8 = 1
            return probe(process, copy) && write(input, &byte, 1) == 1
        }
        return answer.flatMap(ProbeCost.init)
    }

    /// Runs the process on a copy of a library.
    ///
    /// - Parameters:
    ///   - copy: The descriptor of the copy.
    ///   - root: The descriptor of the root directory in which to start the copy, if it differs
    ///     from that of this process.
    ///   - arguments: Arguments to append to the command.
    ///   - proceed: A closure that receives the process and the descriptor of its standard input
    ///     when the process waits for input.
    /// - Returns: The response, or `nil` if the process fails.
    private func answer(
        _ copy: Int32,
        root: Int32? = nil,
        arguments: [String] = [],
        proceed: (pid_t, Int32) -> Bool = { _, _ in false }
    ) -> String? {
        var output: [Int32] = [-1, -1]
        var input: [Int32] = [-1, -1]
        guard ChildProcess.pipe(&output) else { return nil }
        defer { close(output[0]) }
        guard ChildProcess.pipe(&input) else {
            close(output[1])
            return nil
        }
        defer { close(input[1]) }
        var descriptors = [
            STDIN_FILENO: input[0], STDOUT_FILENO: output[1], SQLCalibration.library: copy,
        ]
        descriptors[SQLCalibration.root] = root
        let child = ChildProcess.start(
            command + arguments,
            descriptors: descriptors,
            environment: root == nil ? [] : [SQLCalibration.rootVariable + "=1"]
        )
        close(output[1])
        close(input[0])
        guard let child else { return nil }
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        var bytes: [UInt8] = []
        let deadline = monotonicNanoseconds() + answerTimeout
        var isWaiting = !arguments.isEmpty
        while bytes.count < Self.answerLimit {
            guard ChildProcess.waitForInput(output[0], until: deadline) else { return nil }
            let part = ProcFile.readOnce(output[0], limit: Self.answerLimit)
            if part.isEmpty { break }
            if isWaiting, part == [0x0a] {
                isWaiting = false
                guard proceed(child, input[1]) else { return nil }
            } else {
                bytes += part
            }
        }
        return String(decoding: bytes.prefix(Self.answerLimit), as: UTF8.self)
    }
}

extension String {
    fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isDropped(last) { text.removeLast() }
        return String(text)
    }
}

extension ProcFile {
    /// Reads from a descriptor with one call, or returns an empty array at the end of the file.
    static func readOnce(_ descriptor: Int32, limit: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, limit))
        }
    }
}
#endif
