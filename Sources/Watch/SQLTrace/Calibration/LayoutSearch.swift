#if os(Linux)
/// A search that finds a library's layout by calling its functions and searching memory for the
/// results.
///
/// The search runs in a separate process, which has loaded the library or controls a process that
/// has loaded the program.
struct LayoutSearch {
    struct Failure: Error {
        var reason: String
    }

    private let sqlite: SQLiteFunctions
    private let connections: [UInt64]

    /// An empty file that every user can open.
    private static let fileName = "/dev/null"
    /// The result codes of the failing statements, chosen to differ from SQLite's own codes.
    private static let codes: [Int32] = [4_661, 7_331, 6_007]

    init(_ sqlite: SQLiteFunctions) throws(Failure) {
        self.sqlite = sqlite
        guard sqlite.initialize() == 0 else {
            throw Failure(reason: "sqlite3_initialize failed in the calibration process")
        }
        var connections: [UInt64] = []
        for _ in 0..<3 {
            guard let connection = sqlite.open(Self.fileName) else {
                throw Failure(reason: "sqlite3_open_v2 failed in the calibration process")
            }
            connections.append(connection)
            sqlite.addFailingFunction(connection)
        }
        self.connections = connections
    }

    func layout() throws(Failure) -> StatementLayout {
        var statements: [UInt64] = []
        for (number, connection) in connections.enumerated() {
            statements.append(
                try prepare("SELECT \(number) /* calibration */", connection: connection)
            )
            statements.append(try prepare("SELECT '\(number)', ?1, ?2, ?3", connection: connection))
        }
        let sql = try unique("statement text") { offset in
            statements.allSatisfy { word($0, at: offset) == sqlite.sql($0) }
        }
        let connection = try unique("connection of a statement") { offset in
            statements.allSatisfy { word($0, at: offset) == sqlite.connection($0) }
        }
        let resultCode = try resultCode()
        let steps = try steps()
        let autocommit = try autocommit()
        var layout = StatementLayout(
            sql: sql,
            connection: connection,
            programCounter: resultCode - 4,
            resultCode: resultCode,
            steps: steps,
            counterCount: try counterCount(steps),
            autocommit: autocommit,
            filePointers: try filePointers(),
            busyCalls: busyCalls(),
            busyTimeout: busyTimeout(),
            values: try values(),
            version: sqlite.version(),
            sourceID: sqlite.sourceID()
        )
        layout.settings = ConnectionSearch(
            sqlite,
            layout,
            connections: connections,
            path: Self.fileName
        ).layout()
        return layout
    }

    // MARK: Statements

    /// Returns the offset of the result code, which follows the program counter.
    private func resultCode() throws(Failure) -> Int {
        var failing: [(UInt64, Int32)] = []
        for (connection, code) in zip(connections, Self.codes) {
            failing.append(
                (try prepare("SELECT poolgauge_fail(\(code))", connection: connection), code)
            )
        }
        let before = failing.map { snapshot($0.0) }
        for (statement, _) in failing { _ = sqlite.step(statement) }
        let after = failing.map { snapshot($0.0) }
        for (statement, _) in failing { sqlite.reset(statement) }
        let reset = failing.map { snapshot($0.0) }
        return try unique("result code", step: 4) { offset in
            offset >= 4
                && failing.indices.allSatisfy { index in
                    after[index].u32(offset) == UInt32(failing[index].1)
                        && before[index].u32(offset) == 0 && reset[index].u32(offset) == 0
                        // The program counter is negative before the first step and after a reset.
                        && before[index].u32(offset - 4) == .max
                        && reset[index].u32(offset - 4) == .max
                        && (after[index].u32(offset - 4).map { $0 < 1_000 } ?? false)
                }
        }
    }

    private func steps() throws(Failure) -> Int {
        var snapshots: [(LittleEndian, steps: UInt32)] = []
        for (number, connection) in connections.enumerated() {
            let statement = try prepare(
                (0..<(20 + number)).map { "SELECT \($0)" }.joined(separator: " UNION ALL "),
                connection: connection
            )
            for _ in 0..<(5 + 2 * number) {
                while sqlite.step(statement) == 100 {}
                sqlite.reset(statement)
                // 4 is SQLITE_STMTSTATUS_VM_STEP, since SQLite 3.8.
                let steps = sqlite.status(statement, 4)
                snapshots.append((snapshot(statement), UInt32(bitPattern: steps)))
            }
        }
        let taken = snapshots
        return try unique("instructions", step: 4) { offset in
            taken.allSatisfy { $0.0.u32(offset) == $0.steps }
        }
    }

    /// The number of the counter of instructions, SQLITE_STMTSTATUS_VM_STEP.
    private static let stepCounter = 4
    /// The counters of all versions that count instructions.
    private static let firstCounters = 6
    /// The version that also counts the rows that Bloom filters exclude.
    private static let filterVersion = 3_038_000

