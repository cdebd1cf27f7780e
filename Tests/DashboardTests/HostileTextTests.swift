import Foundation
import Telemetry
import TerminalUI
import TestSupport
import Testing

@testable import Dashboard
@testable import SQLiteWatch

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Tests that names and SQL from other programs cannot alter the screen or an exported picture.
struct HostileTextTests {
    private static let sample = Story().samples(until: 25.9).last

    private func runDashboard(_ text: String) throws -> DashboardModel {
        var sample = try #require(Self.sample)
        sample.scenario = text
        sample.arm = text
        sample.arms = [text]
        sample.phase = text
        sample.database.label = text
        sample.database.path = text
        for index in sample.database.connections.indices {
            sample.database.connections[index].sql = text
            sample.database.connections[index].holder = AccessOrigin(name: text)
            sample.database.connections[index].label = "\(index)" + text
        }
        for index in sample.clients.indices { sample.clients[index].name = "\(index)" + text }
        sample.events = [TelemetryEvent(time: 1, severity: .error, message: text)]
        var model = DashboardModel()
        model.ingest(sample)
        model.note(text)
        return model
    }

    private func watchDashboard(_ text: String) -> WatchDashboard {
        var story = WatchStory()
        story.path = text
        story.idleName = text
        story.table = text
        var dashboard = WatchDashboard()
        for var report in story.reports(until: 20).suffix(4) {
            for index in report.processes.indices { report.processes[index].commandLine = text }
            report.notes = [text]
            report.findings[safe: 0]?.text = text
            dashboard.ingest([report])
        }
        dashboard.note(text)
        return dashboard
    }

    // Delimiters have no meaning on a screen.
    @Test(arguments: HostileStrings.controls + HostileStrings.invisible + HostileStrings.shapes)
    func noCellContainsAControlCharacter(text: String) throws {
        var model = try runDashboard(text)
        for screen in DashboardScreen.allCases {
            _ = model.handle(.key(.character(Character("\(screen.rawValue)"))))
            try check(model.render(size: Size(width: 120, height: 40)), text)
        }
        var dashboard = watchDashboard(text)
        for number in 1...dashboard.screens.count {
            _ = dashboard.handle(.key(.character(Character("\(number)"))))
            try check(dashboard.render(size: Size(width: 120, height: 40)), text)
        }
    }

    @Test(arguments: HostileStrings.all)
    func aWatchReportIsPrintable(text: String) {
        var story = WatchStory()
        story.path = text
        story.idleName = text
        story.table = text
        for var report in story.reports(until: 20).suffix(1) {
            report.notes = [text]
            #expect(HostileStrings.unprintableScalars(in: WatchText.text(of: report)) == [])
        }
    }

    @Test func aReportWithImpossibleNumbersIsFormatted() throws {
        var report = try #require(WatchStory().reports(until: 20).last)
        report.window.samples = -1
        report.window.listSamples = .min
        report.window.seconds = .infinity
        #expect(WatchText.text(of: report).contains("0 samples in "))
        for share in [1e308, -1e308, .infinity, .nan] {
            for index in report.processes.indices {
                report.processes[index].share.reader.value = share
                report.processes[index].processorShare = share
            }
            var dashboard = WatchDashboard()
            dashboard.ingest([report])
            _ = dashboard.render(size: Size(width: 120, height: 40))
        }
    }

    @Test(arguments: DashboardScreen.allCases)
    func impossibleNumbersFromAnAgentAreDrawn(screen: DashboardScreen) throws {
        var sample = try #require(Story().samples(until: 25.9).last)
        var model = DashboardModel()
        model.ingest(sample)
        for number in [Int.max, .min] {
            sample.sequence += 1
            sample.database.readers?.maximum = number
            sample.database.readers?.inUse = number
            for index in sample.clients.indices {
                sample.clients[index].slow?.holders[0].held = Double(number) * 1e100
            }
            model.ingest(sample)
            _ = model.handle(.key(.character(Character("\(screen.rawValue)"))))
            #expect(model.render(size: Size(width: 120, height: 40)).size.width == 120)
        }
    }

    private func check(_ surface: Surface, _ text: String) throws {
        let unsafe = surface.cells.flatMap { cell in
            HostileStrings.unprintableScalars(in: cell.character)
                + cell.character.unicodeScalars.filter { $0 == "\n" }
        }
        #expect(unsafe == [], "\(text.debugDescription)")
        let svg = SVGRenderer.render(surface, title: text)
        let parser = XMLParser(data: Data(svg.utf8))
        let log = ElementLog()
        parser.delegate = log
        #expect(parser.parse(), "\(text.debugDescription)")
        #expect(
            log.elements.isSubset(of: [
                "svg", "title", "defs", "pattern", "rect", "g", "text", "path", "circle", "line",
            ]),
            "\(log.elements)"
        )
        let escapes = try Regex("\u{1B}\\[[0-9;]*m")
        let visibleText = surface.ansiText.replacing(escapes, with: "")
        #expect(HostileStrings.unprintableScalars(in: visibleText) == [])
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        get { indices.contains(index) ? self[index] : nil }
        set {
            if let newValue, indices.contains(index) { self[index] = newValue }
        }
    }
}

private final class ElementLog: NSObject, XMLParserDelegate {
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
