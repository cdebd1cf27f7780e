extension ScenarioDecoder {
    /// Decodes `busy: {timeout: 5s, retry: fixed 1ms}` or its short form, `busy-timeout: 5s`.
    func decodeBusy(_ reader: MappingReader, into arm: inout Arm) {
        guard reader.has("busy") else {
            arm.busyTimeout = reader.duration("busy-timeout")
            return
        }
        guard let busy = reader.mapping("busy"), busy.required("timeout", example: "5s") != nil
        else {
            return
        }
        arm.busyTimeout = busy.duration("timeout")
        arm.busyRetry = busy.quantity("retry", BusyRetry.init(parsing:))
        checkPause(busy, of: arm)
    }

    /// Logs an error if a fixed pause is longer than the timeout.
    private func checkPause(_ busy: MappingReader, of arm: Arm) {
        guard case .fixed(let pause)? = arm.busyRetry, let timeout = arm.busyTimeout,
            let text = busy.text("retry"), let limit = busy.text("timeout")
        else { return }
        if timeout <= .zero {
            busy.add(
                "'retry: \(text)' of \(busy.what) requires a timeout above 0, such as timeout: 5s, "
                    + "not '\(limit)'",
                atValue: "retry"
            )
        } else if pause > timeout {
            busy.add(
                "the pause of 'retry: \(text)' of \(busy.what) must not be longer than its timeout, "
                    + "'\(limit)'",
                atValue: "retry"
            )
        }
    }
}
