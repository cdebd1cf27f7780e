import Text

/// A type that checks that clients' times fit within the measured time of a run.
struct MeasuredTimeCheck {
    /// The measured time, or zero to disable the checks.
    let measured: Duration

    func check(_ client: Client, report: (_ key: String, _ problem: String) -> Void) {
        guard measured > .zero else { return }
        let whole = Quantity.text(measured)
        var hold: TimeSpan?
        switch client.activity {
        case .hold(let span, _), .snapshot(let span, _): hold = span
        case .operations, .importRows, .interrupt, .action: break
        }
        let length = hold?.resolved(in: measured) ?? .zero
        if let hold, length > measured {
            report("hold", "lasts \(text(hold)), longer than the measured time, \(whole)")
            return
        }
        switch client.pace {
        case .at(let span):
            let moment = span.resolved(in: measured)
            if moment >= measured {
                report(
                    "at",
                    "is \(text(span)), but must be before the end of the measured time, "
                        + whole
                )
            } else if let hold, moment + length > measured {
                report(
                    "hold",
                    "starts at \(text(span)) and lasts \(text(hold)), which exceeds the measured "
                        + "time, \(whole)"
                )
            }
        case .every(let span):
            let period = span.resolved(in: measured)
            if period >= measured {
                report(
                    "every",
                    "is \(text(span)), but must be shorter than the measured time, "
                        + whole
                )
            } else if let hold, period + length > measured {
                report(
                    "hold",
                    "starts after \(text(span)) and lasts \(text(hold)), which exceeds the "
                        + "measured time, \(whole)"
                )
            }
        case .closed, .open:
            break
        }
    }

    private func text(_ span: TimeSpan) -> String {
        switch span {
        case .absolute(let duration): Quantity.text(duration)
        case .share(let share): ReportUnits.unitless((share * 1e6).rounded() / 1e4) + "%"
        }
    }
}
