import Foundation
import Testing

/// Compares every code block in the documentation with the samples that the tests in the
/// `Documentation` folders run.
///
/// A sample is the text between the lines `// sample` and `// end` in a test. An article or a
/// documentation comment contains exactly the same text.
struct ArticleSamplesTests {
    private struct Sample {
        let text: String
        let place: String
    }

    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func files(below folder: String, ending: String) throws -> [URL] {
        let root = package.appendingPathComponent(folder).resolvingSymlinksInPath()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return paths.filter { $0.hasSuffix(ending) }.sorted().map(root.appendingPathComponent)
    }

    /// Returns the text between each pair of lines that start and end a sample.
    ///
    /// `content` returns the relevant part of a line. `isStart` and `isEnd` receive that part
    /// without leading spaces.
    private static func samples(
        of file: URL,
        isStart: (Substring) -> Bool,
        isEnd: (Substring) -> Bool,
        content: (Substring) -> Substring = { $0 }
    ) throws -> [Sample] {
        var samples: [Sample] = []
        var current: [Substring]?
        var firstLine = 0
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines.map(content)) {
            let trimmed = line.trimmingPrefix { $0 == " " }
            if current == nil, isStart(trimmed) {
                current = []
                firstLine = number + 1
            } else if let lines = current, isEnd(trimmed) {
                let place = "\(file.lastPathComponent):\(firstLine)"
                samples.append(Sample(text: unindented(lines), place: place))
                current = nil
            } else {
                current?.append(line)
            }
        }
        return samples
    }

    /// Returns the lines without their common indentation.
    private static func unindented(_ lines: [Substring]) -> String {
        let indentation =
            lines.filter { $0.contains { $0 != " " } }
            .map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
    }

    /// Returns the samples that tests run.
    private static func testedSamples() throws -> [Sample] {
        let folders = [
            "SQLiteEngineTests/Documentation", "EngineTargetTests/Documentation", "OwnTarget",
        ]
        return try folders.flatMap {
            try files(below: "Tests/\($0)", ending: ".swift")
        }.flatMap {
            try samples(of: $0, isStart: { $0 == "// sample" }, isEnd: { $0 == "// end" })
        }
    }

    /// Returns the samples in the documentation.
    private static func documentedSamples() throws -> [Sample] {
        let sources = [
            "Sources/Engine/SQLiteEngine", "Sources/Load/Scenarios", "Sources/Load/WorkloadEngine",
            "Sources/Load/Comparison", "Sources/Load/Reports",
        ]
        let articles = try sources.flatMap { try files(below: $0, ending: ".md") }.flatMap {
            try samples(of: $0, isStart: { $0 == "```swift" }, isEnd: { $0 == "```" })
        }
        let comments = try sources.flatMap { try files(below: $0, ending: ".swift") }.flatMap {
            try samples(of: $0, isStart: { $0 == "```swift" }, isEnd: { $0 == "```" }) { line in
                let text = line.trimmingPrefix { $0 == " " }
                guard text.hasPrefix("///") else { return "" }
                return text.dropFirst(3).hasPrefix(" ") ? text.dropFirst(4) : ""
            }
        }
        return articles + comments
    }

    @Test func everyDocumentedSampleIsTested() throws {
        let run = Set(try Self.testedSamples().map(\.text))
        let shown = try Self.documentedSamples()
        #expect(shown.count > 40)
        for sample in shown where !run.contains(sample.text) {
            Issue.record("No test runs the sample at \(sample.place):\n\(sample.text)")
        }
    }

    @Test func everyTestedSampleIsDocumented() throws {
        let shown = Set(try Self.documentedSamples().map(\.text))
        for sample in try Self.testedSamples() where !shown.contains(sample.text) {
            Issue.record("No article shows the sample at \(sample.place):\n\(sample.text)")
        }
    }
}
