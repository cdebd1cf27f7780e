#if os(Linux)
import Findings
import Glibc

/// A search for the places of a connection's settings and statements.
///
/// The search changes one setting after another, differently on each connection, and keeps the only
/// place that follows all changes.
struct ConnectionSearch {
    private let sqlite: SQLiteFunctions
    private let statements: StatementLayout
    private let connections: [UInt64]
    private let path: String

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - sqlite: The functions to call.
    ///   - statements: The layout of statements.
    ///   - connections: All connections of the library to the file, which only reads it.
    ///   - path: The path of the file, which is empty.
    init(
        _ sqlite: SQLiteFunctions,
        _ statements: StatementLayout,
        connections: [UInt64],
        path: String
    ) {
        self.sqlite = sqlite
        self.statements = statements
        self.connections = connections
        self.path = path
    }

    func layout() -> ConnectionLayout {
        for connection in connections { sqlite.setBusyTimeout(connection, milliseconds: 0) }
        var layout = ConnectionLayout()
        searchStatements(&layout)
        searchConnection(&layout)
        searchPager(&layout)
        searchCache(&layout)
        searchFile(&layout)
        // These open further connections.
        searchOpenings(&layout)
        layout[.withoutThreads] = isCompiled(with: "THREADSAFE=0")
        layout[.withoutSharedCache] = isCompiled(with: "OMIT_SHARED_CACHE")
        layout[.withoutMapping] = isCompiled(with: "MAX_MMAP_SIZE=0")
        return layout
    }

    // MARK: Statements

    /// Searches for the list of a connection's statements, which starts with the last one.
    private func searchStatements(_ layout: inout ConnectionLayout) {
        var lists: [[UInt64]] = []
        var heads: [LittleEndian] = []
        for round in 0..<2 {
            for connection in connections {
                let statements = (0..<3).compactMap { number in
                    sqlite.prepare(connection, sql: "SELECT \(10 * round + number)").statement
                }
                guard statements.count == 3 else { return }
                lists.append(statements)
                heads.append(sqlite.host.bytes(at: connection, count: StatementLayout.limit / 2))
            }
        }
        layout[.statements] = only(stride(from: 0, to: StatementLayout.limit / 2, by: 8)) {
            offset in
            zip(heads, lists).allSatisfy { $0.u64(offset) == $1[2] }
        }
        layout[.nextStatement] = only(stride(from: 0, to: StatementLayout.limit / 2, by: 8)) {
            offset in
            lists.allSatisfy { statements in
                word(statements[2] &+ UInt64(offset)) == statements[1]
                    && word(statements[1] &+ UInt64(offset)) == statements[0]
            }
        }
    }

    // MARK: Settings

    private func searchConnection(_ layout: inout ConnectionLayout) {
        layout[.foreignKeys] = switched("foreign_keys", in: connections, width: .bit)
        layout[.queryOnly] = switched("query_only", in: connections, width: .bit)
        let pages: [UInt64] = [1_013, 2_017, 3_019, 0]
        let argument = place(
            .long,
            in: connections,
            states: pages.map { (pragma("wal_autocheckpoint", value: "\($0)"), $0) }
        )
        guard let argument, argument >= 8 else { return }
        layout[.walArgument] = argument
        let hooks = connections.map { connection in
            pragma("wal_autocheckpoint", value: "1019")(connection)
            return sqlite.host.pointer(at: connection &+ UInt64(argument - 8))
        }
        for connection in connections { pragma("wal_autocheckpoint", value: "0")(connection) }
        let isRemoved = connections.allSatisfy {
            sqlite.host.pointer(at: $0 &+ UInt64(argument - 8)) == nil
        }
        guard isRemoved, Set(hooks).count == 1, let hook = hooks[0] else { return }
        layout[.walHook] = sqlite.fileOffset(of: hook).flatMap { Int(exactly: $0) }
    }

    private func searchPager(_ layout: inout ConnectionLayout) {
        let pagers = connections.compactMap(pager)
        guard pagers.count == connections.count else { return }
        layout[.journalMode] = place(
            .byte,
            in: pagers,
            states: ConnectionSettings.JournalMode.allCases.enumerated().reversed()
                // An empty file has no log.
                .filter { $0.element != .wal }
                .map { (pragma("journal_mode", value: $0.element.rawValue), UInt64($0.offset)) }
        )
        layout[.exclusive] = switched(
            "locking_mode",
            in: pagers,
            width: .byte,
            values: ["EXCLUSIVE", "NORMAL"]
        )
        let levels = ["EXTRA", "OFF", "NORMAL", "FULL"]
        func level(_ values: [UInt64]) -> Int? {
            place(
                .byte,
                in: pagers,
                states: zip(levels, values).map { (pragma("synchronous", value: $0), $1) }
            )
        }
        layout[.noSync] = level([0, 1, 0, 0])
        layout[.fullSync] = level([1, 0, 0, 1])
        layout[.extraSync] = level([1, 0, 0, 0])
    }

