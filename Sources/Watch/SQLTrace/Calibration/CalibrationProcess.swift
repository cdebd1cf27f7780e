#if os(Linux)
import CTrace
import Glibc

/// The process that reads files of other programs, and loads a program's SQLite library to find its
/// layout.
///
/// The library may be malicious, and loading it runs its code. The process therefore drops all
/// privileges first, of which an ordinary user has none, and ``StatementLayout/init(text:)``
/// validates the response.
public enum SQLCalibration {
    /// The descriptor of the copy of the library, or of the first file.
    static let first: Int32 = 3
    /// The descriptor of the root directory in which to start a program.
    static let root: Int32 = 4
    /// The variable that is set if ``root`` is open.
    static let rootVariable = "POOLGAUGE_CALIBRATION_ROOT"
    /// Measures the cost of probes.
    ///
    /// The process waits for a byte on standard input before it measures
    /// with probes.
    static let costArgument = "cost"
    /// Describes as many files as the next argument states.
    static let filesArgument = "files"
    static let copiesArgument = "copies"
    private static let fileLimit = 1_024

    /// Finds the layout of the library on descriptor 3 and writes the layout to standard output.
    ///
    /// A tracing program calls this method in the command that it passes to a session.
    ///
    /// - Parameter arguments: The arguments that the session appends to the command, which may
    ///   choose another task.
    public static func run(_ arguments: [String]) {
        do throws(LayoutSearch.Failure) {
            if arguments.first == filesArgument {
                try describeFiles(arguments.dropFirst())
            } else {
                try examine(measuresCost: arguments.first == costArgument)
            }
        } catch {
            answer("failure=\(error.reason)\n")
        }
        // Skip the library's destructors.
        _exit(0)
    }

    /// Writes a line for each file.
    private static func describeFiles(
        _ arguments: ArraySlice<String>
    ) throws(LayoutSearch.Failure) {
        guard let count = arguments.first.flatMap({ Int32($0) }),
            (1...Int32(fileLimit)).contains(count)
        else { throw LayoutSearch.Failure(reason: "the number of files is missing") }
        try dropPrivileges(in: nil, closingFrom: first + count)
        ProcessSandbox.limitProcesses(to: 0)
        for file in first..<(first + count) {
            let description = FileDescription(
                of: DescriptorFile.bytes(of: file),
                searchesCopy: arguments.contains(copiesArgument)
            )
            answer(description.text + "\n")
        }
    }

    private static func examine(measuresCost: Bool) throws(LayoutSearch.Failure) {
        let isInOtherRoot = getenv(rootVariable) != nil
        try dropPrivileges(in: isInOtherRoot ? root : nil, closingFrom: first + 1)
        let bytes = DescriptorFile.bytes(of: first)
        guard var file = ELFFile(bytes, isIncluded: { _ in true }) else {
            throw LayoutSearch.Failure(reason: "it is not a library")
        }
        _ = file.addFunctions(Set(RoutineTable.slots.keys), from: bytes)
        let host =
            if !file.isProgram {
                try load(file, bytes: bytes)
            } else if isInOtherRoot {
                // The program's root directory contains its libraries.
                try StoppedProgram(first, file)
            } else {
                try start(file, bytes: bytes)
            }
        guard let functions = SQLiteFunctions(file, in: host) else {
            throw LayoutSearch.Failure(reason: "it lacks functions that calibration requires")
        }
        if measuresCost {
            guard host is LoadedLibrary else {
                throw LayoutSearch.Failure(reason: "calls in another process take longer")
            }
            try measureCost(CostLoop(sqlite: functions))
        } else {
            answer(try LayoutSearch(functions).layout().text)
        }
    }

    /// The resource limits of the process.
    ///
    /// The library and its copy are mapped at most twice, with up to 2^28 bytes in each mapping.
    private static let limits = ProcessSandbox.Limits(
        processorSeconds: 5,
        seconds: 30,
        memory: 1 << 30,
        processes: 2,
        fileSize: 1 << 28
    )

    private static func dropPrivileges(
        in root: Int32?,
        closingFrom descriptor: Int32
    ) throws(LayoutSearch.Failure) {
        ProcessSandbox.limit(to: limits)
        if let root {
            guard fchdir(root) == 0, chroot(".") == 0 else {
                throw LayoutSearch.Failure(reason: "its root directory cannot be entered")
            }
        }
        guard ProcessSandbox.dropPrivileges(closingFrom: descriptor) else {
            throw LayoutSearch.Failure(reason: "privileges cannot be dropped")
        }
    }

    private static func load(
        _ file: ELFFile,
        bytes: FileBytes
    ) throws(LayoutSearch.Failure) -> any SQLiteHost {
        try makeLoadable(file, bytes: bytes)
        ProcessSandbox.limitProcesses(to: 0)
        return try LoadedLibrary(first)
    }

    /// Starts a program.
    ///
    /// If a library is missing, the copy is changed.
    private static func start(
        _ file: ELFFile,
        bytes: FileBytes
    ) throws(LayoutSearch.Failure) -> any SQLiteHost {
        if let program = try? StoppedProgram(first, file) { return program }
        try makeLoadable(file, bytes: bytes)
        return try StoppedProgram(first, file)
    }

