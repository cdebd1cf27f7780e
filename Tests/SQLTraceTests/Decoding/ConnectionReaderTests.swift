import Findings
import TestSupport
import Testing

@testable import SQLTrace

/// Reading the settings of connections from memory that may be damaged or malicious.
struct ConnectionReaderTests {
    /// Memory with a connection in it.
    private final class Memory: ProcessMemory {
        static let connection: UInt64 = 0x1_0000
        static let size = 0x1_0000

        private var content = [UInt8](repeating: 0, count: size)
        /// The reads until the memory changes.
        var readsUntilChange = Int.max
        var change: (Memory) -> Void = { _ in }

        func bytes(ofProcess process: Int32, at address: UInt64, count: Int) -> LittleEndian {
            readsUntilChange -= 1
            if readsUntilChange == 0 { change(self) }
            guard address >= Self.connection, address < Self.connection + UInt64(Self.size) else {
                return LittleEndian([])
            }
            let start = Int(address - Self.connection)
            return LittleEndian(Array(content[start..<min(start + count, Self.size)]))
        }

        func process(ofThread thread: Int32) -> Int32? { thread }
        func forget(_ process: Int32) {}

        func set(_ offset: Int, _ value: UInt64, bytes count: Int = 8) {
            withUnsafeBytes(of: value.littleEndian) { bytes in
                for index in 0..<count { content[offset + index] = bytes[index] }
            }
        }

        func flip(_ offset: Int, _ mask: UInt8) { content[offset] ^= mask }
    }

    private static let path = "/srv/app.db"

    private static let layout: StatementLayout = {
        var layout = StatementLayout(
            sql: 56,
            connection: 0,
            programCounter: 48,
            resultCode: 52,
            steps: 72,
            autocommit: 0,
            filePointers: [32, 8, 8, 0, 24],
            busyCalls: 64,
            busyTimeout: 72
        )
        let places: [(ConnectionLayout.Field, Int)] = [
            (.statements, 112), (.nextStatement, 16), (.mutex, 80), (.foreignKeys, 8 * 88 + 3),
            (.queryOnly, 8 * 89), (.walArgument, 104),
            (.walHook, 0x500), (.schema, 24), (.schemaCacheSize, 16), (.owner, 0), (.sharable, 17),
            (.journalMode, 8), (.exclusive, 9), (.noSync, 10), (.fullSync, 11), (.extraSync, 12),
            (.readOnly, 13), (.cache, 32), (.file, 40), (.cacheSize, 8), (.fileSystem, 8),
            (.mappingLimit, 24), (.inode, 16), (.openFiles, 24), (.inodeMutex, 16),
        ]
        for (field, place) in places { layout.settings[field] = place }
        return layout
    }()

    private static let code = ProcessMaps.Mapping(
        range: 0x7000_0000..<0x7001_0000,
        offset: 0x400,
        file: "1 2",
        path: "/lib"
    )

    /// A connection with a timeout of 5 s, in WAL mode, and so on.
    private static func memory() -> Memory {
        let memory = Memory()
        let base = Memory.connection
        func address(_ offset: Int) -> UInt64 { base + UInt64(offset) }
        // The connection: its file system, databases, busy handler, flags, and hook.
        memory.set(0, 0x9999_9999)
        memory.set(32, address(0x400))
        memory.set(48, 0x1234_5678)
        memory.set(56, base)
        memory.set(72, 5_000, bytes: 4)
        memory.set(80, 0x7777_7777)
        memory.set(88, 0b1000, bytes: 1)
        memory.set(96, 0x7000_0100)
        memory.set(104, 1_000)
        // The database, the b-tree, the shared b-tree, and the pager.
        memory.set(0x408, address(0x500))
        memory.set(0x418, address(0xa00))
        memory.set(0x500, base)
        memory.set(0x508, address(0x600))
        memory.set(0x600, address(0x700))
        memory.set(0x708, 5, bytes: 1)
        memory.set(0x70b, 1, bytes: 1)
        memory.set(0x718, address(0x900))
        memory.set(0x720, address(0xb00))
        memory.set(0x728, address(0xc00))
        for (index, byte) in path.utf8.enumerated() {
            memory.set(0x900 + index, UInt64(byte), bytes: 1)
        }
        // The schema and the cache.
        memory.set(0xa10, UInt64(UInt32(bitPattern: -2_000)), bytes: 4)
        memory.set(0xb08, UInt64(UInt32(bitPattern: -2_000)), bytes: 4)
        // The file and its inode.
        memory.set(0xc08, 0x9999_9999)
        memory.set(0xc10, address(0xd00))
        memory.set(0xc18, 65_536)
        memory.set(0xd18, 3, bytes: 4)
        return memory
    }

