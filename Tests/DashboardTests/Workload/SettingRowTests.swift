import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct SettingRowTests {
    private func dashboard(until end: Double = 10) -> DashboardModel {
        var model = DashboardModel()
        for sample in Story().samples(until: end) { model.ingest(sample) }
        _ = model.handle(.key(.character("7")))
        return model
    }

    private func press(_ keys: [Key], _ model: inout DashboardModel) -> [DashboardAction] {
        keys.flatMap { model.handle(.key($0)) }
    }

    @Test func theFirstSettingChangesTheReadersInStepsOfOne() {
        var model = dashboard()
        #expect(press([.right], &model) == [.setReaderCount(5)])
        #expect(press([.right], &model) == [.setReaderCount(6)])
        #expect(press([.character("-")], &model) == [.setReaderCount(5)])
    }

    @Test func stepsStartAtTheRequestedValueUntilASampleConfirmsIt() throws {
        var model = dashboard()
        let select = Array(repeating: Key.down, count: 4)
        #expect(
            press(select + [.right], &model) == [
                .changeSetting(.rate(client: "ui", perSecond: 300))
            ]
        )
        #expect(model.requestedSettings == ["ui: rate": 300])
        #expect(
            press([.character("+")], &model) == [
                .changeSetting(.rate(client: "ui", perSecond: 400))
            ]
        )
        let size = Size(width: 120, height: 40)
        #expect(model.render(size: size).plainText.contains("400/s"))
        var sample = try #require(Story().samples(until: 10.1).last)
        sample.settings?.clients[0].rate = 400
        model.ingest(sample)
        #expect(model.requestedSettings.isEmpty)
    }

    @Test func aShareNeverExceedsOne() {
        let setting = SettingRow(kind: .writeShare, value: 0.95)
        #expect(setting.stepped(from: 0.95, up: true) == 1)
        #expect(setting.stepped(from: 1, up: true) == nil)
        #expect(setting.stepped(from: 0.37, up: false) == 0.3)
    }

    @Test(arguments: [
        (200.0, true, 300.0), (300, false, 200), (100, false, 80), (80, true, 100),
        (0.1, true, 0.15), (0, true, 0.1), (147, true, 150), (147, false, 100),
    ])
    func ratesChangeInRoundSteps(rate: Double, isIncrease: Bool, expected: Double) throws {
        let setting = SettingRow(kind: .rate(client: "ui"), value: rate)
        let next = try #require(setting.stepped(from: rate, up: isIncrease))
        #expect(abs(next - expected) < 1e-9)
    }

    @Test func aRunWithoutSettingsIsReported() throws {
        var sample = try #require(Story(kind: .queue).samples(until: 0).first)
        sample.settings = nil
        var model = DashboardModel()
        model.ingest(sample)
        #expect(press([.character("7"), .right], &model).isEmpty)
        let picture = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(picture.contains("this run has no settings"))
    }
}
