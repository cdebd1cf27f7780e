import Foundation
import Reports
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Tests that no name or message changes the structure of a report.
struct HostileReportTests {
    /// A name that no format escapes.
    private static let plainName = "plain"
    private static let texts = HostileStrings.all

    @Test(arguments: texts)
    func everyLineOfTextIsPrintable(name: String) {
        let plain = TextReport.text(of: ResultFixture.result(named: Self.plainName))
        let text = TextReport.text(of: ResultFixture.result(named: name))
        #expect(HostileStrings.unprintableScalars(in: text) == [])
        #expect(lineCount(text) == lineCount(plain))
        let comparison = ComparisonReport.text(of: ResultFixture.comparison(named: name))
        #expect(HostileStrings.unprintableScalars(in: comparison) == [])
    }

    /// Foundation removes a leading byte order mark from the strings that it decodes.
    @Test(arguments: texts.filter(HostileStrings.isReadableByFoundation))
    func jsonContainsTheName(name: String) throws {
        let json = try JSONReport.text(of: ResultFixture.result(named: name))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let result = try #require(object as? [String: Any])
        #expect((result["scenario"] as? String).map(scalars) == scalars(name))
        let runs = try #require(result["runs"] as? [[String: Any]])
        let clients = try #require(runs.first?["clients"] as? [String: Any])
        #expect(clients.keys.map(scalars) == [scalars(name)])
    }

    @Test(.enabled(if: IndependentParser.isAvailable))
    func csvContainsTheName() throws {
        let documents =
            Self.texts.map { CSVReport.text(of: ResultFixture.result(named: $0)) }
            + Self.texts.map { ComparisonCSV.text(of: ResultFixture.comparison(named: $0)) }
        let rows = try IndependentParser.csv(documents)
        for (name, rows) in zip(Self.texts + Self.texts, rows) {
            let column = try #require(rows.first?.firstIndex(of: "scenario"))
            #expect(rows.count > 1)
            for row in rows.dropFirst() {
                #expect(row.count == rows[0].count, "\(name.debugDescription)")
                #expect(scalars(row[column]) == scalars(name), "\(name.debugDescription)")
            }
        }
    }

    @Test(.enabled(if: IndependentParser.isAvailable))
    func htmlContainsOnlyItsElementsAndTheNameInItsData() throws {
        let names = [Self.plainName] + Self.texts
        let pages = try IndependentParser.html(
            names.map { try HTMLReport.text(of: ResultFixture.result(named: $0)) }
        )
        for (name, page) in zip(names, pages) {
            #expect(page.tags == pages[0].tags, "\(name.debugDescription)")
            #expect(page.attributes == pages[0].attributes, "\(name.debugDescription)")
            try #require(page.scripts.count == 1)
            let object = try JSONSerialization.jsonObject(with: Data(page.scripts[0].utf8))
            let scenario = (object as? [String: Any])?["scenario"] as? String
            if HostileStrings.isReadableByFoundation(name) {
                #expect(scenario.map(scalars) == scalars(name))
            }
        }
        let comparisons = try IndependentParser.html(
            names.map { try ComparisonHTML.text(of: ResultFixture.comparison(named: $0)) }
        )
        for (name, page) in zip(names, comparisons) {
            #expect(page.tags == comparisons[0].tags, "\(name.debugDescription)")
            #expect(page.attributes == comparisons[0].attributes, "\(name.debugDescription)")
        }
    }

    @Test(arguments: texts)
    func junitIsValidXML(name: String) throws {
        for text in [
            JUnitReport.text(of: ResultFixture.result(named: name)),
            JUnitReport.text(of: ResultFixture.comparison(named: name)),
        ] {
            let parser = XMLParser(data: Data(text.utf8))
            let log = XMLLog()
            parser.delegate = log
            #expect(parser.parse(), "\(name.debugDescription)")
            #expect(
                log.elements.isSubset(of: [
                    "testsuites", "testsuite", "testcase", "properties", "property", "failure",
                    "error", "skipped", "system-out",
                ])
            )
            #expect(HostileStrings.unprintableScalars(in: text).filter { $0.value < 0x80 } == [])
        }
    }

    @Test(arguments: texts)
    func markdownHasTheStructureOfPlainNames(name: String) {
        #expect(
            shape(MarkdownReport.text(of: ResultFixture.result(named: name)))
                == shape(MarkdownReport.text(of: ResultFixture.result(named: Self.plainName)))
        )
        #expect(
            shape(ComparisonReport.markdown(of: ResultFixture.comparison(named: name)))
                == shape(
                    ComparisonReport.markdown(of: ResultFixture.comparison(named: Self.plainName))
                )
        )
    }

    /// Returns the structure of each line: its list marker, its other unescaped markers, and `!`
    /// for each control character or character that changes the text direction.
    private func shape(_ markdown: String) -> [String] {
        markdown.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            line in
            var markers = line.starts(with: "* ".unicodeScalars) ? "* " : ""
            var isEscaped = false
            for scalar in line {
                if !isEscaped, "`_[]<>|#&~".unicodeScalars.contains(scalar) {
                    markers.unicodeScalars.append(scalar)
                }
                switch scalar.value {
                case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                    markers += "!"
                default: break
                }
                isEscaped = scalar == "\\" && !isEscaped
            }
            return markers
        }
    }

    private func lineCount(_ text: String) -> Int { text.utf8.count { $0 == 10 } }

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}

private final class XMLLog: NSObject, XMLParserDelegate {
    var elements: Set<String> = []

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements.insert(name)
    }
}
