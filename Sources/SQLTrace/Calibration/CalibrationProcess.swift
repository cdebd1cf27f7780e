#if os(Linux)
import CTrace
import Glibc

/// The process that reads files of other programs, and loads a program's SQLite library to find its
/// layout.
///
/// The library may be malicious, and loading it runs its code. The process therefore drops all
/// privileges first, and ``StatementLayout/init(text:)`` validates the response.
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
                try load(file, bytes)
            } else if isInOtherRoot {
                // The program's root directory contains its libraries.
                try StoppedProgram(first, file)
            } else {
                try start(file, bytes)
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
        _ bytes: FileBytes
    ) throws(LayoutSearch.Failure) -> any SQLiteHost {
        try makeLoadable(file, bytes)
        ProcessSandbox.limitProcesses(to: 0)
        return try LoadedLibrary(first)
    }

    /// Starts a program.
    ///
    /// If a library is missing, the copy is changed.
    private static func start(
        _ file: ELFFile,
        _ bytes: FileBytes
    ) throws(LayoutSearch.Failure) -> any SQLiteHost {
        if let program = try? StoppedProgram(first, file) { return program }
        try makeLoadable(file, bytes)
        return try StoppedProgram(first, file)
    }

    /// Changes the copy on descriptor 3.
    private static func makeLoadable(
        _ file: ELFFile,
        _ bytes: FileBytes
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
#endif
