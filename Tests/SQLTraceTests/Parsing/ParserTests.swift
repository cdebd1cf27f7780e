import Foundation
import TestSupport
import Testing

@testable import SQLTrace

/// Tests valid maps, layouts, and programs.
///
/// `FuzzTests` damages them.
struct ParserTests {
    @Test func mapsContainCode() {
        let text = """
            55d0c0a00000-55d0c0a01000 r--p 00000000 fe:00 1311 /usr/bin/a b
            55d0c0a01000-55d0c0a02000 r-xp 00001000 fe:00 1311                       /usr/bin/a b
            7f0000000000-7f0000100000 r-xp 00022000 fe:00 4242                       /lib/libsqlite3.so.0
            7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
            ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
            """
        let maps = ProcessMaps(Array(text.utf8))
        #expect(maps.code.map(\.path) == ["/usr/bin/a b", "/lib/libsqlite3.so.0"])
        #expect(maps.code.last?.offset == 0x22000)
        #expect(maps.code.last?.file == "fe:00 4242")
        #expect(maps.stacks == [0x7ffc_0000_0000..<0x7ffc_0002_1000] && maps.data == maps.stacks)
    }

    @Test func stacksOfThreadsFollowAGuardPage() {
        let text = """
            7e0000000000-7e0000001000 ---p 00000000 00:00 0\u{20}
            7e0000001000-7e0000801000 rw-p 00000000 00:00 0\u{20}
            7e0000801000-7e0000901000 rw-s 00000000 00:01 7                          /dev/shm/x
            7f0000000000-7f0000001000 ---p 00005000 fe:00 4242                       /lib/libc.so.6
            7f0000001000-7f0000003000 rw-p 00006000 fe:00 4242                       /lib/libc.so.6
            7f0000003000-7f0000005000 rw-p 00000000 00:00 0\u{20}
            """
        let maps = ProcessMaps(Array(text.utf8))
        #expect(maps.stacks == [0x7e00_0000_1000..<0x7e00_0080_1000])
        #expect(
            maps.data.map(\.lowerBound) == [0x7e00_0000_1000, 0x7f00_0000_1000, 0x7f00_0000_3000]
        )
        #expect(maps.code.isEmpty)
    }

    @Test func layoutsSurviveARoundTrip() throws {
        let layout = StatementLayout(
            sql: 248,
            connection: 0,
            programCounter: 48,
            resultCode: 52,
            steps: 224,
            autocommit: 101,
            filePointers: [32, 8, 8, 0, 216],
            busyCalls: 680,
            busyTimeout: 764,
            values: nil
        )
        #expect(StatementLayout(text: layout.text) == layout)
        #expect(StatementLayout(text: "") == nil)
        #expect(StatementLayout(text: "sql=-8\n") == nil)
        #expect(StatementLayout(text: "failure=no") == nil)
    }

    @Test func programsContainTheirFunctions() throws {
        let path = CommandLine.arguments[0]
        let content = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe")))
        let isIncluded = { (name: String) in name == "sqlite3_step" }
        func parse(_ bytes: [UInt8]) -> ELFFile? {
            ELFFile(FileBytes(bytes), isIncluded: isIncluded)
        }
        #expect(parse(content) != nil, "\(path) is an ELF file")
        let small = try #require(parse(Self.smallFile()))
        #expect(small.functions["sqlite3_step"]?.fileOffset == 0x140)
    }

    /// Returns a file with one segment, a dynamic symbol table, and the names of its symbols.
    private static func smallFile() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 0x400)
        func put<Integer: FixedWidthInteger>(_ value: Integer, _ place: Int) {
            withUnsafeBytes(of: value.littleEndian) {
                bytes.replaceSubrange(place..<(place + $0.count), with: $0)
            }
        }
        bytes.replaceSubrange(0..<6, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1])
        put(UInt16(62), 18)
        put(UInt64(64), 32)
        put(UInt64(0x200), 40)
        put(UInt16(56), 54)
        put(UInt16(1), 56)
        put(UInt16(64), 58)
        put(UInt16(3), 60)
        put(UInt16(2), 62)
        // The segment contains 0x100 bytes of code at 0x100 in the file and at the address 0x1100.
        put(UInt32(1), 64)
        put(UInt32(5), 68)
        put(UInt64(0x100), 72)
        put(UInt64(0x1100), 80)
        put(UInt64(0x100), 96)
        // The names of the symbols follow the symbols.
        put(UInt32(11), 0x244)
        put(UInt64(0x300), 0x258)
        put(UInt64(48), 0x260)
        put(UInt32(2), 0x268)
        put(UInt32(3), 0x284)
        put(UInt64(0x380), 0x298)
        put(UInt64(32), 0x2a0)
        put(UInt32(1), 0x318)
        bytes[0x31c] = 0x12
        put(UInt16(1), 0x31e)
        put(UInt64(0x1140), 0x320)
        put(UInt64(16), 0x328)
        bytes.replaceSubrange(0x381..<0x38d, with: Array("sqlite3_step".utf8))
        return bytes
    }

    @Test func onlyAnExactEndbrIsSkipped() {
        let function = ELFFile.Function(address: 0, fileOffset: 64, length: 32)
        func point(_ code: [UInt8]) -> SQLiteLibrary.ProbePoint {
            SQLiteLibrary.point(of: function, code, machine: .x86_64)
        }
        #expect(point([0xf3, 0x0f, 0x1e, 0xfa, 0x55]).offset == 68)
        #expect(point([0xf3, 0x0f, 0x1e, 0xfa, 0x55]).isEmulated)
        #expect(point([0xf3, 0x0f, 0x1e, 0xfb, 0x55]).offset == 64)
        #expect(point([0x41, 0x54]).isEmulated)
        #expect(point([0x48, 0x85, 0xff, 0x74, 0x0b]).offset == 67)
        #expect(point([0x48, 0x85, 0xff, 0x0f, 0x84]).isEmulated)
        #expect(point([0x48, 0x85, 0xff, 0x48, 0x89]).offset == 64)
        #expect(point([0x48, 0x85, 0xff]).offset == 64)
        #expect(!point([0x48, 0x8d]).isEmulated)
        #expect(point([]).offset == 64)
    }
}
