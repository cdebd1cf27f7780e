#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that the samples of a batch equal complete samples, even though most of them record only
/// changes.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct BatchSamplerTests {
    private let folder = TemporaryFolder()

    private func program(journal: String) throws -> ForeignProgram {
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path, timeout=0)
            c.execute("pragma journal_mode=\(journal)"); c.execute("create table t(x)")
            """
        )
        return program
    }

    private func sampler(_ files: DatabaseFiles, probesReaders: Bool = false) -> BatchSampler {
        BatchSampler(files: [files], probesReaders: probesReaders, count: 8)
    }

    private func files() -> DatabaseFiles { DatabaseFiles(path: Array(folder.file().utf8)) }

    /// Returns a complete sample through separate descriptors, without the processor time.
    private func completeSample() -> FileSample { comparable(files().sample(probesReaders: false)) }

    /// Returns a sample without the values that may differ between the two kinds of samples.
    private func comparable(_ sample: FileSample) -> FileSample {
        var sample = sample
        sample.helperNanoseconds = 0
        // Only complete samples contain the size and the modification time of the log.
        sample.wal = FileContent()
        sample.index.modified = 0
        return sample
    }

    @Test(arguments: ["wal", "delete"])
    func eachSampleShowsTheStateAtItsTime(journal: String) throws {
        let program = try program(journal: journal)
        var sampler = sampler(files())
        var expected: [FileSample] = []
        let steps = [
            "pass", "c.execute('begin immediate')", "c.execute('insert into t values(1)')",
            "c.execute('commit')", "c.execute('insert into t values(2)')",
        ]
        for (moment, step) in steps.enumerated() {
            try program.run(step)
            sampler.sample(moment, list: nil)
            expected.append(completeSample())
        }
        let batch = sampler.batch
        #expect(batch.entries.map(\.moment) == Array(steps.indices))
        #expect(batch.entries.map { comparable($0.samples[0]) } == expected)
        let holders = batch.entries.map { LockBytes.writeLocks($0.samples[0].probes).keys.first }
        #expect(holders == [nil, program.pid, program.pid, nil, nil])
        #expect(batch.entries.map(\.time) == batch.entries.map(\.time).sorted())
        #expect(batch.entries.allSatisfy { $0.locks == nil })
        #expect(SampleBatch(batch.bytes) == batch)
    }

    @Test func onlyTheFirstSampleShowsReadersWithoutAList() throws {
        let program = try program(journal: "wal")
        try program.run("c.execute('begin'); c.execute('select * from t').fetchall()")
        var sampler = sampler(files(), probesReaders: true)
        let list = try LockListFile()
        sampler.sample(0, list: nil)
        sampler.sample(1, list: nil)
        sampler.sample(2, list: list)
        let batch = sampler.batch
        let readers = batch.entries.map { entry in
            entry.samples[0].probes.contains { !$0.isWrite && $0.isIndex }
        }
        #expect(readers == [true, false, false])
        let locks = try #require(batch.entries[2].locks)
        #expect(Set(locks.map(\.process)) == [program.pid])
        #expect(locks.contains { $0.bytes.contains(LockBytes.firstReader + 1) && !$0.isWrite })
        #expect(batch.listNanoseconds > 0)
        #expect(SampleBatch(batch.bytes) == batch)
    }

    @Test func aDatabaseThatDisappearsIsSampledCompletely() throws {
        let program = try program(journal: "wal")
        let files = files()
        var first = sampler(files)
        first.sample(0, list: nil)
        try program.run("c.close(); os.remove(path)")
        var second = sampler(files)
        second.sample(0, list: nil)
        second.sample(1, list: nil)
        #expect(first.batch.entries.map { $0.samples[0].database.exists } == [true])
        #expect(second.batch.entries.map { $0.samples[0].database.exists } == [false, false])
    }
}
#endif
