import Findings
import Text

extension ArmResult {
    /// The facts of the run for the rules that explain failures and slow statements.
    var loadFacts: LoadFacts {
        var facts = LoadFacts()
        for (name, client) in clients {
            facts.clients[name] = LoadFacts.Client(
                started: client.started + client.retried,
                errors: client.errors,
                longestAccess: client.service?.max
            )
            for (operation, result) in client.operations ?? [:] {
                guard let profile = result.profile, let counters = profile.counters else {
                    continue
                }
                facts.operations.append(
                    LoadFacts.Operation(
                        client: name,
                        name: operation,
                        rate: result.throughput ?? 0,
                        steps: counters.vmSteps,
                        plans: profile.plans.map { ($0.sql, $0.lines) }
                    )
                )
            }
        }
        facts.busy = (busy?.groups ?? []).map { group in
            var fact = LoadFacts.Busy(
                cause: group.cause,
                client: group.client,
                count: group.count
            )
            fact.statement = group.statement
            fact.longestWait = group.longestWait
            fact.timeout = group.timeout
            fact.holder =
                group.holders.filter { $0.key != LockHolders.unknown }
                .max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            return fact
        }
        return facts
    }
}

extension TextReport {
    /// The findings of a run, each with its remedy.
    static func findings(_ run: ArmResult) -> [String] {
        guard let findings = run.findings, !findings.isEmpty else { return [] }
        return ["  findings"] + Self.findings(findings)
    }

    static func findings(_ findings: [Finding]) -> [String] {
        findings.flatMap { finding in
            Paragraph.lines("\(finding.level.mark) \(finding.text)", first: "    ", rest: "      ")
                + (finding.remedy.map { Paragraph.lines($0, first: "      → ", rest: "        ") }
                    ?? [])
        }
    }
}
