import Testing

@testable import SQLiteWatch

/// Returns a wal-index header with the fields that a test sets.
func index(
    change: UInt32 = 1,
    frames: UInt32,
    backfilled: UInt32 = 0,
    salt1: UInt32 = 100,
    marks: [UInt32?] = [0, nil, nil, nil, nil]
) -> WALIndexHeader {
    WALIndexHeader(
        change: change,
        pageSize: 4096,
        frames: frames,
        pages: 100,
        salt1: salt1,
        salt2: 0,
        backfilled: backfilled,
        marks: marks
    )
}

struct LogCounterTests {
    private let file = FileIdentity(device: .init(major: 1, minor: 1), inode: 5)

    private func count(_ headers: [WALIndexHeader], identities: [FileIdentity]? = nil) -> LogCounter
    {
        var counter = LogCounter()
        for (number, header) in headers.enumerated() {
            counter.update(header, identity: identities?[number] ?? file)
        }
        return counter
    }

    @Test func commitsAndFramesAreDifferences() {
        let counter = count([index(change: 10, frames: 50), index(change: 14, frames: 58)])
        #expect(counter.commits == 4)
        #expect(counter.frames == 8)
        #expect(counter.resets == 0)
        #expect(counter.checkpoints == 0)
    }

    @Test func aCheckpointCopiesFrames() {
        let counter = count([
            index(change: 10, frames: 50), index(change: 10, frames: 50, backfilled: 30),
        ])
        #expect(counter.checkpoints == 1)
        #expect(counter.framesBackfilled == 30)
    }

    @Test func eachResetIncreasesTheFirstSalt() {
        let counter = count([
            index(change: 10, frames: 1000, backfilled: 400),
            index(change: 13, frames: 7, salt1: 102),
        ])
        #expect(counter.commits == 3)
        #expect(counter.resets == 2)
        #expect(counter.frames == 7)
        #expect(counter.framesBackfilled == 600)
    }

    @Test func aSaltMayOverflow() {
        let counter = count([
            index(change: 10, frames: 9, salt1: .max), index(change: 11, frames: 2, salt1: 0),
        ])
        #expect(counter.resets == 1)
    }

    @Test func aRebuiltIndexCountsFromZero() {
        let smaller = count([index(change: 900, frames: 50), index(change: 3, frames: 4)])
        #expect(smaller.commits == 3)
        #expect(smaller.resets == 0)
        let other = FileIdentity(device: .init(major: 1, minor: 1), inode: 6)
        let replaced = count(
            [index(change: 2, frames: 50), index(change: 3, frames: 4)],
            identities: [file, other]
        )
        #expect(replaced.commits == 3)
    }
}