    private func read(_ memory: Memory, path: String = path) -> ConnectionReader.Outcome {
        ConnectionReader(memory: memory, process: 1, layout: Self.layout, code: Self.code)
            .settings(of: Memory.connection, path: path)
    }

    private func settings(_ change: (Memory) -> Void = { _ in }) -> ConnectionSettings? {
        let memory = Self.memory()
        change(memory)
        guard case .read(let settings, _) = read(memory) else { return nil }
        return settings
    }

    @Test func allSettingsAreRead() {
        var expected = ConnectionSettings()
        expected.busyTimeoutMilliseconds = 5_000
        expected.hasOwnBusyHandler = false
        expected.synchronous = .full
        expected.journalMode = .wal
        expected.cacheSize = -2_000
        expected.mmapBytes = 65_536
        expected.autocheckpointFrames = 1_000
        expected.hasOwnCommitHook = false
        expected.foreignKeys = true
        expected.keepsLocks = false
        expected.sharesCache = false
        expected.isReadOnly = false
        expected.isQueryOnly = false
        expected.threading = .serialized
        #expect(read(Self.memory()) == .read(expected, openFiles: 3))
    }

    @Test func handlersAndHooksOfTheProgramAreRecognized() {
        #expect(settings { $0.set(48, 0) }?.busyTimeoutMilliseconds == 0)
        let own = settings { $0.set(72, 0, bytes: 4) }
        #expect(own?.hasOwnBusyHandler == true && own?.busyTimeoutMilliseconds == nil)
        // A hook outside the library, and another function of the library.
        for hook: UInt64 in [0x6000_0100, 0x7000_0108] {
            let own = settings { $0.set(96, hook) }
            #expect(own?.hasOwnCommitHook == true && own?.autocheckpointFrames == nil)
        }
        #expect(settings { $0.set(96, 0) }?.autocheckpointFrames == 0)
    }

    @Test func withoutMutexesTheInodeTellsWhetherThreadsMayUseSQLite() {
        #expect(settings { $0.set(80, 0) }?.threading == .singleThread)
        let threads = settings {
            $0.set(80, 0)
            $0.set(0xd10, 0x5555_5555)
        }
        #expect(threads?.threading == .multiThread)
    }

    @Test func implausibleValuesAreUnknown() {
        #expect(settings { $0.set(0x708, 6, bytes: 1) }?.journalMode == nil)
        #expect(settings { $0.set(0x70a, 2, bytes: 1) }?.synchronous == nil)
        #expect(settings { $0.set(72, .max, bytes: 4) }?.hasOwnBusyHandler == nil)
        // The schema is not read yet.
        #expect(settings { $0.set(0xa10, 0, bytes: 4) }?.cacheSize == nil)
        #expect(settings { $0.set(104, .max) }?.autocheckpointFrames == nil)
        // Another virtual file system has another type of file.
        let other = settings { $0.set(0xc08, 0x8888_8888) }
        #expect(other != nil && other?.mmapBytes == nil)
    }

    // MARK: Statements

    /// Memory with a connection and statements, the last one first, each with its program counter.
    private static func memory(statements counters: [Int32]) -> Memory {
        let memory = Self.memory()
        let base = Memory.connection
        for (number, counter) in counters.enumerated() {
            let place = 0x2000 + 0x100 * number
            if number == 0 { memory.set(112, base + UInt64(place)) }
            memory.set(place, base)
            memory.set(
                place + 16,
                number + 1 < counters.count ? base + UInt64(place) + 0x100 : 0
            )
            memory.set(place + 48, UInt64(UInt32(bitPattern: counter)), bytes: 4)
            memory.set(place + 56, base + 0x3000)
            memory.set(place + 80, 7, bytes: 4)
        }
        return memory
    }

    private static func reader(_ memory: Memory) -> ConnectionReader {
        ConnectionReader(memory: memory, process: 1, layout: layout, code: code)
    }

    private static func firstSteps(_ memory: Memory) -> [UInt64] {
        reader(memory).firstSteps(of: Memory.connection).map { $0.statement - Memory.connection }
    }

