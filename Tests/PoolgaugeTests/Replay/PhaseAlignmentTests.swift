import Telemetry
import Testing

@testable import Recording
@testable import poolgauge

/// Tests how the runs of two recordings are found and aligned.
struct PhaseAlignmentTests {
    /// A recording with runs whose phases have the given lengths, in samples.
    ///
    /// Consecutive samples are a second apart.
    private struct FakeRecording {
        var contents = RecordingContents()
        var samples: [Sample] = []

        init(_ runs: [(arm: String, phases: [(name: String, count: Int)])]) {
            contents.sessions = [
                RecordedSession(
                    id: 1,
                    kind: .run,
                    tool: "",
                    title: "",
                    scenario: nil,
                    environment: nil,
                    start: 0,
                    end: nil,
                    endReason: nil
                )
            ]
            for run in runs {
                var source = contents.sources.firstIndex { $0.name == run.arm }
                if source == nil {
                    let id = Int64(contents.sources.count + 1)
                    contents.sources.append(RecordedSource(id: id, session: 1, name: run.arm))
                    source = contents.sources.count - 1
                }
                var sequence = 0
                for phase in run.phases {
                    for _ in 0..<phase.count {
                        samples.append(
                            Sample(
                                sequence: sequence,
                                time: Double(sequence),
                                scenario: "s",
                                arm: run.arm,
                                phase: phase.name,
                                database: DatabaseStatus(label: "db", kind: .pool)
                            )
                        )
                        contents.rows.append(
                            RecordedRow(
                                id: Int64(samples.count),
                                source: source ?? 0,
                                time: Int64(samples.count) * 1000,
                                base: nil,
                                facts: RecordedFacts()
                            )
                        )
                        sequence += 1
                    }
                }
            }
        }

        func runs(of arm: String, decoding decoded: (Int) -> Void = { _ in }) -> [RecordedRun] {
            withoutActuallyEscaping(decoded) { decoded in
                var runs = RecordedRuns(contents) { index in
                    decoded(index)
                    return samples[index]
                }
                return runs.runs(of: arm)
            }
        }
    }

    @Test func runsAndPhasesAreFoundWithFewDecodedSamples() {
        let recorded = FakeRecording([
            ("pool", [("", 3), ("warm-up", 40), ("steady", 900)]),
            ("queue", [("steady", 100)]),
            ("pool", [("steady", 50)]),
        ])
        var count = 0
        let runs = recorded.runs(of: "pool") { _ in count += 1 }
        #expect(runs.map { $0.phases.map(\.name) } == [["", "warm-up", "steady"], ["steady"]])
        #expect(runs.first?.phases.map(\.start) == [0, 3, 43])
        #expect(runs.first?.range == 0...942)
        #expect(runs.last?.range == 1043...1092)
        #expect(count < 60)
        #expect(recorded.runs(of: "absent") == [])
    }

    @Test func phasesStartTogether() throws {
        let shown = FakeRecording([("pool", [("warm-up", 10), ("steady", 20)])])
        let ghost = FakeRecording([("queue", [("warm-up", 30), ("steady", 40)])])
        let alignment = PhaseAlignment(
            shown: try #require(shown.runs(of: "pool").first),
            ghost: try #require(ghost.runs(of: "queue").first)
        )
        #expect(alignment.isByPhase)
        #expect(alignment.shownTime(of: ghost.samples[5]) == 5)
        // The displayed warm-up is shorter.
        #expect(alignment.shownTime(of: ghost.samples[15]) == nil)
        #expect(alignment.shownTime(of: ghost.samples[32]) == 12)
        let rows = ghost.contents.rows
        #expect(alignment.ghostTime(for: shown.samples[12], in: rows) == rows[32].time)
        #expect(alignment.ghostTime(for: shown.samples[4], in: rows) == rows[4].time)
    }

    @Test func runsWithoutCommonPhasesStartTogether() throws {
        let shown = FakeRecording([("pool", [("", 30)])])
        let ghost = FakeRecording([("pool", [("steady", 20)])])
        let alignment = PhaseAlignment(
            shown: try #require(shown.runs(of: "pool").first),
            ghost: try #require(ghost.runs(of: "pool").first)
        )
        #expect(!alignment.isByPhase)
        #expect(alignment.shownTime(of: ghost.samples[7]) == 7)
        let rows = ghost.contents.rows
        #expect(alignment.ghostTime(for: shown.samples[7], in: rows) == rows[7].time)
        #expect(alignment.ghostTime(for: shown.samples[29], in: rows) == rows[19].time)
    }
}