    /// Changes the copy on descriptor 3.
    private static func makeLoadable(
        _ file: ELFFile,
        bytes: FileBytes
    ) throws(LayoutSearch.Failure) {
        let copy = LoadableCopy(file: file, bytes: bytes)
        let changes = copy.changes { name in
            // 1 is RTLD_LAZY. Its handle stays open, because the file also requires the library.
            !name.contains("/") && dlopen(name, 1) != nil
        }
        let descriptor = open("/proc/self/fd/\(first)", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LayoutSearch.Failure(reason: "its copy cannot be changed")
        }
        defer { close(descriptor) }
        for change in changes {
            guard
                pwrite(descriptor, change.bytes, change.bytes.count, off_t(change.offset))
                    == change.bytes.count
            else { throw LayoutSearch.Failure(reason: "its copy cannot be changed") }
        }
        ProcessSandbox.limitFiles(to: 0)
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

/// A library that is loaded into this process.
final class LoadedLibrary: SQLiteHost {
    typealias Function =
        @convention(c) (
            UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
        ) -> UInt64

    let process = getpid()
    let start: UInt64
    var functions: SQLiteFunctions? {
        didSet { failingFunctions = functions }
    }

    /// Loads the library on a descriptor.
    init(_ descriptor: Int32) throws(LayoutSearch.Failure) {
        // The library's symbols must take precedence over the symbols of this program's SQLite.
        guard let handle = poolgauge_load("/proc/self/fd/\(descriptor)") else {
            let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
            throw LayoutSearch.Failure(reason: "it cannot be loaded: \(reason)")
        }
        // The handle is the address of a `link_map`, which starts with the library's load address
        // (dlinfo(3)).
        start = UInt64(handle.load(as: UInt.self))
    }

    /// Functions ignore the arguments beyond their own.
    func call(_ function: UInt64, _ arguments: [UInt64]) -> UInt64 {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(function)) else { return 0 }
        let a = arguments + Array(repeating: 0, count: 8 - arguments.count)
        return unsafeBitCast(pointer, to: Function.self)(
            a[0],
            a[1],
            a[2],
            a[3],
            a[4],
            a[5],
            a[6],
            a[7]
        )
    }

    var failingFunction: UInt64 {
        let function: @convention(c) (UInt64, Int32, UInt64) -> Void = { context, _, values in
            guard let functions = failingFunctions else { return }
            functions.fail(context, values: values) { functions.host.call($0, $1) }
        }
        return UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
    }

    func store(_ bytes: [UInt8]) -> UInt64 {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        return UInt64(UInt(bitPattern: copy.baseAddress))
    }
}

/// The functions that the failing SQL function calls.
///
/// This is a global variable because a C function cannot capture context. `nonisolated(unsafe)`:
/// the calibration process has one thread.
private nonisolated(unsafe) var failingFunctions: SQLiteFunctions?

/// A type that measures calls of a library in this process, with and without probes.
struct CostLoop {
    private typealias Function = @convention(c) (UInt64) -> Int32

    let sqlite: SQLiteFunctions

    private static let callCount = 1_000
    private static let roundCount = 5

    /// Returns the durations of a reset, of a step that returns a row, and of the execution of a
    /// short statement by both, in nanoseconds.
    ///
    /// Each result is the fastest of several rounds, because other programs also use the processor.
    func measure() -> (reset: Double, step: Double, execution: Double)? {
        let tenRows = (0..<10).map { "SELECT \($0)" }.joined(separator: " UNION ALL ")
        let text =
            "SELECT 1 FROM " + (0..<3).map { "(\(tenRows)) AS t\($0)" }.joined(separator: ", ")
        guard let connection = sqlite.open("/dev/null"),
            let statement = sqlite.prepare(connection, sql: text).statement,
            let short = sqlite.prepare(connection, sql: "SELECT 1").statement,
            let resetAddress = UnsafeRawPointer(bitPattern: UInt(sqlite.address("reset"))),
            let stepAddress = UnsafeRawPointer(bitPattern: UInt(sqlite.address("step")))
        else { return nil }
        let reset = unsafeBitCast(resetAddress, to: Function.self)
        let step = unsafeBitCast(stepAddress, to: Function.self)
        var best = (reset: Double.infinity, step: Double.infinity, execution: Double.infinity)
        for _ in 0..<Self.roundCount {
            let start = Self.now
            for _ in 0..<Self.callCount { _ = reset(statement) }
            let middle = Self.now
            // All steps except the last return a row.
            for _ in 0..<(Self.callCount - 1) { _ = step(statement) }
            let end = Self.now
            _ = reset(statement)
            let next = Self.now
            for _ in 0..<Self.callCount {
                _ = step(short)
                _ = reset(short)
            }
            best.execution = min(best.execution, Double(Self.now - next) / Double(Self.callCount))
            best.reset = min(best.reset, Double(middle - start) / Double(Self.callCount))
            best.step = min(best.step, Double(end - middle) / Double(Self.callCount - 1))
        }
        return best
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
#endif
