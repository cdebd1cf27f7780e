import Telemetry
import Text
import YAML

/// An encoder that writes a scenario as YAML, which ``ScenarioDecoder`` reads back unchanged.
package struct ScenarioEncoder {
    private let scenario: Scenario
    private let comments: [String: [String]]

    /// Returns the text of a scenario.
    ///
    /// - Parameters:
    ///   - scenario: The scenario. Relative paths of files are written as they are.
    ///   - introduction: The paragraphs of the comment at the top.
    ///   - comments: The paragraphs of the comments before keys, by path, such as `clients.ui`.
    /// - Returns: The text.
    package static func text(
        of scenario: Scenario,
        introduction: [String] = [],
        comments: [String: [String]] = [:]
    ) -> String {
        let encoder = ScenarioEncoder(scenario: scenario, comments: comments)
        let lines = YAMLValue.comment(introduction).map { $0 + "\n" }.joined()
        return lines + YAMLValue.mapping(encoder.entries).document
    }

    private typealias Entry = YAMLValue.Entry

    private var entries: [Entry] {
        var entries = [
            Entry("version", .plain(scenario.version)), Entry("name", .name(scenario.name)),
        ]
        if !scenario.description.isEmpty {
            entries.append(Entry("description", .text(scenario.description)))
        }
        entries.append(Entry("seed", .plain(scenario.seed)))
        if scenario.arms.contains(where: \.isGuarded) {
            entries.append(Entry("guard", .plain("captured")))
        }
        entries.append(commented("dataset", value: Self.dataset(scenario.dataset)))
        entries.append(
            section("arms", values: scenario.arms.map { ($0.name, .mapping(Self.arm($0))) })
        )
        entries.append(Entry("phases", .list(scenario.phases.map(Self.phase)).block))
        entries.append(Entry("drain", .plain(Quantity.exactText(scenario.drain))))
        let variables = scenario.variables.sorted { $0.key < $1.key }.map { name, variable in
            (
                name,
                YAMLValue.mapping(Self.variable(variable, source: scenario.inheritedRanges[name]))
            )
        }
        if !variables.isEmpty { entries.append(section("variables", values: variables)) }
        let transactions = scenario.transactions.sorted { $0.key < $1.key }.map { name, steps in
            (name, YAMLValue.list(steps.map(Self.step)).block)
        }
        if !transactions.isEmpty { entries.append(section("transactions", values: transactions)) }
        entries.append(
            section(
                "clients",
                values: scenario.clients.map { ($0.name, .mapping(client($0)).block) }
            )
        )
        return entries + goals
    }

    private func section(_ name: String, values: [(String, YAMLValue)]) -> Entry {
        Entry(name, .mapping(values.map { commented($0, value: $1, in: name) }).block)
    }

    private func commented(_ key: String, value: YAMLValue, in section: String? = nil) -> Entry {
        let path = section.map { "\($0).\(key)" } ?? key
        return Entry(key, value.commented(comments[path] ?? []))
    }

    // MARK: Data

    private static func dataset(_ dataset: Dataset) -> YAMLValue {
        func preset(_ key: String, size: Int) -> YAMLValue {
            .mapping([Entry("preset", .plain(dataset.presetName)), Entry(key, .plain(size))])
        }
        switch dataset {
        case .pgbench(let scale): return preset("scale", size: scale)
        case .ycsb(let records): return preset("records", size: records)
        case .sysbench(let rows): return preset("table-size", size: rows)
        case .file(let path): return .mapping([Entry("file", .text(path))])
        case .schema(let schema):
            var entries = [Entry("schema", statements(schema.statements))]
            if !schema.tables.isEmpty {
                let tables = schema.tables.map { table in
                    Entry(
                        table.name,
                        .mapping([
                            Entry("count", .plain(table.count)),
                            Entry(
                                "columns",
                                .mapping(table.columns.map { Entry($0.name, column($0.values)) })
                            ),
                        ])
                    )
                }
                entries.append(Entry("rows", .mapping(tables).block))
                entries.append(Entry("scale", .plain(schema.scale)))
            }
            if !schema.finally.isEmpty {
                entries.append(Entry("finally", statements(schema.finally)))
            }
            return .mapping(entries).block
        }
    }

    private static func column(_ values: Variable) -> YAMLValue {
        let numbers = Variable(
            distribution: .sequential,
            minimum: 1,
            maximum: Variable.largest
        )
        return values == numbers
            ? .plain(Language.sequence) : .mapping(variable(values, source: nil))
    }

    private static func statements(_ statements: [String]) -> YAMLValue {
        .list(statements.map(YAMLValue.text)).block
    }

    // MARK: Variables

    private static func variable(_ variable: Variable, source: RangeSource?) -> [Entry] {
        var entries = distribution(variable)
        if variable.isInteger, variable.column == nil {
            switch source {
            case .same(let name): entries.append(Entry("range", .name(name)))
            case .after(let name): entries.append(Entry("after", .name(name)))
            case nil:
                let isSequence = variable.distribution == .sequential
                if !isSequence || variable.minimum != 1 || variable.maximum != Variable.largest {
                    entries.append(Entry("min", .plain(variable.minimum)))
                    entries.append(Entry("max", .plain(variable.maximum)))
                }
            }
        }
        if let column = variable.column {
            entries.append(Entry("table", .name(column.table)))
            entries.append(Entry("column", .name(column.name)))
        }
        if variable.isHashed || source != nil {
            entries.append(Entry("hashed", .plain(variable.isHashed)))
        }
        if let prefix = variable.prefix { entries.append(Entry("prefix", .name(prefix))) }
        if variable.nulls > 0 {
            entries.append(Entry("nulls", .plain(Quantity.exactText(share: variable.nulls))))
        }
        return entries
    }

    private static func distribution(_ variable: Variable) -> [Entry] {
        func entries(_ kind: VariableKind, _ more: [Entry] = []) -> [Entry] {
            [Entry("distribution", .plain(kind.rawValue))] + more
        }
        func theta(_ theta: Double) -> Entry { Entry("theta", .plain(theta)) }
        switch variable.distribution {
        case .uniform: return entries(.uniform)
        case .sequential: return entries(.sequential)
        case .zipfian(let exponent, let scramble):
            let scrambled = scramble ? [Entry("scramble", .plain(true))] : []
            return entries(.zipfian, [theta(exponent)] + scrambled)
        case .latest(let exponent, let followed):
            let of = followed.map { [Entry("of", .name($0))] } ?? []
            return entries(.latest, [theta(exponent)] + of)
        case .hotspot(let set, let draws):
            return entries(
                .hotspot,
                [
                    Entry("set", .plain(Quantity.exactText(share: set))),
                    Entry("draws", .plain(Quantity.exactText(share: draws))),
                ]
            )
        case .exponential(let parameter):
            return entries(.exponential, [Entry("parameter", .plain(parameter))])
        case .gaussian(let parameter):
            return entries(.gaussian, [Entry("parameter", .plain(parameter))])
        case .text(let length): return entries(.text, [Self.length(length)])
        case .blob(let length): return entries(.blob, [Self.length(length)])
        case .words(let length, let vocabulary):
            let words = [Self.length(length), Entry("vocabulary", .plain(vocabulary))]
            return entries(.words, words)
        case .template(let template):
            return entries(.template, [Entry("template", .text(template))])
        case .choice(let values, let weights):
            if let column = variable.column {
                let row = column.sameRow.map { Entry("same-row", .name($0)) }
                let popularity = column.theta.map {
                    $0 == 0 ? Entry("distinct", .plain(true)) : theta($0)
                }
                return entries(.choice, [row ?? popularity].compactMap(\.self))
            }
            let weighted =
                weights.isEmpty
                ? []
                : [Entry("weights", .list(weights.map { .plain(ReportUnits.withoutExponent($0)) }))]
            return entries(.choice, [Entry("values", .list(values.map(value)))] + weighted)
        }
    }

    private static func length(_ length: Variable.Length) -> Entry {
        switch length {
        case .fixed(let length): Entry("length", .plain(length))
        case .drawn(let variable): Entry("length", .mapping(Self.variable(variable, source: nil)))
        }
    }

    /// Returns a value of a choice, which cannot be a blob.
    private static func value(_ value: WorkloadValue) -> YAMLValue {
        switch value {
        case .null, .blob: .plain("null")
        case .integer(let integer): .plain(integer)
        case .real(let real): .plain(real)
        case .text(let text): .text(text)
        }
    }

    // MARK: Arms and phases

    private static func arm(_ arm: Arm) -> [Entry] {
        var entries: [Entry] = []
        func add(_ key: String, _ value: YAMLValue?) {
            if let value { entries.append(Entry(key, value)) }
        }
        if let driver = arm.driver { add("driver", self.driver(driver)) }
        if arm.library != .raw { add("type", .plain(arm.kind.rawValue)) }
        if arm.library != .engine, arm.driver == nil {
            add("library", .plain(arm.library.rawValue))
        }
        add("readers", arm.readers.map(YAMLValue.plain))
        add("journal", arm.journal.map { .plain($0.rawValue) })
        add("synchronous", arm.synchronous.map(YAMLValue.plain))
        add("begin", arm.begin.map { .plain($0.rawValue) })
        if let timeout = arm.busyTimeout {
            var busy = [Entry("timeout", .plain(Quantity.exactText(timeout)))]
            switch arm.busyRetry {
            case nil: break
            case .backoff?: busy.append(Entry("retry", .plain("backoff")))
            case .fixed(let pause)?:
                busy.append(Entry("retry", .plain("fixed \(Quantity.exactText(pause))")))
            }
            add("busy", .mapping(busy))
        }
        if !arm.pragmas.isEmpty {
            let pragmas = arm.pragmas.map { pragma in
                Entry(
                    pragma.name,
                    Double(pragma.value) == nil ? .name(pragma.value) : .plain(pragma.value)
                )
            }
            add("pragmas", .mapping(pragmas))
        }
        if !arm.setup.isEmpty { add("setup", statements(arm.setup)) }
        add("file", arm.file.map(YAMLValue.text))
        return entries
    }

    private static func driver(_ driver: Arm.Driver) -> YAMLValue {
        var entries: [Entry] = []
        if let command = driver.command {
            entries.append(Entry("command", .list(command.map { .text($0) })))
        } else {
            entries.append(Entry("name", .name(driver.name)))
        }
        if !driver.options.isEmpty {
            let options = driver.options.sorted { $0.key < $1.key }
            entries.append(
                Entry("options", .mapping(options.map { Entry($0.key, .text($0.value)) }))
            )
        }
        return .mapping(entries)
    }

    private static func phase(_ phase: Phase) -> YAMLValue {
        .mapping(
            [
                Entry("name", .name(phase.name)),
                Entry("duration", .plain(Quantity.exactText(phase.duration))),
            ] + (phase.isMeasured ? [] : [Entry("measure", .plain(false))])
        )
    }

    // MARK: Steps

    private static func step(_ step: Step) -> YAMLValue {
        switch step {
        case .run(let sql, into: let names):
            guard !names.isEmpty else { return .text(sql) }
            return .mapping([
                Entry("sql", .text(sql)), Entry("into", .list(names.map(YAMLValue.name))),
            ])
        case .pause(let time): return .mapping([Entry("pause", thinkTime(time))])
        case .times(let count, let steps):
            return .mapping([Entry("repeat", .plain(count)), body("do", steps: steps)]).block
        case .when(let condition, let then, let otherwise):
            let text = YAMLValue.text(condition.text)
            if then.isEmpty {
                return .mapping([Entry("unless", text), body("do", steps: otherwise)]).block
            }
            let alternative = otherwise.isEmpty ? [] : [body("else", steps: otherwise)]
            return .mapping([Entry("if", text), body("do", steps: then)] + alternative).block
        }
    }

    private static func body(_ key: String, steps: [Step]) -> Entry {
        Entry(key, .list(steps.map(step)).block)
    }

    private static func thinkTime(_ time: ThinkTime) -> YAMLValue {
        switch time {
        case .constant(let time): .plain(Quantity.exactText(time))
        case .uniform(let range):
            .mapping([
                Entry("from", .plain(Quantity.exactText(range.lowerBound))),
                Entry("to", .plain(Quantity.exactText(range.upperBound))),
            ])
        case .exponential(let mean):
            .mapping([Entry("mean", .plain(Quantity.exactText(mean)))])
        }
    }

    private static func span(_ span: TimeSpan) -> YAMLValue {
        switch span {
        case .absolute(let duration): .plain(Quantity.exactText(duration))
        case .share(let share): .plain(Quantity.exactText(share: share))
        }
    }

    // MARK: Clients

    private func client(_ client: Client) -> [Entry] {
        var entries = activity(client.activity)
        func add(_ key: String, _ value: YAMLValue?) {
            if let value { entries.append(Entry(key, value)) }
        }
        if client.style != .sync { add("style", .plain(client.style.rawValue)) }
        // A part of the scenario may lack the client.
        let owner = scenario.clients.first { $0.name == client.workersOf }
        add("workers-of", (owner?.name).map(YAMLValue.name))
        if client.workers != 1, owner == nil { add("workers", .plain(client.workers)) }
        switch client.pace {
        case .closed(let think):
            if think != .constant(.zero) { add("think", Self.thinkTime(think)) }
        case .open(let arrival): add("arrival", Self.arrival(arrival))
        case .at(let time): add("at", Self.span(time))
        case .every(let period): add("every", Self.span(period))
        }
        if client.busyRetries > 0 {
            add("retry", .mapping([Entry("busy", .plain(client.busyRetries))]))
        }
        add("interrupt-after", client.interruptAfter.map { .plain(Quantity.exactText($0)) })
        add("cancel-after", client.cancelAfter.map { .plain(Quantity.exactText($0)) })
        if client.supersedes { add("supersede", .plain(true)) }
        if !client.phases.isEmpty { add("phases", .list(client.phases.map(YAMLValue.name))) }
        if !client.thenRead.isEmpty { add("then-read", Self.statements(client.thenRead)) }
        if case .operations(_, let mix) = client.activity {
            let operations = mix.map { operation in
                self.operation(operation)
                    .commented(comments["clients.\(client.name).mix.\(operation.name)"] ?? [])
            }
            add("mix", .list(operations).block)
        }
        return entries
    }

    /// Returns the keys of an activity, except for its mix.
    private func activity(_ activity: Client.Activity) -> [Entry] {
        func access(_ word: String, _ more: [Entry] = [], sql: String? = nil) -> [Entry] {
            [Entry("access", .plain(word))] + more + (sql.map { [Entry("sql", .text($0))] } ?? [])
        }
        func action(_ word: String, more: [Entry] = []) -> [Entry] {
            [Entry("action", .plain(word))] + more
        }
        switch activity {
        case .operations(let kind, _): return access(kind.rawValue)
        case .hold(let time, let sql):
            return access("read", [Entry("hold", Self.span(time))], sql: sql)
        case .snapshot(let time, let sql):
            return access("snapshot", [Entry("hold", Self.span(time))], sql: sql)
        case .importRows(let count, let batch, let sql):
            let rows = [Entry("rows", .plain(count)), Entry("batch", .plain(batch))]
            return access("write", rows, sql: sql)
        case .interrupt: return action("interrupt")
        case .action(.interrupt(let client)):
            return action("interrupt", more: [Entry("client", .name(client))])
        case .action(.interruptConnection(let label)):
            return action("interrupt", more: [Entry("connection", .text(label))])
        case .action(.checkpoint(let mode)):
            return action("checkpoint", more: [Entry("mode", .plain(mode.rawValue))])
        case .action(.backup(let pages)):
            return action("backup", more: [Entry("pages", .plain(pages))])
        }
    }

    private func operation(_ operation: Operation) -> YAMLValue {
        let builtIn = scenario.dataset.transactions[operation.name]?.map { Step.run($0) }
        let named = scenario.transactions[operation.name] ?? builtIn
        let weight = ReportUnits.withoutExponent(operation.weight)
        var entries = operation.weight == 1 ? [] : [Entry("weight", .plain(weight))]
        if let access = operation.access {
            entries.append(Entry("access", .plain(access.rawValue)))
        }
        guard operation.steps != named else {
            return .mapping(entries + [Entry("use", .name(operation.name))])
        }
        entries.append(Entry("name", .name(operation.name)))
        if operation.steps.count == 1, case .run(let sql, into: []) = operation.steps[0] {
            return .mapping(entries + [Entry("sql", .text(sql))])
        }
        return .mapping(entries + [Self.body("sql", steps: operation.steps)])
    }

    private static func arrival(_ arrival: Arrival) -> YAMLValue {
        func rate(_ rate: Double) -> YAMLValue { .plain(ReportUnits.withoutExponent(rate) + "/s") }
        let stages = arrival.stages.map { stage in
            YAMLValue.mapping(
                [Entry("for", span(stage.length))]
                    + (stage.from == stage.to
                        ? [Entry("rate", rate(stage.from))]
                        : [Entry("from", rate(stage.from)), Entry("to", rate(stage.to))])
            )
        }
        var entries = [Entry("rate", stages.isEmpty ? rate(arrival.rate) : .list(stages))]
        if arrival.process != .poisson {
            entries.append(Entry("process", .plain(arrival.process.rawValue)))
        }
        if let delay = arrival.skipAfter {
            entries.append(Entry("skip-after", .plain(Quantity.exactText(delay))))
        }
        return .mapping(entries)
    }

    // MARK: Goals

    private var goals: [Entry] {
        var entries: [Entry] = []
        if !scenario.primary.isEmpty {
            entries.append(Entry("primary", .list(scenario.primary.map { .plain($0) })))
        }
        var limits: [(metric: String, limits: [YAMLValue])] = []
        for threshold in scenario.thresholds {
            if let index = limits.firstIndex(where: { $0.metric == threshold.metric }) {
                limits[index].limits.append(Self.limit(threshold))
            } else {
                limits.append((threshold.metric, [Self.limit(threshold)]))
            }
        }
        if !limits.isEmpty {
            entries.append(
                section("thresholds", values: limits.map { ($0.metric, .list($0.limits)) })
            )
        }
        let invariants =
            scenario.invariants.map(YAMLValue.name)
            + scenario.dataInvariants.map { invariant in
                .mapping([
                    Entry("name", .name(invariant.name)), Entry("sql", .text(invariant.sql)),
                ])
            }
        if !invariants.isEmpty { entries.append(Entry("invariants", .list(invariants))) }
        return entries
    }

    private static func limit(_ threshold: Threshold) -> YAMLValue {
        guard let delay = threshold.abortDelay else { return .text(threshold.expression) }
        let wait =
            delay > .zero ? [Entry("abort-after", .plain(Quantity.exactText(delay)))] : []
        return .mapping(
            [Entry("limit", .text(threshold.expression)), Entry("abort", .plain(true))] + wait
        )
    }
}