    /// Returns the statements that a search from words on a stack finds.
    private static func search(_ memory: Memory, _ words: [UInt64]) -> [UInt64] {
        var bytes: [UInt8] = []
        for word in words {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        let end = Memory.connection + UInt64(Memory.size)
        return StackSearch(
            [(address: 0x7fff_0000, content: LittleEndian(bytes))],
            data: [0x100..<0x200, Memory.connection..<end, (end + 0x1000)..<(end + 0x2000)]
        )
        .statements(reader(memory))
        .map { $0.step.statement - Memory.connection }
    }

    @Test func statementsInTheirFirstStepAreFound() {
        #expect(Self.firstSteps(Self.memory(statements: [-1, 0, 12, 0])) == [0x2100, 0x2300])
        let failed = Self.memory(statements: [0, 0])
        failed.set(0x2034, 9, bytes: 4)
        #expect(Self.firstSteps(failed) == [0x2100])
        #expect(Self.firstSteps(Self.memory()) == [])
    }

    @Test func aDamagedListOfStatementsHasAnEnd() {
        let endless = Self.memory(statements: [-1, 0])
        endless.set(0x2110, Memory.connection + 0x2000)
        #expect(Set(Self.firstSteps(endless)) == [0x2100])
        let foreign = Self.memory(statements: [-1, -1, 0])
        foreign.set(0x2100, Memory.connection + 8)
        #expect(Self.firstSteps(foreign) == [])
    }

    @Test func stacksLeadToTheOutermostStatement() {
        let base = Memory.connection
        let memory = Self.memory(statements: [0, -1, 0])
        // The connection alone does not tell which statement contains the other one.
        #expect(Self.search(memory, [base]) == [])
        #expect(Self.search(memory, [base + 0x2000, 1, base + 0x2200]) == [0x2200])
        #expect(Self.search(memory, [base + 0x2200, 0, base + 0x2000]) == [0x2000])
        // Another structure of the connection, such as its b-tree, is sufficient for one statement.
        let single = Self.memory(statements: [-1, 0])
        #expect(Self.search(single, [base + 0x500]) == [0x2100])
        #expect(Self.search(single, [base + 0x504, 0x150, .max]) == [])
        single.set(0x500, base + 8)
        #expect(Self.search(single, [base, base + 0x2100]) == [])
    }

    @Test func aStepEndsWithItsStatement() throws {
        let memory = Self.memory(statements: [0])
        let reader = Self.reader(memory)
        let step = try #require(reader.firstSteps(of: Memory.connection).first)
        #expect(reader.isOpen(step))
        memory.set(0x2030, 5, bytes: 4)
        #expect(reader.firstStep(of: step.statement, step.connection) == nil)
        #expect(reader.isOpen(step))
        memory.set(0x2030, UInt64(UInt32.max), bytes: 4)
        #expect(!reader.isOpen(step))
        memory.set(0x2030, 0, bytes: 4)
        memory.set(0x2050, 8, bytes: 4)
        #expect(reader.firstStep(of: step.statement, step.connection) != step)
        #expect(!reader.isOpen(step))
    }

    @Test func anotherStructureIsNoConnection() {
        let memory = Self.memory()
        memory.set(0x500, Memory.connection + 8)
        #expect(read(memory) == .noConnection)
        #expect(read(Self.memory(), path: "/srv/other.db") == .noConnection)
    }

    @Test func aConnectionThatIsClosedMeanwhileIsNotRead() {
        let reads = 8...30
        let outcomes = reads.map { count in
            let memory = Self.memory()
            memory.readsUntilChange = count
            memory.change = { $0.set(0x500, 0) }
            return read(memory)
        }
        #expect(outcomes.contains(.noConnection))
        #expect(outcomes.prefix(8).allSatisfy { $0 == .noConnection })
    }

    @Test func withoutALayoutNothingIsRead() {
        var layout = Self.layout
        layout.settings = ConnectionLayout()
        let reader = ConnectionReader(
            memory: Self.memory(),
            process: 1,
            layout: layout,
            code: Self.code
        )
        #expect(reader.settings(of: Memory.connection, path: Self.path) == .unknown)
    }

    @Test func damagedMemoryIsReadWithoutACrash() {
        var random = SeededRandom(seed: 38)
        var plausible = 0
        for _ in 0..<3_000 {
            let memory = Self.memory()
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                memory.flip(
                    Int.random(in: 0..<0xd80, using: &random),
                    1 << UInt8.random(in: 0..<8, using: &random)
                )
            }
            guard case .read(let settings, let files) = read(memory) else { continue }
            plausible += 1
            #expect(files.map { $0 > 0 } ?? true)
            #expect((settings.busyTimeoutMilliseconds ?? 0) >= 0)
            #expect((settings.autocheckpointFrames ?? 0) >= 0)
        }
        #expect(plausible > 100)
    }

    @Test func theLayoutIsReadFromUntrustedText() throws {
        var layout = Self.layout
        layout.version = "3.46.1"
        layout.sourceID = "2024-08-13 09:16:08 c9c2ab54"
        layout.counterCount = 8
        #expect(StatementLayout(text: layout.text) == layout)
        let text = layout.text
        #expect(StatementLayout(text: text + "version=\u{1b}[2J\n") == nil)
        #expect(StatementLayout(text: text + "owner=8\n") == nil)
        let far = try #require(
            StatementLayout(text: text.replacing("\nowner=0\n", with: "\nowner=99999\n"))
        )
        #expect(far.settings[.owner] == nil && far.settings[.walHook] == 0x500)
    }
}
