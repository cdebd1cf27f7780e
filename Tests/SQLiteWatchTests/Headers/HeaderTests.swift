import Testing

@testable import SQLiteWatch

struct HeaderTests {
    @Test func aDatabaseHeaderIsParsed() throws {
        let header = try #require(DatabaseHeader(HeaderSamples.database))
        #expect(header.pageSize == 1024)
        #expect(header.isWAL)
        #expect(header.changeCounter == 7)
        #expect(header.pages == 52)
        #expect(header.freePages == 49)
        #expect(header.autoVacuum == .incremental)
        #expect(header.encoding == .utf8)
        #expect(header.userVersion == -7)
        #expect(header.applicationID == 0x1234_5678)
    }

    @Test func aLogHeaderRequiresAValidChecksum() throws {
        let header = try #require(WALHeader(HeaderSamples.log))
        #expect(header.pageSize == 1024)
        #expect(header.salt1 == 0x6e0c_a324)
        var bytes = HeaderSamples.log
        bytes[17] ^= 1
        #expect(WALHeader(bytes) == nil)
    }

    #if _endian(little)
    @Test func aWALIndexShowsFramesAndMarks() throws {
        let header = try #require(WALIndexHeader(HeaderSamples.index))
        #expect(header.change == 3)
        #expect(header.frames == 8)
        #expect(header.backfilled == 2)
        #expect(header.pageSize == 1024)
        #expect(header.pages == 52)
        #expect(header.salt1 == 0x6e0c_a324)
        #expect(header.marks == [0, 2, nil, nil, nil])
        #expect(header.pinnedFrames(mark: 1) == 6)
        #expect(header.pinnedFrames(mark: 0) == 6)
        #expect(header.pinnedFrames(mark: 2) == nil)
    }

    @Test func differingCopiesAreRejected() {
        var bytes = HeaderSamples.index
        bytes[16] = 9
        #expect(WALIndexHeader(bytes) == nil)
        #expect(!WALIndexHeader.isConsistent(bytes))
        var second = HeaderSamples.index
        second[48 + 16] = 9
        // The first copy has a valid checksum, but the second copy differs.
        #expect(WALIndexHeader(second) == nil)
        bytes[64] = 9
        // Both copies are equal, but the checksum is wrong.
        #expect(WALIndexHeader.isConsistent(bytes))
        #expect(WALIndexHeader(bytes) == nil)
    }
    #endif

    @Test func aJournalHeaderCountsItsRecords() throws {
        let header = try #require(JournalHeader(HeaderSamples.journal))
        #expect(header.records == 2)
        #expect(header.initialPages == 3)
        #expect(JournalHeader([UInt8](repeating: 0, count: 28)) == nil)
    }

    @Test func truncatedHeadersAreRejected() {
        #expect(DatabaseHeader(Array(HeaderSamples.database.prefix(95))) == nil)
        #expect(WALHeader(Array(HeaderSamples.log.prefix(31))) == nil)
        #expect(WALIndexHeader(Array(HeaderSamples.index.prefix(135))) == nil)
    }

    @Test func onlySQLitePageSizesAreValid() {
        #expect(PageSize.size(1) == 65_536)
        #expect(PageSize.size(512) == 512)
        #expect(PageSize.size(513) == nil)
        #expect(PageSize.size(256) == nil)
        #expect(PageSize.valid(131_072) == nil)
    }
}
