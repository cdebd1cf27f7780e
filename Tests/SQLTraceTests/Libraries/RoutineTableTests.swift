#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLTrace

@Suite(.timeLimit(.minutes(2)))
struct RoutineTableTests {
    private static let library = [
        "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "/usr/lib/aarch64-linux-gnu/libsqlite3.so.0",
        "/usr/lib64/libsqlite3.so.0", "/usr/lib/libsqlite3.so.0",
    ].first { FileManager.default.isReadableFile(atPath: $0) }

    private static func tables(_ bytes: [UInt8]) throws -> [RoutineTable] {
        let reader = FileBytes(bytes)
        return RoutineTable.find(
            in: try #require(ELFFile(reader) { _ in true }),
            reader
        )
    }

    private static func content(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test(.enabled(if: library != nil, "no shared SQLite is installed"))
    func theTableAndTheSymbolsAgree() throws {
        let bytes = FileBytes(try Self.content(try #require(Self.library)))
        let file = try #require(ELFFile(bytes) { _ in true })
        let tables = RoutineTable.find(in: file, bytes)
        #expect(tables.count == 1)
        let table = try #require(tables.first)
        for name in RoutineTable.slots.keys {
            let symbol = try #require(file.functions[name])
            #expect(table.functions[name]?.address == symbol.address, "\(name)")
            #expect(table.functions[name]?.fileOffset == symbol.fileOffset, "\(name)")
        }
    }

    @Test(
        .enabled(if: LinkedProgram.isAvailable, "no static SQLite is installed"),
        arguments: [
            (LinkedProgram.Kind.relocatable, LinkedProgram.Kind.strippedRelocatable),
            (.fixed, .strippedFixed),
        ]
    )
    func strippingRemovesNoFunctions(
        kind: LinkedProgram.Kind,
        stripped: LinkedProgram.Kind
    ) throws {
        let folder = TemporaryFolder()
        func functions(_ kind: LinkedProgram.Kind) throws -> [String: UInt64] {
            let path = folder.file(kind.rawValue)
            try LinkedProgram.compile(kind, to: path)
            let bytes = FileBytes(try Self.content(path))
            let names = Set(RoutineTable.slots.keys)
            var file = try #require(ELFFile(bytes, isIncluded: names.contains))
            #expect(file.functions.isEmpty == (kind == stripped))
            #expect(file.isProgram)
            #expect(file.isFixed == (stripped == .strippedFixed))
            let isComplete = file.addFunctions(names, from: bytes)
            #expect(isComplete)
            return file.functions.mapValues(\.address)
        }
        let symbols = try functions(kind)
        #expect(symbols.count == RoutineTable.slots.count)
        #expect(try functions(stripped) == symbols)
    }

    @Test(arguments: SmallProgram.Pointers.allCases)
    func aTableIsFoundThroughPointersOfEachKind(pointers: SmallProgram.Pointers) throws {
        let program = SmallProgram(pointers)
        let table = try #require(try Self.tables(program.bytes).first)
        #expect(table.address == program.table)
        #expect(table.version == "3.46.1")
        #expect(table.functions["sqlite3_step"]?.address == program.functions + 94)
        #expect(table.functions["sqlite3_step"]?.fileOffset == 0x120 + 94)
        #expect(table.functions.count == RoutineTable.slots.count)
    }

    @Test(arguments: SmallProgram.Pointers.allCases)
    func placesThatOnlyResembleATableAreRejected(pointers: SmallProgram.Pointers) throws {
        for program in [
            SmallProgram(pointers, version: "3.46.2"), SmallProgram(pointers, version: "3.46"),
            SmallProgram(pointers, version: "a text that is longer"),
            SmallProgram(pointers, number: 3_000_000), SmallProgram(pointers, missing: 94..<135),
        ] {
            #expect(try Self.tables(program.bytes) == [])
        }
        let few = SmallProgram(pointers, missing: 94..<134)
        #expect(try Self.tables(few.bytes).first?.functions["sqlite3_step"] == nil)
        #expect(try Self.tables(few.bytes).first?.functions["sqlite3_reset"] != nil)
    }

    @Test func copiesWithoutATableHaveAVersion() throws {
        func copy(_ bytes: [UInt8]) throws -> HiddenCopy? {
            let reader = FileBytes(bytes)
            return HiddenCopy(in: try #require(ELFFile(reader) { _ in true }), reader)
        }
        var program = SmallProgram(.fixed, missing: 0..<215)
        #expect(try copy(program.bytes) == nil)
        let text = Array("SQLite format 3".utf8)
        program.bytes.replaceSubrange(0x240..<(0x240 + text.count), with: text)
        #expect(try copy(program.bytes) == HiddenCopy(isGo: false, version: "3.46.1"))
        var other = SmallProgram(.fixed, number: 1, missing: 0..<215)
        other.bytes.replaceSubrange(0x240..<(0x240 + text.count), with: text)
        #expect(try copy(other.bytes) == HiddenCopy(isGo: false, version: nil))
        #expect(HiddenCopy(isGo: true, version: "3.46.1").reason.contains("3.46.1 to Go"))
    }

    /// Return probes in a Go program would end it.
    @Test func aGoProgramWithoutSectionsIsRecognized() throws {
        var bytes = SmallProgram(.fixed).bytes
        #expect(try #require(ELFFile(FileBytes(bytes)) { _ in true }).isGo == false)
        bytes.replaceSubrange(0x228..<0x236, with: [0xff] + Array(" Go buildinf:".utf8))
        #expect(try #require(ELFFile(FileBytes(bytes)) { _ in true }).isGo)
    }

    /// Each extreme value in each field, truncated files, and random changes.
    @Test(arguments: SmallProgram.Pointers.allCases)
    func hostileFilesEndTheSearch(pointers: SmallProgram.Pointers) throws {
        let content = SmallProgram(pointers).bytes
        func search(_ bytes: [UInt8]) {
            let reader = FileBytes(bytes)
            guard let file = ELFFile(reader, isIncluded: { _ in true }) else { return }
            for table in RoutineTable.find(in: file, reader) {
                for function in table.functions.values {
                    #expect(file.function(at: function.address)?.fileOffset == function.fileOffset)
                }
            }
            _ = LoadableCopy(file: file, bytes: reader).changes { _ in false }
        }
        for length in stride(from: 0, to: content.count, by: 17) {
            search(Array(content[..<length]))
        }
        let values: [UInt64] = [
            0, 1, 7, 0xffff, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 48) - 1, 1 << 63, .max - 7,
            .max,
        ]
        for place in Array(0..<232)
            + Array(stride(from: 0x900, to: min(0x9a0, content.count - 8), by: 4))
        {
            for value in values {
                for size in [2, 8] {
                    var bytes = content
                    let part = withUnsafeBytes(of: value.littleEndian) { $0.prefix(size) }
                    bytes.replaceSubrange(place..<(place + size), with: part)
                    search(bytes)
                }
            }
        }
        var random = SeededRandom(seed: 38)
        for _ in 0..<1_000 {
            var bytes = content
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count - 8, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = .random(in: 0 ... .max, using: &random)
                } else {
                    // Overlapping and repeated structures.
                    let other = Int.random(in: 0..<bytes.count - 8, using: &random)
                    let copy = Array(bytes[other..<(other + 8)])
                    bytes.replaceSubrange(place..<(place + 8), with: copy)
                }
            }
            search(bytes)
        }
    }

    @Test func aLargeFileIsSearchedInChunks() {
        let content = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 37 >> 3) }
        let reader = FileBytes(content)
        var next: UInt64 = 5
        reader.scan(5..<UInt64(content.count - 3), overlap: 16) { bytes, offset in
            #expect(offset == (next == 5 ? 5 : next - 16))
            let start = Int(offset)
            #expect(bytes.elementsEqual(content[start..<(start + bytes.count)]))
            next = offset + UInt64(bytes.count) - (start + bytes.count < content.count - 3 ? 16 : 0)
            return true
        }
        #expect(next == UInt64(content.count - 3))
    }
}
#endif
