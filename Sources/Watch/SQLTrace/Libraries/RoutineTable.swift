/// The table of functions that SQLite passes to extensions, `struct sqlite3_api_routines`.
///
/// Each copy of SQLite contains this constant, even without symbols, unless the copy was built with
/// `SQLITE_OMIT_LOAD_EXTENSION`. The order of the functions never changes
/// (https://sqlite.org/src/file/src/sqlite3ext.h).
struct RoutineTable: Sendable, Equatable {
    /// The address of the table, relative to the start of the loaded file.
    var address: UInt64
    /// SQLite's version, such as `3.46.1`.
    var version: String
    /// The functions that this program uses, by name.
    var functions: [String: ELFFile.Function]

    /// The positions of functions in the table, by name.
    static let slots: [String: UInt64] = [
        "sqlite3_bind_int64": 5, "sqlite3_bind_text": 10, "sqlite3_busy_handler": 13,
        "sqlite3_busy_timeout": 14, "sqlite3_close": 16, "sqlite3_create_function": 45,
        "sqlite3_db_handle": 49, "sqlite3_exec": 55, "sqlite3_finalize": 57,
        "sqlite3_get_autocommit": 60, "sqlite3_libversion": 66,
        "sqlite3_libversion_number": 67, "sqlite3_reset": 77, "sqlite3_step": 94,
        "sqlite3_value_int": 106, "sqlite3_prepare_v2": 116, "sqlite3_open_v2": 135,
        "sqlite3_result_error_code": 146, "sqlite3_sql": 153, "sqlite3_sourceid": 169,
        "sqlite3_stmt_status": 170, "sqlite3_close_v2": 179, "sqlite3_db_filename": 180,
        "sqlite3_trace_v2": 214,
    ]
    private static let versionSlot: UInt64 = 66
    private static let numberSlot: UInt64 = 67
    /// The number of slots to read.
    private static let slotCount: UInt64 = 215
    /// A table must contain at least this number of functions in its first slots.
    ///
    /// Functions that were omitted from the copy are missing.
    private static let required = (functions: 140, slots: 180)
    /// The maximum numbers of functions that return a version, and of places that may be tables.
    private static let limits = (functions: 4_096, tables: 64)

    /// Returns the tables in a file, sorted by address.
    ///
    /// The search starts with the functions that return a number such as 3046001, follows the
    /// pointers to them, and reads the pointers around each.
    static func find(in file: ELFFile, _ bytes: FileBytes) -> [RoutineTable] {
        let numbers = numberFunctions(in: file, bytes)
        guard let lowest = numbers.keys.min(), let highest = numbers.keys.max() else { return [] }
        let pointers = ELFPointers(file: file, bytes: bytes)
        var starts: [UInt64: UInt32] = [:]
        pointers.visit(to: lowest...highest) { address, value in
            guard let number = numbers[value], address >= 8 * numberSlot,
                address < .max - 8 * slotCount, starts.count < limits.tables
            else { return }
            starts[address - 8 * numberSlot] = number
        }
        var slots = starts.mapValues { _ in [UInt64: UInt64]() }
        func read(_ start: UInt64, _ address: UInt64, _ value: UInt64) {
            guard address >= start, address - start < 8 * slotCount, (address - start) % 8 == 0
            else { return }
            slots[start]?[(address - start) / 8] = value
        }
        if file.isFixed {
            for start in starts.keys {
                pointers.visit(in: start..<(start + 8 * slotCount)) { read(start, $0, $1) }
            }
        } else if let first = starts.keys.min(), let last = starts.keys.max() {
            pointers.visit { address, value in
                guard address >= first, address <= last || address - last < 8 * slotCount else {
                    return
                }
                for start in starts.keys { read(start, address, value) }
            }
        }
        return starts.keys.sorted().compactMap { start in
            guard let number = starts[start], let found = slots[start] else { return nil }
            return RoutineTable(at: start, slots: found, number: number, pointers)
        }
    }

    /// Checks a place that may be a table.
    ///
    /// Some files have a pointer to `sqlite3_libversion_number` that is not in
    /// a table, surrounded by other pointers to code. The check of the version excludes it.
    private init?(
        at address: UInt64,
        slots: [UInt64: UInt64],
        number: UInt32,
        _ pointers: ELFPointers
    ) {
        let file = pointers.file
        let count = slots.count { slot, value in
            slot < UInt64(Self.required.slots) && file.function(at: value) != nil
        }
        guard count >= Self.required.functions,
            let function = slots[Self.versionSlot].flatMap({ file.function(at: $0) }),
            let version = Self.text(returnedBy: function, pointers),
            Self.number(of: version) == number
        else { return nil }
        self.address = address
        self.version = version
        functions = Self.slots.compactMapValues { slot in
            slots[slot].flatMap { file.function(at: $0) }
        }
    }