    private func searchCache(_ layout: inout ConnectionLayout) {
        let sizes: [Int32] = [-7_919, 5_003, -4_001, 6_007]
        let changes = sizes.map {
            (pragma("cache_size", value: "\($0)"), UInt64(UInt32(bitPattern: $0)))
        }
        let pagers = connections.compactMap(pager)
        let entries = connections.compactMap { follow($0, count: 1) }
        guard pagers.count == connections.count, entries.count == connections.count else { return }
        if let cache = pointedPlace(.word, in: pagers, states: changes) {
            layout[.cache] = cache.pointer
            layout[.cacheSize] = cache.offset
        }
        // An entry contains its name, the b-tree, and the schema.
        if let schema = pointedPlace(.word, in: entries, count: 40, states: changes) {
            layout[.schema] = schema.pointer
            layout[.schemaCacheSize] = schema.offset
        }
    }

    private func searchFile(_ layout: inout ConnectionLayout) {
        let pagers = connections.compactMap(pager)
        guard pagers.count == connections.count else { return }
        let sizes: [UInt64] = [0x13_0000, 0, 0x27_0000, 0x31_0000]
        let found = pointedPlace(
            .long,
            in: pagers,
            states: sizes.map { (pragma("mmap_size", value: "\($0)"), $0) }
        )
        guard let found else { return }
        let files = pagers.compactMap { sqlite.host.pointer(at: $0 &+ UInt64(found.pointer)) }
        guard files.count == connections.count else { return }
        // The connection starts with the pointer to the same virtual file system.
        let systems = connections.map { sqlite.host.pointer(at: $0) }
        layout[.fileSystem] = stride(from: 0, to: 64, by: 8).first { offset in
            zip(files, systems).allSatisfy { file, system in
                system != nil && sqlite.host.pointer(at: file &+ UInt64(offset)) == system
            }
        }
        guard layout[.fileSystem] != nil else { return }
        layout[.file] = found.pointer
        // The limit of the library applies to the file, not to what the connection requested.
        for connection in connections { pragma("mmap_size", value: "\(Int64.max / 2)")(connection) }
        let isLimited = files.allSatisfy {
            let size = word($0 &+ UInt64(found.offset)) ?? 0
            return size > 0x31_0000 && size < UInt64(Int64.max / 2)
        }
        for connection in connections { pragma("mmap_size", value: "0")(connection) }
        if isLimited { layout[.mappingLimit] = found.offset }
        layout[.inode] = inode(of: files)
    }

