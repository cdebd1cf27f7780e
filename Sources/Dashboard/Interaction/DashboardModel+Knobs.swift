import Telemetry

extension DashboardModel {
    /// Turns the selected knob of the load by a step.
    mutating func turnKnob(up: Bool) -> [DashboardAction] {
        guard let sample = history.latest else { return [] }
        let knobs = Knob.all(in: sample)
        guard let knob = knobs.first(where: { $0.name == view.selected }) ?? knobs.first else {
            note("nothing about this run can be turned while it runs", severity: .warning)
            return []
        }
        view.selected = knob.name
        let from = asked[knob.name] ?? knob.value
        guard let value = knob.stepped(from: from, up: up) else {
            note("\(knob.name) goes no further than \(knob.text(from))", severity: .warning)
            return []
        }
        asked[knob.name] = value
        return [knob.action(setting: value)]
    }

    /// Forgets what was asked for where a sample shows it, or where a new run began.
    mutating func settleKnobs(_ sample: Sample, isNewRun: Bool) {
        guard !asked.isEmpty else { return }
        if isNewRun {
            asked = [:]
            return
        }
        for knob in Knob.all(in: sample) {
            guard let wanted = asked[knob.name] else { continue }
            if abs(wanted - knob.value) <= 1e-6 * max(1, abs(wanted)) { asked[knob.name] = nil }
        }
    }
}
