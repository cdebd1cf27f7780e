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

    // Returns the text between lines that begin and end samples. `content` returns the relevant
    // part of a line. The other two closures receive that part without leading whitespace.
    private static func samples(
        of file: URL,
        begins: (Substring) -> Bool,
        ends: (Substring) -> Bool,
        content: (Substring) -> Substring = { $0 }
    ) throws -> [Sample] {
        var samples: [Sample] = []
        var current: [Substring]?
        var first = 0
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines.map(content)) {
            let trimmed = line.trimmingPrefix { $0 == " " }
            if current == nil, begins(trimmed) {
                current = []
                first = number + 1
            } else if let lines = current, ends(trimmed) {
                let place = "\(file.lastPathComponent):\(first)"
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
    private static func run() throws -> [Sample] {
        let folders = [
            "SQLiteEngineTests/Documentation", "EngineTargetTests/Documentation", "OwnTarget",
        ]
        return try folders.flatMap {
            try files(below: "Tests/\($0)", ending: ".swift")
        }.flatMap {
            try samples(of: $0, begins: { $0 == "// sample" }, ends: { $0 == "// end" })
        }
    }

    /// Returns the samples in the documentation.
    private static func shown() throws -> [Sample] {
        let sources = ["Sources/SQLiteEngine", "Sources/WorkloadEngine"]
        let articles = try sources.flatMap { try files(below: $0, ending: ".md") }.flatMap {
            try samples(of: $0, begins: { $0 == "```swift" }, ends: { $0 == "```" })
        }
        let comments = try sources.flatMap { try files(below: $0, ending: ".swift") }.flatMap {
            try samples(of: $0, begins: { $0 == "```swift" }, ends: { $0 == "```" }) { line in
                let text = line.trimmingPrefix { $0 == " " }
                guard text.hasPrefix("///") else { return "" }
                return text.dropFirst(3).hasPrefix(" ") ? text.dropFirst(4) : ""
            }
        }
        return articles + comments
    }

    @Test func everySampleIsRun() throws {
        let run = Set(try Self.run().map(\.text))
        let shown = try Self.shown()
        #expect(shown.count > 40)
        for sample in shown where !run.contains(sample.text) {
            Issue.record("No test runs the sample at \(sample.place):\n\(sample.text)")
        }
    }

    @Test func everyRunSampleIsShown() throws {
        let shown = Set(try Self.shown().map(\.text))
        for sample in try Self.run() where !shown.contains(sample.text) {
            Issue.record("No article shows the sample at \(sample.place):\n\(sample.text)")
        }
    }
}
