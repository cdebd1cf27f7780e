/// The relevant fields of a `/proc/PID/stat` file.
package struct ProcessStat: Equatable, Sendable {
    /// The name of the program, truncated to 15 bytes.
    package var name: String
    /// The state: `R` running, `S` sleeping, `D` waiting for a disk, `T` stopped, `Z` ended.
    package var state: Character
    /// The ID of the parent process.
    package var parent: Int32
    /// The ID of the session, which is the ID of the process that started it.
    package var session: Int32
    /// The user and system time of all threads, in clock ticks.
    package var ticks: UInt64
    /// The start time of the process, in clock ticks since the system booted.
    ///
    /// If a new process reuses the ID, its start time differs.
    package var startTicks: UInt64
    /// The address of the program's stack, or 0 if it is hidden from this user.
    ///
    /// It is random, so it identifies the program that a process executes.
    package var stack: UInt64

    /// What identifies the program that a process executes, also if the ID is reused.
    package struct Image: Equatable, Sendable {
        var startTicks: UInt64
        var stack: UInt64
    }

    package var image: Image { Image(startTicks: startTicks, stack: stack) }

    #if os(Linux)
    /// Reads the program that a process executes, or returns `nil` if it has ended.
    package static func image(of process: Int32) -> Image? {
        ProcFile.read("/proc/\(process)/stat").flatMap(ProcessStat.init)?.image
    }
    #endif

    /// Parses the content of the file, or returns `nil` if it is malformed.
    ///
    /// The program name is in parentheses and may contain spaces and parentheses.
    package init?(_ line: [UInt8]) {
        guard let open = line.firstIndex(of: 0x28), let close = line.lastIndex(of: 0x29),
            open < close
        else { return nil }
        name = String(decoding: line[(open + 1)..<close], as: UTF8.self)
        let fields = line[(close + 1)...].split(maxSplits: 26) { $0 == 0x20 || $0 == 0x0a }
        // The first element is field 3 of proc(5).
        guard fields.count > 19, let state = fields[0].first,
            let parent = Self.number(fields[1]), let session = Self.number(fields[3]),
            let user = Self.number(fields[11]),
            let system = Self.number(fields[12]), let start = Self.number(fields[19])
        else { return nil }
        self.state = Character(Unicode.Scalar(state))
        self.parent = Int32(truncatingIfNeeded: parent)
        self.session = Int32(truncatingIfNeeded: session)
        ticks = user &+ system
        startTicks = start
        stack = fields.count > 25 ? Self.number(fields[25]) ?? 0 : 0
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count < 20 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit - 0x30)
        }
        return value
    }
}
