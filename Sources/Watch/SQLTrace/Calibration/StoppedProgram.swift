#if os(Linux)
import CTrace
import Glibc

/// A process that runs a program up to its first instruction and then only the functions that this
/// process calls.
///
/// A program cannot be loaded as a library: it may require fixed addresses, and its thread-local
/// variables have places that only the first loaded file has. This process therefore starts the
/// program as its traced child (ptrace(2)). When the dynamic loader has finished, all relocations
/// are applied and the C library works, but no code of the program has run. In a program without a
/// dynamic loader, the C library starts with the program, which therefore stops at `main`. The
/// program ends with this process at the latest and never runs `main`.
final class StoppedProgram: SQLiteHost {
    let process: Int32
    let start: UInt64
    var functions: SQLiteFunctions?

    /// An address at which no code can be.
    ///
    /// Each call returns there, which stops the process.
    private static let end: UInt64 = 16
    let failingFunction: UInt64 = 32
    /// The registers at the program's first instruction.
    private let registers: user_regs_struct
    /// The addresses below the program's first stack frame that remain for stored bytes.
    private var storage: Range<UInt64>

    /// The length of the storage, in bytes.
    ///
    /// The kernel maps 128 KiB below a program's first frame (setup_arg_pages in fs/exec.c).
    private static let storageLength: UInt64 = 96 << 10
    /// The type of the auxiliary value that states the program's first instruction (AT_ENTRY).
    private static let entryType: UInt64 = 9

    /// Starts the program on a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the program.
    ///   - file: The program.
    /// - Throws: The reason why the program cannot be started.
    init(_ descriptor: Int32, _ file: ELFFile) throws(LayoutSearch.Failure) {
        let arguments = [strdup("poolgauge-calibration"), nil]
        process = poolgauge_start_traced(descriptor, arguments, [nil])
        guard process > 0 else { throw LayoutSearch.Failure(reason: "it cannot be started") }
        guard Self.wait(process) == SIGTRAP, poolgauge_bind_traced(process) == 0 else {
            throw LayoutSearch.Failure(reason: "it cannot be started: \(Self.message)")
        }
        var registers = user_regs_struct()
        guard poolgauge_get_registers(process, &registers) == 0,
            let entry = Self.entry(of: process, UInt64(poolgauge_stack(&registers)))
        else { throw LayoutSearch.Failure(reason: "its first instruction is not known") }
        start = entry &- file.entry
        let last = file.hasInterpreter ? entry : try Self.main(of: process, file, at: start)
        // Replace the instruction, which never runs.
        guard poolgauge_replace_code(process, UInt(last), poolgauge_breakpoint) == 0,
            poolgauge_resume(process, 0) == 0
        else { throw LayoutSearch.Failure(reason: "it cannot be stopped: \(Self.message)") }
        guard Self.wait(process) == SIGTRAP,
            poolgauge_get_registers(process, &registers) == 0
        else {
            throw LayoutSearch.Failure(
                reason: file.hasInterpreter
                    ? "the dynamic loader cannot start it, perhaps because a library is missing"
                    : "its C library cannot start"
            )
        }
        self.registers = registers
        let stack = UInt64(poolgauge_stack(&registers)) & ~15
        guard stack > 1 << 20 else {
            throw LayoutSearch.Failure(reason: "its stack is at an unexpected address")
        }
        storage = (stack - Self.storageLength)..<(stack - 1_024)
    }

    func call(_ function: UInt64, _ arguments: [UInt64]) -> UInt64 {
        var registers = registers
        let stack = UInt64(poolgauge_stack(&registers)) & ~15
        return call(function, arguments, below: stack - Self.storageLength)
    }

    func store(_ bytes: [UInt8]) -> UInt64 {
        let address = storage.lowerBound
        let size = UInt64(bytes.count + 15) & ~15
        guard size <= storage.upperBound - address, write(bytes, to: address) else { Self.fail() }
        storage = (address + size)..<storage.upperBound
        return address
    }

    private func write(_ bytes: [UInt8], to address: UInt64) -> Bool {
        poolgauge_write_memory(process, UInt(address), bytes, bytes.count) == bytes.count
    }

    /// The maximum number of instructions before `main` is known.
    ///
    /// Some programs relocate themselves first.
    private static let startLimit = 1_000_000