    /// Returns the number of counters, or 0 if they are not in the order of their numbers.
    private func counterCount(_ steps: Int) throws(Failure) -> Int {
        guard steps >= 4 * Self.stepCounter else { return 0 }
        let statement = try prepare(
            "SELECT a FROM (SELECT 2 AS a UNION ALL SELECT 3 UNION ALL SELECT 1) ORDER BY -a",
            connection: connections[0]
        )
        for _ in 0..<3 {
            while sqlite.step(statement) == 100 {}
            sqlite.reset(statement)
        }
        let content = snapshot(statement)
        let isOrdered = (1...Self.firstCounters).allSatisfy { counter in
            let status = sqlite.status(statement, UInt64(counter))
            return content.u32(steps + 4 * (counter - Self.stepCounter))
                == UInt32(bitPattern: status)
        }
        // The statement sorts (2) and runs (6) three times.
        guard isOrdered, sqlite.status(statement, 2) == 3, sqlite.status(statement, 6) == 3 else {
            return 0
        }
        return sqlite.versionNumber() >= Self.filterVersion
            ? StatementLayout.counterLimit : Self.firstCounters
    }

    /// Returns the layout of values if it is the same for all numbers of parameters.
    private func values() throws(Failure) -> StatementLayout.ValueLayout? {
        var common: [StatementLayout.ValueLayout]?
        var contents: [(LittleEndian, parameters: UInt16)] = []
        for parameters in 3...8 {
            let list = (1...parameters).map { "?\($0)" }.joined(separator: ", ")
            // Vary the program's size to vary the memory after the values.
            let parts = Array(repeating: "SELECT \(list)", count: 1 + parameters % 3)
            let text = parts.joined(separator: " UNION ")
            // Without arguments of virtual tables, the pointer to these arguments equals the
            // pointer to the values (allocSpace in src/vdbeaux.c).
            let table = " FROM pragma_table_info('t')"
            var statement = sqlite.prepare(connections[0], sql: text + table).statement
            if statement == nil { statement = try prepare(text, connection: connections[0]) }
            guard let statement else { return nil }
            let found = values(statement)
            contents.append((snapshot(statement), UInt16(parameters)))
            common = common.map { $0.filter(found.contains) } ?? found
        }
        let seen = contents
        let count = stride(from: 8, to: StatementLayout.limit / 2, by: 2).first { offset in
            seen.allSatisfy { $0.0.u16(offset) == $0.parameters }
        }
        guard let count, common?.count == 1, var layout = common?.first else { return nil }
        layout.count = count
        return layout
    }

    /// Returns the possible layouts of a statement's values, with `count` set to 0.
    private func values(_ statement: UInt64) -> [StatementLayout.ValueLayout] {
        let integers: [UInt64] = [0x1122_3344_5566_7788, 0x0102_0304_0506_0708]
        let text = "calibrated-text"
        let copy = sqlite.host.store(Array(text.utf8) + [0])
        sqlite.bind(statement, 1, integers[0])
        sqlite.bind(statement, 2, integers[1])
        sqlite.bind(statement, 3, text: copy, count: text.utf8.count)
        let content = snapshot(statement)
        var found: [StatementLayout.ValueLayout] = []
        for array in stride(from: 0, to: content.count / 2, by: 8) {
            guard let address = content.u64(array), address > 4_096 else { continue }
            let values = sqlite.host.bytes(at: address, count: 512)
            guard values.u64(0) == integers[0] else { continue }
            for length in stride(from: 24, through: 128, by: 8)
            where values.u64(length) == integers[1] {
                let thirdOffset = 2 * length
                let isPointer = { (offset: Int) in
                    values.u64(thirdOffset + offset) == copy
                }
                guard let pointer = stride(from: 0, to: length, by: 8).first(where: isPointer),
                    let size = stride(from: 8, to: length, by: 4).first(where: {
                        values.u32(thirdOffset + $0) == UInt32(text.utf8.count)
                    }),
                    // MEM_Int is 4, and MEM_Str is 2.
                    let flags = stride(from: 8, to: length, by: 2).first(where: { offset in
                        [0, length].allSatisfy { (values.u16(offset + $0) ?? 0) & 0x3f == 4 }
                            && (values.u16(offset + thirdOffset) ?? 0) & 0x3f == 2
                    })
                else { continue }
                found.append(
                    StatementLayout.ValueLayout(
                        array: array,
                        count: 0,
                        stride: length,
                        flags: flags,
                        length: size,
                        pointer: pointer
                    )
                )
            }
        }
        return found
    }

    // MARK: Connections

