import Foundation
import Testing

/// `capacity`, `crossover` and GRDB's arms as the real program has them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SearchCommandsTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aMapIsWrittenAsPictureAndAsText() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "crossover", "ycsb-b", "--scale", "1", "--sweep", "readers=1,2", "--blocks",
                    "1",
                    "--duration", "250ms", "--output", "map.svg",
                ],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("2 cells, 8 runs of 250 ms: about"))
            #expect(
                outcome.output.contains("poolgauge run ycsb-b --arm queue --arm pool --readers 1")
            )
            let file = folder.appendingPathComponent("map.svg")
            let picture = try String(contentsOf: file, encoding: .utf8)
            #expect(picture.hasPrefix("<svg "))
            #expect(contents(of: folder) == ["map.svg"])
        }
    }

    @Test func anInterruptedSearchReportsWhatItHas() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "capacity", "ycsb-b", "--scale", "1", "--arms", "pool", "--format", "json",
                    "--progress", "always",
                ],
                in: folder,
                sending: (SIGINT, "pool: run at")
            )
            #expect(outcome.status == 130)
            let result = try json(outcome.output)
            #expect(result["schema"] as? String == "poolgauge.capacity/1")
            #expect(result["partial"] as? Bool == true)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test(
        arguments: [
            (["crossover", "ycsb-a"], "--sweep readers=1,2,4,8"),
            (["crossover", "ycsb-a", "--sweep", "reader=1"], "did you mean 'readers'?"),
            (["crossover", "ycsb-a", "--sweep", "hold=1ms"], "no client that holds"),
            (["capacity", "ycsb-a", "--sweep", "write-share=0"], "see 'poolgauge crossover'"),
            (["capacity", "ycsb-a", "--threshold", "raed.response: p(99) < 1ms"], "'read'"),
        ]
    )
    func whatIsWrongIsSaidAndNothingRuns(arguments: [String], part: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(part), "\(outcome.errors)")
            #expect(contents(of: folder).isEmpty)
        }
    }

    #if !GRDB
    @Test func anArmOfGRDBSaysHowToSwitchItOn() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["run", "ycsb-c", "--arm", "grdb-pool"],
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("POOLGAUGE_TRAITS=GRDB ./run"))
            #expect(outcome.errors.contains("swift build -c release --traits GRDB"))
        }
    }
    #endif
}