    /// Runs a program without a dynamic loader until its address of `main` is known.
    ///
    /// `main` is the first argument of `__libc_start_main` (glibc and musl). This is the first call
    /// whose first argument is an address in the program's code.
    private static func main(
        of process: Int32,
        _ file: ELFFile,
        at start: UInt64
    ) throws(LayoutSearch.Failure) -> UInt64 {
        var registers = user_regs_struct()
        var previous: UInt64 = 0
        for _ in 0..<startLimit {
            guard poolgauge_resume(process, 1) == 0, wait(process) == SIGTRAP,
                poolgauge_get_registers(process, &registers) == 0
            else { break }
            let instruction = UInt64(poolgauge_instruction(&registers))
            let argument = UInt64(poolgauge_first(&registers))
            // No instruction is longer than 15 bytes.
            let isCall = instruction &- previous > 15
            previous = instruction
            if isCall, file.function(at: argument &- start) != nil { return argument }
        }
        throw LayoutSearch.Failure(reason: "its C library is not known")
    }

    /// Calls a function.
    ///
    /// - Parameters:
    ///   - function: The address of the function.
    ///   - arguments: At most eight arguments.
    ///   - stack: The address below which the function's frame starts, a multiple of 16.
    /// - Returns: The result.
    private func call(
        _ function: UInt64,
        _ arguments: [UInt64],
        below stack: UInt64
    ) -> UInt64 {
        var words = arguments.map { UInt($0) }
        words += Array(repeating: 0, count: 8 - words.count)
        var registers = registers
        // On x86-64, the return address and the seventh and eighth arguments are on the stack.
        let frame = [UInt(Self.end), words[6], words[7]]
            .flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
        guard write(frame, to: stack - 72) else { Self.fail() }
        poolgauge_prepare_call(
            &registers,
            UInt(function),
            words,
            UInt(stack - 72),
            UInt(Self.end)
        )
        guard poolgauge_set_registers(process, &registers) == 0 else { Self.fail() }
        while true {
            guard poolgauge_resume(process, 0) == 0, Self.wait(process) == SIGSEGV,
                poolgauge_get_registers(process, &registers) == 0
            else { Self.fail() }
            switch UInt64(poolgauge_instruction(&registers)) {
            case Self.end: return UInt64(poolgauge_result(&registers))
            case failingFunction: failCall(&registers)
            default: Self.fail()
            }
        }
    }

    /// Runs ``failingFunction`` and returns from it.
    private func failCall(_ registers: inout user_regs_struct) {
        let stack = UInt64(poolgauge_stack(&registers))
        functions?.fail(
            UInt64(poolgauge_first(&registers)),
            values: UInt64(poolgauge_third(&registers))
        ) { call($0, $1, below: (stack & ~15) - 4_096) }
        guard let end = bytes(at: stack, count: 8).u64(0) else { Self.fail() }
        poolgauge_prepare_return(&registers, UInt(end))
        guard poolgauge_set_registers(process, &registers) == 0 else { Self.fail() }
    }

    /// Ends this process as a crash of a loaded library would.
    private static func fail() -> Never { _exit(1) }

    private static var message: String { String(cString: strerror(errno)) }

    /// Waits until a process stops, and returns the signal, or `nil` if the process has ended.
    private static func wait(_ process: Int32) -> Int32? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) != process {
            guard errno == EINTR else { return nil }
        }
        // The lower byte of a stopped process's status is 0x7f.
        return status & 0xff == 0x7f ? status >> 8 & 0xff : nil
    }

    /// Returns the address of a program's first instruction from its initial stack.
    ///
    /// The stack contains the number of arguments, the arguments, and the environment, each list
    /// followed by 0, and then the auxiliary values. The program's `/proc` may be missing.
    private static func entry(of process: Int32, _ stack: UInt64) -> UInt64? {
        let words = LittleEndian(
            [UInt8](unsafeUninitializedCapacity: 1_024) { buffer, count in
                count = max(
                    0,
                    poolgauge_read_memory(process, UInt(stack), buffer.baseAddress, 1_024)
                )
            }
        )
        var index = 8
        for _ in 0..<2 {
            while let word = words.u64(index), word != 0 { index += 8 }
            index += 8
        }
        let entry = stride(from: index, to: words.count, by: 16)
            .first { words.u64($0) == entryType }
        return entry.flatMap { words.u64($0 + 8) }
    }
}
#endif
