import Testing

@testable import SQLiteWatch

/// Tests the messages between `top` and its helper process.
///
/// `FuzzTests` damages them.
struct HelperMessageTests {
    @Test func samplesSurviveARoundTrip() {
        var sample = FileSample()
        sample.probes = [
            FileSample.Probe(byte: 120, isIndex: true, isWrite: true, process: 7),
            FileSample.Probe(byte: 0x4000_0002, isIndex: false, isWrite: false, process: 0),
        ]
        #expect(FileSample(sample.bytes) == sample)
    }

    @Test func countsSurviveARoundTrip() {
        let counts = TableCounts(
            counts: [
                .init(kind: .table, name: "a\u{1b}"): 5, .init(kind: .unknown, name: ""): 7,
            ],
            framesRead: 12,
            helperNanoseconds: 9
        )
        #expect(TableCounts(counts.bytes) == counts)
    }
}
