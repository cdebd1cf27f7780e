import TerminalUI
import Testing

@testable import Dashboard

struct ReplayControlsTests {
    private let size = Size(width: 120, height: 40)

    private func makeControls() -> ReplayControls {
        ReplayControls(clock: ReplayClock(range: 0...3_600_000, isPlaying: false))
    }

    private func picture(_ controls: ReplayControls) -> String {
        let model = DashboardModel(keys: DashboardKeys.standard.forReplay)
        let content = model.render(size: Size(width: 120, height: 38))
        return ReplayBar(controls: controls, clockTime: "2026-11-26 02:13:05")
            .surface(below: content, size: size, theme: .standard, glyphs: .braille).plainText
    }

    @Test func keysControlTheClock() {
        var controls = makeControls()
        #expect(controls.handle(.character(" ")) == .handled)
        #expect(controls.clock.isPlaying)
        #expect(controls.handle(.character(">")) == .handled)
        #expect(controls.clock.speed == 2)
        #expect(controls.handle(.character(")")) == .handled)
        #expect(controls.clock.position == 3_600_000)
        #expect(!controls.clock.isPlaying)
        #expect(controls.handle(.character("(")) == .handled)
        #expect(controls.clock.position == 0)
        #expect(controls.handle(.character("]")) == .step(1))
        #expect(controls.handle(.character("w")) == .find(.wait, isForward: true))
        #expect(controls.handle(.character("B")) == .find(.busy, isForward: false))
        #expect(controls.handle(.character("2")) == .unused)
    }

    @Test func theEnteredTimeIsReported() {
        var controls = makeControls()
        _ = controls.handle(.character("S"))
        for character in "10x" { #expect(controls.handle(.character(character)) == .handled) }
        _ = controls.handle(.backspace)
        _ = controls.handle(.character("m"))
        #expect(picture(controls).contains("go to 10m"))
        #expect(controls.handle(.enter) == .seek("10m"))
        controls.rejectTime("10m", problem: "no such time")
        #expect(picture(controls).contains("no such time"))
        _ = controls.handle(.escape)
        #expect(!picture(controls).contains("no such time"))
    }

    @Test func theBarShowsThePositionAndTheSpeed() {
        var controls = makeControls()
        controls.clock.seek(to: 633_000)
        controls.clock.setSpeed(60)
        let text = picture(controls)
        #expect(text.contains("PAUSED 60x 0:10:33 of 1:00:00  2026-11-26 02:13:05"))
        #expect(text.contains("play or pause"))
        controls.message = ("a message", false)
        #expect(picture(controls).contains("2026-11-26 02:13:05  a message"))
    }

    @Test func replayKeysReplaceTheKeysOfALiveRun() {
        let keys = DashboardKeys.standard.forReplay
        for binding in ReplayKeys.standard.bindings {
            for key in binding.keys { #expect(keys.command(for: key) == nil) }
            #expect(binding.help.utf8.count <= 40)
        }
        for character in "anxiIcp" { #expect(keys.command(for: .character(character)) == nil) }
        #expect(keys.command(for: .character("q")) == .quit)
        let watch = WatchKeys.standard(WatchScreens.standard).forReplay
        #expect(watch.command(for: .character("n")) == .nextDatabase)
        #expect(watch.command(for: .character(" ")) == nil)
    }

    @Test func theHelpListsTheKeysOfTheReplay() throws {
        var model = DashboardModel(keys: DashboardKeys.standard.forReplay)
        model.replayKeys = .standard
        _ = model.handle(.key(.character("?")))
        var watch = WatchDashboard(keys: WatchKeys.standard(WatchScreens.standard).forReplay)
        watch.replayKeys = .standard
        _ = watch.handle(.key(.character("?")))
        let tall = Size(width: 120, height: 90)
        for help in [model.render(size: tall).plainText, watch.render(size: tall).plainText] {
            for binding in ReplayKeys.standard.bindings {
                #expect(help.contains(binding.help), "\(binding.help)")
            }
            #expect(!help.contains("Actions on the run"))
            #expect(!help.contains("freeze the display"))
            #expect(!help.contains("the setting") && !help.contains("live view"))
        }
    }
}