    /// Returns the offset of the pointer to the structure that starts with the file's device and
    /// inode.
    private func inode(of files: [UInt64]) -> Int? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        let identity = [UInt64(information.st_dev), UInt64(information.st_ino)]
        return stride(from: 0, to: 64, by: 8).first { offset in
            files.allSatisfy { file in
                guard let inode = sqlite.host.pointer(at: file &+ UInt64(offset)) else {
                    return false
                }
                return [word(inode), word(inode &+ 8)] == identity
            }
        }
    }

    // MARK: Openings

    /// The flags of `sqlite3_open_v2`.
    private enum Opening {
        static let reads: UInt64 = 1
        static let writes: UInt64 = 2
        static let unlocked: UInt64 = 0x8000
        static let locked: UInt64 = 0x1_0000
        static let shared: UInt64 = 0x2_0000
        static let separate: UInt64 = 0x4_0000
    }

    /// Searches for the settings that only opening a connection determines.
    private func searchOpenings(_ layout: inout ConnectionLayout) {
        func open(_ flags: UInt64) -> UInt64? { sqlite.open(path, flags: flags) }
        /// Opens connections, of which some read the schema and some do not.
        func openSeveral(_ flags: UInt64) -> [UInt64] {
            (0..<4).compactMap { number in
                guard let connection = open(flags) else { return nil }
                for _ in 0..<(number % 3) { pragma("cache_size", value: "-7")(connection) }
                return connection
            }
        }
        layout[.owner] = only(stride(from: 0, to: 64, by: 8)) { offset in
            connections.allSatisfy { connection in
                btree(connection).map { word($0 &+ UInt64(offset)) == connection } ?? false
            }
        }
        let pagers = connections.compactMap(pager)
        if let file = layout[.file], let inode = layout[.inode], let first = pagers.first,
            let shared = follow(first, through: [file, inode])
        {
            var counts: [(LittleEndian, UInt32)] = []
            for number in connections.count..<(connections.count + 3) {
                if number > connections.count, open(Opening.reads | Opening.separate) == nil {
                    return
                }
                counts.append((sqlite.host.bytes(at: shared, count: 128), UInt32(number)))
            }
            layout[.openFiles] = only(stride(from: 16, to: 120, by: 4)) { offset in
                counts.allSatisfy { $0.0.u32(offset) == $0.1 }
            }
            // The mutex follows the device and the inode, since SQLite 3.27.
            if let mutex = sqlite.host.pointer(at: shared &+ 16), mutex > 1 << 16,
                word(mutex) != nil
            {
                layout[.inodeMutex] = 16
            }
        }
        let locked = openSeveral(Opening.reads | Opening.locked)
        let unlocked = openSeveral(Opening.reads | Opening.unlocked)
        layout[.mutex] = only(stride(from: 8, to: 256, by: 8)) { offset in
            !locked.isEmpty && !unlocked.isEmpty
                && locked.allSatisfy { (word($0 &+ UInt64(offset)) ?? 0) > 1 << 16 }
                && unlocked.allSatisfy { word($0 &+ UInt64(offset)) == 0 }
        }
        layout[.sharable] = switched(
            openSeveral(Opening.reads | Opening.shared).compactMap(btree),
            clear: openSeveral(Opening.reads | Opening.separate).compactMap(btree),
            count: 64
        )
        let writing = openSeveral(Opening.writes | Opening.separate).compactMap(pager)
        layout[.readOnly] = switched(pagers, clear: writing, count: 128)
    }

    /// Returns the offset of the byte that is 1 in some structures and 0 in others.
    private func switched(_ set: [UInt64], clear: [UInt64], count: Int) -> Int? {
        guard set.count > 1, clear.count > 1 else { return nil }
        let set = set.map { sqlite.host.bytes(at: $0, count: count) }
        let clear = clear.map { sqlite.host.bytes(at: $0, count: count) }
        return only(stride(from: 0, to: count, by: 1)) { offset in
            set.allSatisfy { $0.u8(offset) == 1 } && clear.allSatisfy { $0.u8(offset) == 0 }
        }
    }

    /// Returns 1 or 0, or `nil` if the library does not know its options.
    private func isCompiled(with option: String) -> Int? {
        // The function fails with the code in its argument.
        let text = "SELECT poolgauge_fail(100 + sqlite_compileoption_used('\(option)'))"
        guard let statement = sqlite.prepare(connections[0], sql: text).statement else {
            return nil
        }
        _ = sqlite.step(statement)
        defer { sqlite.reset(statement) }
        return word(statement &+ UInt64(statements.resultCode), width: .word)
            .flatMap { [100: 0, 101: 1][$0] }
    }

    // MARK: Changes

    private typealias State = (change: (_ connection: UInt64) -> Void, value: UInt64)

    private enum Width: Int {
        case bit = 0
        case byte = 1
        case word = 4
        case long = 8
    }

    /// Returns a change of a setting, which fails silently.
    private func pragma(_ name: String, value: String) -> (UInt64) -> Void {
        { connection in
            let text = "PRAGMA \(name) = \(value)"
            guard let statement = sqlite.prepare(connection, sql: text).statement else { return }
            // A pragma returns one row at most.
            for _ in 0..<2 where sqlite.step(statement) == 100 {}
            sqlite.reset(statement)
        }
    }

    /// Returns the offset of a bit or byte that is 1 only while a setting is on.
    private func switched(
        _ name: String,
        in structures: [UInt64],
        width: Width,
        values: [String] = ["ON", "OFF"]
    ) -> Int? {
        let (on, off): (State, State) = (
            (pragma(name, value: values[0]), 1), (pragma(name, value: values[1]), 0)
        )
        return place(width, in: structures, states: [on, off, on, on, off, on, off, off])
    }

    /// Returns the only offset that follows a setting in structures, one for each connection.
    private func place(_ width: Width, in structures: [UInt64], states: [State]) -> Int? {
        let found = places(width, states: states) { index in
            [0: sqlite.host.bytes(at: structures[index], count: StatementLayout.limit / 2)]
        }
        return found.count == 1 ? found.first?.offset : nil
    }

    /// Returns the offset of a pointer, and the offset from its target, that follow a setting.
    private func pointedPlace(
        _ width: Width,
        in structures: [UInt64],
        count: Int = 320,
        states: [State]
    ) -> Place? {
        let found = places(width, states: states) { index in
            let structure = sqlite.host.bytes(at: structures[index], count: count)
            var targets: [Int: LittleEndian] = [:]
            for pointer in stride(from: 0, to: structure.count, by: 8) {
                guard let target = structure.u64(pointer), target > 1 << 16, target < 1 << 47,
                    target % 8 == 0
                else { continue }
                targets[pointer] = sqlite.host.bytes(at: target, count: 256)
            }
            return targets
        }
        guard let nearest = found.min(by: { ($0.offset, $0.pointer) < ($1.offset, $1.pointer) })
        else { return nil }
        // Other pointers may refer to a place before the same target.
        let isOnePlace = structures.allSatisfy { structure in
            func address(_ place: Place) -> UInt64? {
                sqlite.host.pointer(at: structure &+ UInt64(place.pointer))
                    .map { $0 &+ UInt64(place.offset) }
            }
            return found.allSatisfy { address($0) == address(nearest) }
        }
        return isOnePlace ? nearest : nil
    }

    private struct Place: Hashable {
        /// The offset of the pointer to the structure, or 0 if there is none.
        var pointer: Int
        /// The offset in the structure, in bytes, or in bits.
        var offset: Int
    }

    /// Returns the places that follow a setting on all connections, each of which is in another
    /// state.
    private func places(
        _ width: Width,
        states: [State],
        _ structures: (_ connection: Int) -> [Int: LittleEndian]
    ) -> Set<Place> {
        var found: Set<Place>?
        for turn in states.indices {
            let current = connections.indices.map { states[(turn + $0) % states.count] }
            for (connection, state) in zip(connections, current) { state.change(connection) }
            for (index, state) in current.enumerated() {
                let matching = structures(index).flatMap { pointer, bytes in
                    Self.offsets(of: state.value, width, in: bytes)
                        .map { Place(pointer: pointer, offset: $0) }
                }
                found = found.map { $0.intersection(matching) } ?? Set(matching)
            }
        }
        for connection in connections { states.last?.change(connection) }
        return found ?? []
    }

    private static func offsets(
        of value: UInt64,
        _ width: Width,
        in bytes: LittleEndian
    ) -> [Int] {
        switch width {
        case .bit:
            (0..<(8 * bytes.count)).filter {
                UInt64((bytes.u8($0 / 8) ?? 0) >> ($0 % 8) & 1) == value
            }
        case .byte: bytes.bytes.indices.filter { UInt64(bytes.bytes[$0]) == value }
        case .word:
            stride(from: 0, to: bytes.count - 3, by: 4).filter {
                bytes.u32($0).map(UInt64.init) == value
            }
        case .long: stride(from: 0, to: bytes.count - 7, by: 8).filter { bytes.u64($0) == value }
        }
    }

    // MARK: Memory

    private func only<Offsets: Sequence<Int>>(
        _ offsets: Offsets,
        where isFound: (Int) -> Bool
    ) -> Int? {
        let found = offsets.filter(isFound)
        return found.count == 1 ? found.first : nil
    }

    /// Follows the first pointers from a connection to its file's name.
    private func follow(_ connection: UInt64, count: Int) -> UInt64? {
        follow(connection, through: Array(statements.filePointers.prefix(count)))
    }

    private func follow(_ address: UInt64, through offsets: [Int]) -> UInt64? {
        offsets.reduce(address) { address, offset in
            address.flatMap { sqlite.host.pointer(at: $0 &+ UInt64(offset)) }
        }
    }

    private func btree(_ connection: UInt64) -> UInt64? { follow(connection, count: 2) }
    private func pager(_ connection: UInt64) -> UInt64? { follow(connection, count: 4) }

    private func word(_ address: UInt64, width: Width = .long) -> UInt64? {
        let bytes = sqlite.host.bytes(at: address, count: 8)
        return width == .long ? bytes.u64(0) : bytes.u32(0).map(UInt64.init)
    }
}
#endif
