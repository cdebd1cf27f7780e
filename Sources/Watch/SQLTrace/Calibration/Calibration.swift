#if os(Linux)
import Text
import CTrace
import Glibc
import SQLiteWatch
import Telemetry

/// A type that runs the process that finds a library's layout, and reads the result.
struct Calibration {
    /// The path and arguments of a program that calls ``SQLCalibration/run(_:)``.
    let command: [String]

    /// The maximum size of a library, in bytes.
    private static let libraryLimit = 1 << 28
    /// The maximum length of a response, in bytes.
    private static let answerLimit = 1 << 16
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
        var descriptors = [SQLCalibration.first: copy]
        descriptors[SQLCalibration.root] = library.root
        let environment = library.root == nil ? [] : [SQLCalibration.rootVariable + "=1"]
        guard let answer = answer(descriptors, arguments: [], environment: environment) else {
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
        let arguments = [SQLCalibration.costArgument]
        let answer = answer([SQLCalibration.first: copy], arguments: arguments) { process, input in
            var byte: UInt8 = 1
            return probe(process, copy) && write(input, &byte, 1) == 1
        }
        return answer.flatMap(ProbeCost.init)
    }

    /// Describes files that are open in this process.
    ///
    /// - Parameters:
    ///   - files: The descriptors.
    ///   - searchesCopies: Whether to search for copies of SQLite whose functions are unknown.
    /// - Returns: What each file contains, or `nil` for a file that could not be examined. After two
    ///   such files, the others are not examined, and the array is shorter.
    func descriptions(of files: [Int32], searchesCopies: Bool = false) -> [FileDescription?] {
        var found: [FileDescription?] = []
        var failures = 0
        while found.count < files.count, failures < Self.failureLimit {
            let rest = files[found.count...]
            let targets = rest.enumerated().map { (SQLCalibration.first + Int32($0), $1) }
            var arguments = [SQLCalibration.filesArgument, String(rest.count)]
            if searchesCopies { arguments.append(SQLCalibration.copiesArgument) }
            let answer =
                answer(Dictionary(uniqueKeysWithValues: targets), arguments: arguments) ?? ""
            // A line without an end is incomplete.
            let lines = answer.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            found += lines.prefix(rest.count).map { FileDescription(text: String($0)) }
            guard lines.count < rest.count else { continue }
            // The process ended while it examined the next file.
            found.append(nil)
            failures += 1
        }
        return found
    }

    /// The number of failures after which no more files are examined.
    private static let failureLimit = 2

    /// Runs the process.
    ///
    /// - Parameters:
    ///   - descriptors: The descriptors to inherit, by their numbers in the process.
    ///   - arguments: Arguments to append to the command.
    ///   - environment: The environment of the process.
    ///   - proceed: A closure that receives the process and the descriptor of its standard input
    ///     when the process waits for input.
    /// - Returns: The response, or `nil` if the process fails.
    private func answer(
        _ descriptors: [Int32: Int32],
        arguments: [String],
        environment: [String] = [],
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
        let standard = [STDIN_FILENO: input[0], STDOUT_FILENO: output[1]]
        let child = ChildProcess.start(
            command + arguments,
            descriptors: descriptors.merging(standard) { $1 },
            environment: environment
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
        var isWaiting = arguments.first == SQLCalibration.costArgument
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
