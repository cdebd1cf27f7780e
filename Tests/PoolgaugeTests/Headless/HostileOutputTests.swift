import Foundation
import PoolgaugeAgent
import Recording
import SQLiteWatch
import Telemetry
import TestSupport
import Testing

@testable import poolgauge

/// Tests reports and messages that contain the names of other programs and files.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HostileOutputTests {
    /// Returns a report on a recording that contains `text` in every string.
    private func report(_ text: String) throws -> RecordingReport {
        let time = "2026-11-22T12:00:00.000Z"
        let object: [String: Any] = [
            "schema": RecordingReport.currentSchema, "path": text, "bytes": 1, "start": time,
            "end": time, "seconds": 1, "samples": 1,
            "sessions": [["kind": "run", "title": text, "tool": text, "start": time]],
            "sources": [["name": text, "samples": 1, "worstWait": ["time": time, "value": 1]]],
            "findings": [
                [
                    "source": text, "start": time, "end": time, "samples": 1,
                    "finding": [
                        "kind": "pinned", "level": "warning", "text": text, "remedy": text,
                    ],
                ]
            ], "examinedSamples": 1,
            "intervals": [
                ["start": time, "seconds": 1, "samples": 1, "longestWait": 0.5, "busy": 0]
            ],
            "longestWaits": [["time": time, "source": text, "seconds": 1, "detail": text]],
            "gaps": [["source": text, "start": time, "seconds": 1, "reason": text]],
            "messages": [["time": time, "severity": text, "text": text]], "problems": [text],
        ]
        let data = try JSONSerialization.data(withJSONObject: object)
        return try JSONDecoder().decode(RecordingReport.self, from: data)
    }

    @Test(arguments: HostileStrings.all)
    func aReportOnARecordingIsPrintable(text: String) throws {
        let report = try report(text)
        let plain = RecordingTables(try self.report("plain"))
        let tables = RecordingTables(report)
        #expect(HostileStrings.unprintableScalars(in: tables.text) == [])
        #expect(lineCount(tables.text) == lineCount(plain.text))
        #expect(HostileStrings.unprintableScalars(in: tables.markdown) == [])
        #expect(separatorCounts(tables.markdown) == separatorCounts(plain.markdown))
        #expect(!tables.markdown.replacing("\\<", with: "").contains("<"))
        let json = try RecordingTables.json(report)
        #expect(HostileStrings.unprintableScalars(in: json) == [])
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect((object?["path"] as? String).map(scalars) == scalars(text))
    }

    @Test(.enabled(if: IndependentParser.isAvailable))
    func aReportInHTMLContainsOnlyItsElements() throws {
        let pages = try IndependentParser.html(
            (["plain"] + HostileStrings.all).map {
                let report = try report($0)
                return try RecordingTables(report).html(report)
            }
        )
        for (name, page) in zip(["plain"] + HostileStrings.all, pages) {
            #expect(page.tags == pages[0].tags, "\(name.debugDescription)")
            #expect(page.attributes == pages[0].attributes, "\(name.debugDescription)")
        }
    }

    @Test(arguments: HostileStrings.all)
    func theStatusOfAnAgentIsPrintable(text: String) throws {
        var database = DatabaseStatus(label: text, kind: .pool, takenAtNanoseconds: 1)
        database.path = text
        database.connections = [ConnectionStatus(label: text, role: .writer)]
        database.connections[0].sql = text
        database.connections[0].holder = AccessOrigin(name: text)
        let status = AgentStatus(
            name: text,
            process: 1,
            ageNanoseconds: 1,
            allowsControl: true,
            database: database
        )
        #expect(HostileStrings.unprintableScalars(in: AgentText(status).text) == [])
        let json = String(decoding: try JSONEncoder().encode(status), as: UTF8.self)
        let line = AgentText.line(ofJSON: json)
        #expect(
            HostileStrings.unprintableScalars(in: line) == []
                && line.dropLast().utf8.allSatisfy { $0 != 10 }
        )
        let decoded = try JSONDecoder().decode(AgentStatus.self, from: Data(line.utf8))
        #expect(scalars(decoded.name) == scalars(text))
    }

    @Test(arguments: ["\u{1B}]0;x\u{7}", "\u{9B}2J", "\u{202E}a", "a\r\u{1B}[2K"])
    func messagesAboutArgumentsArePrintable(text: String) throws {
        try withTemporaryFolder { folder in
            for arguments in [
                ["run", text], ["run", "\(text).yaml"], ["scenarios", "show", text],
                ["run", "ycsb-a", "--arm", text], ["run", "ycsb-a", "--format", text],
                ["run", "ycsb-a", "--\(text)"], ["top", "--once", "/\(text)"], ["report", text],
                ["dashboard", "--theme", text], ["doctor", "/\(text)"], [text],
                ["run", "ycsb-a", "--output", "/no/\(text)"], ["attach", text, "--once"],
            ] {
                let outcome = try HeadlessProgram.run(arguments, in: folder)
                #expect(outcome.status != 0, "\(arguments)")
                #expect(!outcome.errors.isEmpty, "\(arguments)")
                #expect(
                    HostileStrings.unprintableScalars(in: outcome.errors + outcome.output) == [],
                    "\(arguments)"
                )
            }
        }
    }

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

    private func lineCount(_ text: String) -> Int { text.utf8.count { $0 == 10 } }

    /// Returns the number of column separators in each line of Markdown.
    private func separatorCounts(_ markdown: String) -> [Int] {
        markdown.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            line in
            var count = 0
            var isEscaped = false
            for scalar in line {
                if scalar == "|", !isEscaped { count += 1 }
                isEscaped = scalar == "\\" && !isEscaped
            }
            return count
        }
    }
}
