import Telemetry

extension DashboardModel {
    /// Changes the selected setting of the load by one step.
    mutating func stepSetting(up: Bool) -> [DashboardAction] {
        guard let sample = history.displayedSample else { return [] }
        let settings = LoadSetting.all(in: sample)
        guard let setting = settings.first(where: { $0.name == view.selected }) ?? settings.first
        else {
            note("this run has no settings", severity: .warning)
            return []
        }
        view.selected = setting.name
        let current = requestedSettings[setting.name] ?? setting.value
        guard let value = setting.stepped(from: current, up: up) else {
            note(
                "'\(setting.name)' cannot be \(up ? "higher" : "lower") than "
                    + setting.text(current),
                severity: .warning
            )
            return []
        }
        requestedSettings[setting.name] = value
        return [setting.action(setting: value)]
    }

    /// Removes the requests that a sample confirms.
    ///
    /// A new run removes all requests.
    mutating func discardConfirmedSettings(in sample: Sample, isNewRun: Bool) {
        guard !requestedSettings.isEmpty else { return }
        if isNewRun {
            requestedSettings = [:]
            return
        }
        for setting in LoadSetting.all(in: sample) {
            guard let requested = requestedSettings[setting.name] else { continue }
            if abs(requested - setting.value) <= 1e-6 * max(1, abs(requested)) {
                requestedSettings[setting.name] = nil
            }
        }
    }
}