    private func autocommit() throws(Failure) -> Int {
        var states: [(LittleEndian, UInt8)] = []
        for _ in 0..<4 {
            for connection in connections {
                for text in ["BEGIN", "SELECT 1", "SAVEPOINT s", "RELEASE s", "COMMIT", "SELECT 1"]
                {
                    let statement = try prepare(text, connection: connection)
                    _ = sqlite.step(statement)
                    sqlite.reset(statement)
                    states.append((snapshot(connection), UInt8(sqlite.autocommit(connection))))
                }
            }
        }
        let seen = states
        return try unique("autocommit state", step: 1) { offset in
            seen.allSatisfy { $0.0.u8(offset) == $0.1 }
        }
    }

    /// Returns the offsets of the pointers that lead from a connection to the name of its file.
    ///
    /// The pointers lead through the databases, the b-tree, the shared b-tree, and the pager.
    private func filePointers() throws(Failure) -> [Int] {
        let names = connections.map(sqlite.fileName)
        func follow(_ connection: UInt64, offsets: [Int]) -> UInt64? {
            offsets.reduce(connection) { address, offset in
                address.flatMap { sqlite.host.pointer(at: $0 &+ UInt64(offset)) }
            }
        }
        func search(_ offsets: [Int]) -> [Int]? {
            guard let last = follow(connections[0], offsets: offsets) else { return nil }
            if offsets.count == StatementLayout.filePointerCount - 1 {
                let pager = sqlite.host.bytes(at: last, count: 512)
                for offset in stride(from: 0, to: pager.count - 8, by: 8)
                where pager.u64(offset) == names[0] {
                    let all = offsets + [offset]
                    let isCommon = connections.indices.allSatisfy {
                        follow(connections[$0], offsets: all) == names[$0]
                    }
                    if isCommon { return all }
                }
                return nil
            }
            let limit = offsets.isEmpty ? 128 : 40
            for offset in stride(from: 0, to: limit, by: 8) {
                if let found = search(offsets + [offset]) { return found }
            }
            return nil
        }
        // First try the layout that all known versions share. Any other layout is valid if it
        // applies to all connections.
        for start in [[32, 8, 8, 0], []] {
            if let found = search(start), names[0] != 0 { return found }
        }
        throw Failure(reason: "the name of a connection's file was not found")
    }

    private func busyCalls() -> Int? {
        // The handler is never called.
        let handler: UInt64 = 0x5150_3000
        let arguments: [UInt64] = [0x5150_4010, 0x5150_5020, 0x5150_6030]
        for (connection, argument) in zip(connections, arguments) {
            sqlite.setBusyHandler(connection, handler: handler, argument: argument)
        }
        let contents = connections.map(snapshot)
        // The number of calls follows the function and its argument.
        return try? unique("busy handler", below: StatementLayout.limit - 8) { offset in
            contents.indices.allSatisfy {
                contents[$0].u64(offset) == handler
                    && contents[$0].u64(offset + 8) == arguments[$0]
            }
        } + 16
    }

    private func busyTimeout() -> Int? {
        let times: [Int32] = [1_234_567, 7_654_321, 2_345_671]
        for (connection, time) in zip(connections, times) {
            sqlite.setBusyTimeout(connection, milliseconds: time)
        }
        let contents = connections.map(snapshot)
        let found = stride(from: 0, to: StatementLayout.limit - 8, by: 4).filter { offset in
            contents.indices.allSatisfy { contents[$0].u32(offset) == UInt32(times[$0]) }
        }
        // With SQLITE_ENABLE_SETLK_TIMEOUT, the timeout of blocking locks follows and is equal.
        return found.count == 1 || found.count == 2 && found[1] == found[0] + 4 ? found[0] : nil
    }

    // MARK: Memory

    private func prepare(
        _ text: String,
        connection: UInt64
    ) throws(Failure) -> UInt64 {
        let (code, statement) = sqlite.prepare(connection, sql: text)
        guard code == 0, let statement else {
            throw Failure(
                reason: "sqlite3_prepare_v2 returned \(code) in the calibration process: \(text)"
            )
        }
        return statement
    }

    private func snapshot(_ structure: UInt64) -> LittleEndian {
        sqlite.host.bytes(at: structure, count: StatementLayout.limit)
    }

    private func word(_ structure: UInt64, at offset: Int) -> UInt64? {
        sqlite.host.bytes(at: structure &+ UInt64(offset), count: 8).u64(0)
    }

    /// Returns the only offset that satisfies a predicate.
    private func unique(
        _ field: String,
        step: Int = 8,
        below limit: Int = StatementLayout.limit / 2,
        where isFound: (Int) -> Bool
    ) throws(Failure) -> Int {
        let found = stride(from: 0, to: limit - 8, by: step).filter(isFound)
        guard found.count == 1, let offset = found.first else {
            throw Failure(
                reason: found.isEmpty
                    ? "the offset of the \(field) was not found"
                    : "the offset of the \(field) is ambiguous: \(found)"
            )
        }
        return offset
    }
}
#endif
