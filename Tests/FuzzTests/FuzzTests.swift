import Foundation
import Telemetry
import Testing

@testable import SQLTrace

/// Tests each target with the inputs in the corpus and with mutations of them.
///
/// `./test --fuzz SECONDS` searches longer, with libFuzzer.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FuzzTests {
    /// The time for the mutations of each target, in nanoseconds.
    private static let nanoseconds: UInt64 = 500_000_000

    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyInputIsReadOrRejected(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = target.seeds + Corpus.inputs(of: name)
        #expect(inputs.contains { !$0.isEmpty })
        for input in inputs + [[]] { try check(target, input, "an input of the corpus") }
        var mutator = Mutator(target, inputs: inputs, seed: 21)
        let start = monotonicNanoseconds()
        var count = 0
        while monotonicNanoseconds() - start < Self.nanoseconds {
            count += 1
            try check(target, mutator.next(), "mutation \(count) with seed 21")
        }
    }

    private func check(_ target: FuzzTarget, _ input: [UInt8], _ which: String) throws {
        // Other programs may use the cores.
        let start = threadNanoseconds()
        do { try target.read(input) } catch {
            Issue.record("\(target.name), \(which): \(error)")
        }
        let seconds = Double(threadNanoseconds() - start) / 1e9
        #expect(seconds < Double(FuzzTarget.secondsPerInput), "\(target.name), \(which)")
    }

    @Test func validInputsAreRead() throws {
        for name in ["sample", "report", "agent"] {
            #expect(!Corpus.base(name).isEmpty, "\(name).json is missing")
        }
        #expect(!RecordingBytes.template.isEmpty)
        let records = TraceBytes.split(TraceBytes.records)
        #expect(records.allSatisfy { $0.withUnsafeBytes { ProbeRecord($0) } != nil })
        try RecordingBytes.withFile(RecordingBytes.template) { try RecordingBytes.read($0) }
    }
}
