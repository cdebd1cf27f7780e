import Findings
import TerminalUI
import Testing

@testable import Dashboard
@testable import SQLiteWatch

struct WatchDashboardTests {
    private let size = Size(width: 120, height: 40)

    private func picture(_ model: WatchDashboard) -> String {
        model.render(size: size).plainText
    }

    // MARK: Keys

    @Test func eachKeyIsDeclaredOnceAndShownInTheHelp() throws {
        let keys = WatchKeys.standard(WatchScreens.standard)
        let all = keys.bindings.flatMap(\.keys)
        #expect(Set(all).count == all.count)
        var model = try WatchDashboard.watching()
        model.press("?")
        let help = model.render(size: Size(width: 120, height: 90)).plainText
        for binding in keys.bindings {
            #expect(binding.help.utf8.count <= 40, "\(binding.help)")
            #expect(help.contains(binding.help), "\(binding.help)")
            for key in binding.keys { #expect(keys.command(for: key) == binding.command) }
        }
    }

    @Test func aNumberKeyShowsItsScreenAndTheFooterIdentifiesIt() throws {
        for (place, screen) in WatchScreens.standard.enumerated() {
            var model = try WatchDashboard.watching()
            model.press("\(place + 1)")
            #expect(model.screen == place)
            #expect(picture(model).contains(" \(place + 1) \(screen.title)"))
        }
    }

    @Test func configuredKeysApplyToTheWatchDashboard() throws {
        let keys = try WatchKeys(
            screens: WatchScreens.standard,
            changing: [
                .quit: [.character("X")], .sort: [.character("n")], .interrupt: [.function(2)],
            ]
        )
        #expect(keys.command(for: .character("X")) == .common(.quit))
        #expect(keys.command(for: .character("q")) == nil)
        #expect(keys.command(for: .character("n")) == .common(.sort))
        #expect(keys.command(for: .function(2)) == nil)
    }

    @Test func quittingAndCopyingReturnActions() throws {
        var model = try WatchDashboard.watching(until: 18)
        #expect(model.handle(.key(.character("q"))) == [.quit])
        #expect(model.handle(.key(.control("c"))) == [.quit])
        let actions = model.handle(.key(.character("y")))
        guard case .copy(let text)? = actions.first else {
            Issue.record("no copy: \(actions)")
            return
        }
        #expect(text.hasPrefix("sync (4714) has held the write lock"))
        #expect(picture(model).contains("copied: sync"))
    }

    @Test func tabSelectsAPartAndEnterExpandsIt() throws {
        var model = try WatchDashboard.watching()
        for _ in 0..<3 { _ = model.handle(.key(.tab)) }
        _ = model.handle(.key(.enter))
        #expect(picture(model).contains("Write-ahead log"))
        #expect(!picture(model).contains("Tables written"))
        _ = model.handle(.key(.escape))
        #expect(picture(model).contains("Tables written"))
    }

    // MARK: Freeze and time travel

    @Test func aFrozenDisplayDoesNotChangeWhileReportsAreCollected() throws {
        var model = try WatchDashboard.watching(until: 12)
        model.press(" ")
        #expect(model.isPaused)
        let before = picture(model)
        for report in WatchStory().reports(until: 18).suffix(24) { model.ingest([report]) }
        let after = picture(model)
        #expect(before.contains("FROZEN"))
        // Only the resource usage in the footer may change.
        #expect(before.split(separator: "\n").dropLast() == after.split(separator: "\n").dropLast())
        model.press(" ")
        #expect(!model.isPaused)
        #expect(picture(model).contains("sync (4714) has held the write lock"))
    }

    @Test func stepsMoveByReports() throws {
        var model = try WatchDashboard.watching(until: 24)
        model.press("[[")
        #expect(model.isPaused)
        #expect(model.history?.now == 23.5)
        model.press("]")
        #expect(model.history?.now == 23.75)
        model.press("]]]]")
        #expect(model.history?.now == 24)
        _ = model.handle(.key(.escape))
        #expect(!model.isPaused)
    }

    @Test(arguments: [("17", 17.0), ("0:17", 17), ("-7", 17), ("1e9", 24), ("0", 0)])
    func seekingShowsTheLanesLocksAndVerdictOfThatMoment(
        text: String,
        time: Double
    ) throws {
        var model = try WatchDashboard.watching(until: 24)
        #expect(!picture(model).contains("sync (4714)"))
        model.press("S" + text)
        _ = model.handle(.key(.enter))
        #expect(model.overlay == nil)
        #expect(model.history?.now == time)
        guard time == 17 else { return }
        let shown = picture(model)
        #expect(shown.contains("7.0 s AGO"))
        #expect(shown.contains("sync (4714) has held the write lock for at least 1.0 s"))
        #expect(shown.contains("4714 sync"))
        #expect(shown.contains("writer, reader"))
        // The episode was still open at that moment.
        #expect(model.history?.episodes.first?.end == nil)
        #expect(model.history?.episodes.first?.seconds == 1)
    }

    @Test func anInvalidTimeIsRejectedWithAnExample() throws {
        var model = try WatchDashboard.watching()
        model.press("Snoon")
        _ = model.handle(.key(.enter))
        #expect(picture(model).contains("'noon' is not a time; enter 12.5"))
    }

    @Test func aClickOnALaneGoesToItsTime() throws {
        var model = try WatchDashboard.watching(until: 24)
        _ = model.handle(.resize(size))
        // This point is in the middle of the first lane, which shows 30 s.
        _ = model.handle(.mouse(MouseEvent(.press, at: Point(x: 90, y: 6))))
        #expect(model.isPaused)
        let now = try #require(model.history?.now)
        #expect(now > 4 && now < 20)
    }

    // MARK: Filter and sort

    @Test func aFilterKeepsOnlyMatchingRows() throws {
        var model = try WatchDashboard.watching(until: 18)
        model.press("/repo")
        #expect(model.content.rowNames == ["4713 report"])
        _ = model.handle(.key(.enter))
        #expect(picture(model).contains("filter \"repo\": 1 of 5"))
        #expect(!picture(model).contains("4712 web"))
        model.press("/")
        _ = model.handle(.key(.backspace))
        _ = model.handle(.key(.escape))
        #expect(model.view.filter == "repo")
        _ = model.handle(.key(.escape))
        #expect(model.content.rowNames.count == 5)
    }

    @Test func rowsAreSortedByEachColumnAndReversed() throws {
        var model = try WatchDashboard.watching(until: 18)
        func names() -> [String] { model.content.rowNames }
        /// Returns the names without the preceding process IDs.
        func programs() -> [Substring] { names().map { $0.drop { $0 != " " } } }
        let natural = names()
        model.press("s")
        #expect(model.view.sortColumn == "process")
        #expect(programs() == programs().sorted())
        model.press("r")
        #expect(programs() == programs().sorted().reversed())
        while model.view.sortColumn != "writes %" { model.press("s") }
        #expect(names().first == "4711 worker")
        while model.view.sortColumn != nil { model.press("s") }
        #expect(names() == natural)
    }

    // MARK: Databases

    @Test func theBusiestDatabaseIsListedFirstAndEnterOpensADatabase() throws {
        var model = WatchDashboard()
        model.showDatabases()
        for report in WatchStory(path: "/srv/quiet.db").reports(until: 4) {
            var report = report
            report.wal?.commits = 0
            model.ingest([report])
        }
        for report in WatchStory(path: "/srv/busy.db").reports(until: 4) { model.ingest([report]) }
        #expect(model.content.rowNames == ["/srv/busy.db", "/srv/quiet.db"])
        _ = model.handle(.key(.down))
        _ = model.handle(.key(.enter))
        #expect(model.screen == 0)
        #expect(picture(model).contains("busy.db"))
        model.press("n")
        #expect(picture(model).contains("quiet.db"))
        model.press("N")
        #expect(picture(model).contains("busy.db"))
    }

    @Test func enterOnAProcessShowsItInDetail() throws {
        var model = try WatchDashboard.watching(until: 18)
        while model.view.selected != "4713 report" { _ = model.handle(.key(.down)) }
        _ = model.handle(.key(.enter))
        let shown = picture(model)
        #expect(model.screens[model.screen] is ProcessesScreen.Type)
        #expect(shown.contains("python3 report.py --month 11"))
        #expect(shown.contains("reader, mark 1, frame 500"))
        #expect(shown.contains("pins 800 frames"))
    }

    // MARK: Untrusted text

    @Test func controlCharactersFromOtherProgramsAreNotDisplayed() throws {
        let hostile = "a\u{1B}[2J\u{202E}b\u{7}\n"
        var story = WatchStory(path: "/srv/\(hostile).db", idleName: hostile, table: hostile)
        story.interval = 1
        var model = WatchDashboard()
        for report in story.reports(until: 12) { model.ingest([report]) }
        for place in model.screens.indices {
            _ = model.perform(.screen(place))
            for glyphs in GlyphSet.allCases {
                model.glyphs = glyphs
                let surface = model.render(size: size)
                for cell in surface.cells {
                    let isSafe = cell.character.unicodeScalars.allSatisfy { scalar in
                        scalar.value >= 0x20 && scalar.value != 0x7F && scalar.value != 0x202E
                    }
                    #expect(isSafe, "\(cell.character.debugDescription)")
                }
            }
        }
        let history = try #require(model.history)
        let names = history.rows.map(\.name) + history.tables.map(\.name)
        #expect(names.filter { $0.hasPrefix("a\\u{1b}[2J\\u{202e}b") }.count == 2)
    }

    // MARK: Robustness

    @Test func everyScreenCanBeDrawnInAnySize() throws {
        var model = try WatchDashboard.watching(until: 18)
        for place in model.screens.indices {
            _ = model.perform(.screen(place))
            for width in [1, 10, 39, 40, 61, 80, 133, 300] {
                for height in [1, 5, 9, 10, 13, 24, 51, 100] {
                    let surface = model.render(size: Size(width: width, height: height))
                    #expect(surface.size == Size(width: width, height: height))
                }
            }
        }
    }

    @Test func aDatabaseThatReappearsKeepsItsPosition() throws {
        var model = try WatchDashboard.watching(until: 4)
        var reports = WatchStory().reports(until: 8)
        reports[20].file.state = .missing
        reports[20].file.problem = "there is no such file"
        reports[20].wal = nil
        reports[20].processes = []
        model.ingest([reports[20]])
        #expect(picture(model).contains("missing"))
        model.ingest([reports[24]])
        #expect(model.databases.count == 1)
        #expect(picture(model).contains("WAL"))
    }

    @Test func reportsOfManyDatabasesShareOneBudget() throws {
        var model = WatchDashboard()
        for number in 0..<40 {
            let story = WatchStory(path: "/srv/\(number).db")
            for report in story.reports(until: 100) { model.ingest([report]) }
        }
        #expect(model.databases.map(\.reportBytes).reduce(0, +) <= WatchHistory.budget)
        // The oldest reports are removed, but the newest ones are available.
        var history = model.databases[39]
        history.show(time: 0)
        #expect(history.now > 0 && history.now < 100)
    }

    /// If hundreds of processes use a database, seconds can pass between two complete lists of
    /// locks.
    @Test func reportsWithoutLocksAreExcludedFromReaderShares() throws {
        var history = WatchHistory(path: "/srv/shop/app.sqlite")
        for (number, report) in WatchStory().reports().enumerated() {
            var report = report
            if !number.isMultiple(of: 4) {
                report.window.listSamples = 0
                for index in report.processes.indices {
                    report.processes[index].share.reader.value = 0
                }
            }
            history.append(report, time: Double(number) * 0.25)
        }
        // The read transaction is open during all ten seconds.
        let row = try #require(history.rows.first { $0.pid == 4713 })
        #expect(row.share.reader.value == 1)
    }

    @Test func theSizeOfReportsIncludesTheTextsOfStatements() throws {
        let text = String(repeating: "x", count: 1_000)
        func bytes(_ change: (inout WatchReport) -> Void) throws -> Int {
            var report = try #require(WatchStory().reports(until: 1).first)
            report.statements = [WatchedStatement(sql: "SELECT 1")]
            report.transactions = [WatchedTransaction(pid: 1, connection: "7f")]
            let size = { (report: WatchReport) in
                var history = WatchHistory(path: "/srv/app.db")
                history.append(report, time: 0)
                return history.reportBytes
            }
            let before = size(report)
            change(&report)
            return size(report) - before
        }
        let texts = [text, text]
        #expect(try bytes { $0.statements?[0].sql += text } == 1_000)
        #expect(try bytes { $0.statements?[0].plan = texts } >= 2_000)
        #expect(try bytes { $0.statements?[0].values = texts } >= 2_000)
        #expect(try bytes { $0.statements?[0].upgradeAfter = text } == 1_000)
        #expect(try bytes { $0.transactions?[0].gapBefore = text } == 1_000)
        #expect(try bytes { $0.copies = [WatchedCopy(pid: 1, library: text)] } >= 1_000)
    }

    @Test func memoryIsBoundedDuringALongWatch() {
        var history = WatchHistory(path: "/srv/app.db")
        var time = 0.0
        for report in WatchStory().reports(until: 600) {
            history.append(report, time: time)
            time += 0.25
        }
        #expect(history.moments.count == WatchHistory.capacity)
        #expect(history.lanes.allSatisfy { $0.points.count <= WatchHistory.capacity })
        history.show(time: 0)
        #expect(history.now >= 600 - Double(WatchHistory.capacity) / 4)
    }
}
