import Findings
import Foundation
import MetricDescriptors
import Reports
import SQLiteWatch
import Telemetry
import TerminalUI
import WorkloadEngine

@testable import Dashboard
@testable import PoolgaugeAgent

extension FuzzTarget {
    private static let json = [
        "{\"schema\":\"", "\":", ",\"", "null", "true", "[]", "{}", "-1", "1e308",
        "18446744073709551615", "\\u0000", "\\ud800",
    ]
    private static let recordedRun = "Tests/ReportsTests/Kept/run-0.1.0.json"
    private static let edits = [[0, 0, 0], [0, 10, 8], [0, 50, 10, 0, 60, 10]] as [[UInt8]]

    /// The JSON of a run, which recordings contain.
    static let result: FuzzTarget = {
        let base = JSONEdits(text(Corpus.file(recordedRun)))
        return FuzzTarget(
            name: "result",
            seeds: edits,
            words: json,
            extremeInputs: base.extremeInputs
        ) { bytes in
            try expectMessage {
                let result = try RunResult.decode(Data(base.text(bytes)))
                _ = TextReport.text(of: result)
                _ = CSVReport.text(of: result)
                _ = MarkdownReport.text(of: result)
                _ = JUnitReport.text(of: result)
                _ = try? HTMLReport.text(of: result)
            }
        }
    }()

    /// A sample in a recording, as shown by `replay`.
    static let sample: FuzzTarget = {
        let base = JSONEdits(Corpus.base("sample"))
        let validSample = try? JSONDecoder().decode(
            Sample.self,
            from: Data(Corpus.base("sample").utf8)
        )
        return FuzzTarget(
            name: "sample",
            seeds: edits.map { [1] + $0 },
            words: json,
            extremeInputs: base.extremeInputs.flatMap { input in
                DashboardScreen.allCases.indices.map { [UInt8($0)] + input }
            }
        ) { bytes in
            var reader = InputReader(bytes)
            let screen = Int(reader.byte()) % DashboardScreen.allCases.count + 1
            let text = base.text(reader.remaining())
            guard let sample = try? JSONDecoder().decode(Sample.self, from: Data(text)) else {
                return
            }
            var model = DashboardModel()
            if let validSample { model.ingest(validSample) }
            model.ingest(sample)
            if let validSample { model.ingest(validSample) }
            model.ingest(sample)
            for key in "\(screen)j?" {
                _ = model.handle(.key(.character(key)))
                try expectPrintable(model.render(size: Size(width: 120, height: 40)))
            }
            _ = MetricText().text(DatabaseMetric.all, of: [sample.database])
        }
    }()

    /// The report about a watched database in a recording.
    static let report: FuzzTarget = {
        let base = JSONEdits(Corpus.base("report"))
        return FuzzTarget(
            name: "report",
            seeds: edits.map { [1] + $0 },
            words: json,
            extremeInputs: base.extremeInputs.flatMap { input in
                WatchScreens.standard.indices.map { [UInt8($0)] + input }
            }
        ) { bytes in
            var reader = InputReader(bytes)
            let screen = Int(reader.byte()) % WatchScreens.standard.count + 1
            let text = base.text(reader.remaining())
            let decoder = JSONDecoder()
            guard let report = try? decoder.decode(WatchReport.self, from: Data(text)) else {
                return
            }
            try expectPrintable(WatchText.text(of: report))
            var dashboard = WatchDashboard()
            dashboard.ingest([report])
            dashboard.ingest([report])
            for key in "\(screen)j?" {
                _ = dashboard.handle(.key(.character(key)))
                try expectPrintable(dashboard.render(size: Size(width: 120, height: 40)))
            }
        }
    }()

    /// An agent's response to `attach`.
    static let agentAnswer: FuzzTarget = {
        let base = JSONEdits(Corpus.base("agent"))
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
        return FuzzTarget(
            name: "agent-answer",
            seeds: edits.map { [1] + $0 } + [Array((head + "2\r\n\r\n{}").utf8), Array(head.utf8)],
            words: json + [head, "\r\n", "\r\n\r\n", "Content-Length: 0", "HTTP/1.1 ", "599"],
            extremeInputs: base.extremeInputs.map { [1] + $0 }
        ) { bytes in
            if case .response(let status, let body) = HTTPResponseParser.parse(bytes) {
                guard (100...599).contains(status), body.count <= bytes.count else {
                    throw WrongResult("the response is larger than its bytes")
                }
            }
            guard bytes.first == 1 else { return }
            let text = base.text(Array(bytes.dropFirst()))
            guard let status = try? JSONDecoder().decode(AgentStatus.self, from: Data(text)) else {
                return
            }
            _ = MetricText().text(DatabaseMetric.all, of: [status.database])
            let sample = Sample(
                sequence: 1,
                time: Double(status.ageNanoseconds) / 1e9,
                scenario: "",
                arm: status.name,
                arms: [status.name],
                database: status.database
            )
            var model = DashboardModel()
            model.ingest(sample)
            try expectPrintable(model.render(size: Size(width: 120, height: 40)))
        }
    }()

    static func expectPrintable(_ surface: Surface) throws {
        for cell in surface.cells {
            for scalar in cell.character.unicodeScalars
            where [.control, .format].contains(scalar.properties.generalCategory) {
                throw WrongResult("a cell contains U+\(String(scalar.value, radix: 16))")
            }
        }
    }

    private static func expectPrintable(_ text: String) throws {
        for scalar in text.unicodeScalars
        where scalar != "\n" && scalar.properties.generalCategory == .control {
            throw WrongResult("the text contains U+\(String(scalar.value, radix: 16))")
        }
    }
}