    // MARK: Versions

    /// Returns the number of a version, such as 3046001 for `3.46.1`.
    static func number(of version: String) -> UInt32? {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.prefix(3).compactMap { UInt32($0) }
        guard numbers.count == 3, numbers[0] == 3, numbers[1] < 1_000, numbers[2] < 1_000 else {
            return nil
        }
        return 3_000_000 + numbers[1] * 1_000 + numbers[2]
    }

    /// Returns the version of a copy without a table, or `nil` if it is ambiguous.
    static func version(in file: ELFFile, _ bytes: FileBytes) -> String? {
        let numbers = Set(numberFunctions(in: file, bytes).values)
        guard numbers.count == 1, let number = numbers.first else { return nil }
        return "3.\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    /// The versions that may be found: 3.6 is the first one with a table of this kind.
    private static let versions: ClosedRange<UInt32> = 3_006_000...3_999_999

    /// Returns the possible addresses of functions that return a version's number.
    private static func numberFunctions(in file: ELFFile, _ bytes: FileBytes) -> [UInt64: UInt32] {
        var found: [UInt64: UInt32] = [:]
        var rest = ELFPointers.limit
        for segment in file.segments where segment.isCode && segment.size <= rest {
            rest -= segment.size
            bytes.scan(segment.offset..<(segment.offset + segment.size), overlap: 16) {
                code,
                offset in
                let address = segment.address &+ (offset - segment.offset)
                switch file.machine {
                case .x86_64: addX86Functions(in: code, at: address, to: &found)
                case .arm64: addArmFunctions(in: code, at: address, to: &found)
                }
                return found.count < limits.functions
            }
        }
        return found
    }

    /// Finds `mov eax, NUMBER; ret`, possibly after `endbr64` and in a frame.
    private static func addX86Functions(
        in code: UnsafeRawBufferPointer,
        at address: UInt64,
        to found: inout [UInt64: UInt32]
    ) {
        var index = 0
        while let move = code.index(of: 0xb8, from: index), move + 7 <= code.count {
            index = move + 1
            // Most matches fail here: the number's upper half is 0x2d to 0x3d.
            guard code[move + 4] == 0, (0x2d...0x3d).contains(code[move + 3]) else { continue }
            let number = code.integer(move + 1, UInt32.self)
            let isFramed = code[move + 5] == 0x5d
            guard versions.contains(number), code[move + (isFramed ? 6 : 5)] == 0xc3 else {
                continue
            }
            var start = move
            if isFramed {
                // push rbp; mov rbp, rsp
                guard start >= 4, code.integer(start - 4, UInt32.self) == 0xe589_4855 else {
                    continue
                }
                start -= 4
            }
            found[address &+ UInt64(start)] = number
            if start >= 4, code.integer(start - 4, UInt32.self) == 0xfa1e_0ff3 {
                found[address &+ UInt64(start - 4)] = number
            }
        }
    }

    /// Finds `mov w0, LOW; movk w0, HIGH, lsl 16; ret`, possibly after `bti c`.
    private static func addArmFunctions(
        in code: UnsafeRawBufferPointer,
        at address: UInt64,
        to found: inout [UInt64: UInt32]
    ) {
        var index = 0
        while index + 12 <= code.count {
            defer { index += 4 }
            let low = code.integer(index, UInt32.self)
            let high = code.integer(index + 4, UInt32.self)
            guard low & 0xffe0_001f == 0x5280_0000, high & 0xffe0_001f == 0x72a0_0000,
                code.integer(index + 8, UInt32.self) == 0xd65f_03c0
            else { continue }
            let number = (low >> 5) & 0xffff | ((high >> 5) & 0xffff) << 16
            guard versions.contains(number) else { continue }
            found[address &+ UInt64(index)] = number
            if index >= 4, code.integer(index - 4, UInt32.self) == 0xd503_245f {
                found[address &+ UInt64(index - 4)] = number
            }
        }
    }

    /// Returns the text whose address a function returns.
    private static func text(
        returnedBy function: ELFFile.Function,
        _ pointers: ELFPointers
    ) -> String? {
        let code = pointers.bytes.bytes(at: function.fileOffset, count: 32)
        let address =
            switch pointers.file.machine {
            case .x86_64: addressX86(code, at: function.address, pointers: pointers)
            case .arm64: addressArm(code, at: function.address)
            }
        guard let offset = address.flatMap(pointers.file.fileOffset) else { return nil }
        let text = pointers.bytes.bytes(at: offset, count: 16).prefix { $0 != 0 }
        return text.count < 16 ? String(decoding: text, as: UTF8.self) : nil
    }

    private static func addressX86(
        _ code: [UInt8],
        at address: UInt64,
        pointers: ELFPointers
    ) -> UInt64? {
        var start = 0
        if code.starts(with: [0xf3, 0x0f, 0x1e, 0xfa]) { start += 4 }
        if code.dropFirst(start).starts(with: [0x55, 0x48, 0x89, 0xe5]) { start += 4 }
        let fields = LittleEndian(code)
        let rest = code.dropFirst(start)
        // mov eax, ADDRESS
        if rest.first == 0xb8 { return fields.u32(start + 1).map(UInt64.init) }
        guard let distance = fields.u32(start + 3) else { return nil }
        let signed = UInt64(bitPattern: Int64(Int32(bitPattern: distance)))
        // mov rax, ADDRESS
        if rest.starts(with: [0x48, 0xc7, 0xc0]) { return signed }
        let target = address &+ UInt64(start + 7) &+ signed
        // lea rax, [rip + DISTANCE]
        if rest.starts(with: [0x48, 0x8d, 0x05]) { return target }
        // mov rax, [rip + DISTANCE]
        guard rest.starts(with: [0x48, 0x8b, 0x05]), target < .max - 8 else { return nil }
        var value: UInt64?
        pointers.visit(in: target..<(target + 8)) { if $0 == target { value = $1 } }
        return value
    }

    /// Decodes `adrp x0, PAGE; add x0, x0, OFFSET` with one or two offsets, or `adr x0, ADDRESS`.
    private static func addressArm(_ code: [UInt8], at address: UInt64) -> UInt64? {
        let fields = LittleEndian(code)
        let start = fields.u32(0) == 0xd503_245f ? 4 : 0
        guard let first = fields.u32(start), first & 0x1f == 0, first & 0x1f00_0000 == 0x1000_0000
        else { return nil }
        let bits = UInt64(first >> 29 & 3 | (first >> 5 & 0x7_ffff) << 2)
        // Extend the sign of 21 bits.
        let distance = (bits ^ 0x10_0000) &- 0x10_0000
        let place = address &+ UInt64(start)
        guard first >> 31 == 1 else { return place &+ distance }
        // Where the data of a file has one anchor, two offsets are added.
        let offsets = [4, 8].compactMap { fields.u32(start + $0) }
            .prefix { $0 & 0xffc0_03ff == 0x9100_0000 }
        guard !offsets.isEmpty else { return nil }
        return offsets.reduce((place & ~0xfff) &+ (distance << 12)) {
            $0 &+ UInt64($1 >> 10 & 0xfff)
        }
    }
}

extension ELFFile {
    /// Adds functions without symbols from the routine table.
    ///
    /// - Parameters:
    ///   - names: The names of the functions.
    ///   - bytes: The file.
    /// - Returns: Whether the file contains the functions that every trace requires.
    mutating func addFunctions(_ names: Set<String>, from bytes: FileBytes) -> Bool {
        if !names.allSatisfy({ functions[$0] != nil }),
            let table = RoutineTable.find(in: self, bytes).first
        {
            for name in names where functions[name] == nil {
                functions[name] = table.functions[name]
            }
        }
        return ["sqlite3_step", "sqlite3_reset", "sqlite3_finalize"]
            .allSatisfy { functions[$0] != nil }
    }
}

/// A copy of SQLite whose functions cannot be found.
struct HiddenCopy: Sendable, Equatable {
    /// Whether the file is a Go program.
    var isGo: Bool
    /// SQLite's version, such as `3.46.1`, or `nil` if it is unknown.
    var version: String?

    /// The text at the start of each database, which each copy contains.
    private static let text = Array("SQLite format 3".utf8)

    init(isGo: Bool, version: String?) {
        self.isGo = isGo
        self.version = version
    }

    /// Searches a file, or returns `nil` if it contains no copy of SQLite.
    init?(in file: ELFFile, _ bytes: FileBytes) {
        guard file.contains(Self.text, in: bytes) else { return nil }
        isGo = file.isGo
        version = RoutineTable.version(in: file, bytes)
    }

    /// The reason why the statements of the copy are not visible.
    var reason: String {
        let version = version.map { " \($0)" } ?? ""
        return isGo
            ? "its port of SQLite\(version) to Go has no C functions"
            : "its copy of SQLite\(version) has neither symbols nor a table of functions for "
                + "extensions, as in Chromium"
    }
}
