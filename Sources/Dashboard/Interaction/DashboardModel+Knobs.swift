import Telemetry

extension DashboardModel {
    /// Changes the selected setting of the load by one step.
    mutating func stepKnob(up: Bool) -> [DashboardAction] {
        guard let sample = history.latest else { return [] }
        let knobs = Knob.all(in: sample)
        guard let knob = knobs.first(where: { $0.name == view.selected }) ?? knobs.first else {
            note("this run has no settings", severity: .warning)
            return []
        }
        view.selected = knob.name
        let current = requestedKnobs[knob.name] ?? knob.value
        guard let value = knob.stepped(from: current, up: up) else {
            note(
                "'\(knob.name)' cannot be \(up ? "higher" : "lower") than \(knob.text(current))",
                severity: .warning
            )
            return []
        }
        requestedKnobs[knob.name] = value
        return [knob.action(setting: value)]
    }

    /// Removes the requests that a sample confirms.
    ///
    /// A new run removes all requests.
    mutating func discardConfirmedKnobs(_ sample: Sample, isNewRun: Bool) {
        guard !requestedKnobs.isEmpty else { return }
        if isNewRun {
            requestedKnobs = [:]
            return
        }
        for knob in Knob.all(in: sample) {
            guard let requested = requestedKnobs[knob.name] else { continue }
            if abs(requested - knob.value) <= 1e-6 * max(1, abs(requested)) {
                requestedKnobs[knob.name] = nil
            }
        }
    }
}
