import Foundation
import Testing
import Yams

@testable import Scenarios

/// Compares the published schema with the decoder.
struct ScenarioSchemaTests {
    @Test func theSchemaIsJSONForTheDeclaredDraft() throws {
        let data = Data(ScenarioSchema.json.utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        let properties = try #require(object["properties"] as? [String: Any])
        #expect(Set(properties.keys) == Set(Language.scenario.names))
    }

    @Test(arguments: Presets.all.map(\.name))
    func everyPresetIsValid(name: String) throws {
        let yaml = try #require(Presets.named(name)).yaml
        #expect(try SchemaValidator(ScenarioSchema.json).problems(yaml: yaml) == [])
    }

    @Test(arguments: [ScenarioParsingTests.whole, NotesScenario.yaml, ScenarioMistake.good])
    func scenariosThatTheDecoderAcceptsAreValid(yaml: String) throws {
        #expect(try SchemaValidator(ScenarioSchema.json).problems(yaml: yaml) == [])
    }

    /// The schema detects structural mistakes and invalid values, so editors can show them.
    ///
    /// Only the decoder checks references to names.
    @Test(arguments: [
        ("name: good", "nmae: good"), ("preset: pgbench", "preset: pgbnech"),
        ("readers: 4", "raeders: 4"), ("readers: 4", "readers: 0"),
        ("duration: 30s", "duration: 30"), ("uniform", "unifrom"),
        ("rate: 200/s", "rate: 200"), ("access: read, hold", "access: reed, hold"),
        ("version: 1", "version: 2"), ("ui.response: [", "ui: ["),
        ("duration: 30s", "duration: 0s"), ("hold: 3s", "hold: 0.0 ms"),
        ("every: 10s", "every: 0%"),
    ])
    func malformedScenariosAreInvalid(old: String, new: String) throws {
        let yaml = ScenarioMistake.good.replacing(old, with: new, maxReplacements: 1)
        #expect(throws: ScenarioError.self) { try Scenario.parse(yaml: yaml, file: "f") }
        #expect(try !SchemaValidator(ScenarioSchema.json).problems(yaml: yaml).isEmpty)
    }

    /// Every mapping in the scenario language, and a scenario that contains the mapping at
    /// `MAPPING`.
    static let mappings: [(shape: MappingShape, yaml: String)] = [
        (Language.dataset, "dataset: MAPPING"),
        (Language.table, "dataset: {schema: CREATE TABLE t (a), rows: {t: MAPPING}}"),
        (Language.arm, "arms: {a: MAPPING}"),
        (Language.busy, "arms: {a: {type: queue, busy: MAPPING}}"),
        (Language.driver, "arms: {a: {driver: MAPPING}}"),
        (Language.phase, "phases: [MAPPING]"),
        (Language.variable, "variables: {v: MAPPING}"),
        (Language.length, "variables: {v: {distribution: text, length: MAPPING}}"),
        (Language.client, "clients: {c: MAPPING}"),
        (Language.arrival, "clients: {c: {access: read, sql: SELECT 1, arrival: MAPPING}}"),
        (Language.ramp, "clients: {c: {access: read, sql: SELECT 1, arrival: {rate: MAPPING}}}"),
        (Language.stage, "clients: {c: {access: read, sql: SELECT 1, arrival: {rate: [MAPPING]}}}"),
        (Language.think, "clients: {c: {access: read, sql: SELECT 1, think: MAPPING}}"),
        (Language.step, "transactions: {t: [MAPPING]}"),
        (Language.operation, "clients: {c: {access: read, mix: [MAPPING]}}"),
        (Language.step, "clients: {c: {access: read, sql: [MAPPING]}}"),
        (Language.threshold, "thresholds: {wal.bytes: [MAPPING]}"),
        (Language.invariant, "invariants: [MAPPING]"),
        (Language.retry, "clients: {c: {access: read, sql: SELECT 1, retry: MAPPING}}"),
    ]

    @Test func everyDefinitionIsTested() throws {
        let data = Data(ScenarioSchema.json.utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let definitions = try #require(object["$defs"] as? [String: Any])
        #expect(Set(definitions.keys) == Set(Self.mappings.map(\.shape.name)))
    }

    /// The decoder supports exactly the keys of the schema.
    ///
    /// It accepts each declared key and reports every other key as unknown.
    @Test(arguments: mappings.indices)
    func theDecoderAcceptsTheKeysOfTheSchema(index: Int) {
        let (shape, yaml) = Self.mappings[index]
        for key in shape.names + ["no-such-key"] {
            let text = yaml.replacing("MAPPING", with: "{\(key): {}}")
            var description = ""
            do throws(ScenarioError) {
                _ = try Scenario.parse(yaml: text, file: "f")
            } catch {
                description = error.description
            }
            let isUnknown = description.contains("unknown key '\(key)'")
            #expect(isUnknown == (key == "no-such-key"), "\(key) of \(shape.name): \(description)")
        }
    }

    /// Names may use any script.
    ///
    /// The schema rejects the same names as the decoder.
    @Test(arguments: [
        ("pool-2_b", true), ("höhe", true), ("二", true), ("a b", false), ("a.b", false),
        ("a:b", false), ("a[0]", false), ("a^", false), ("a~", false), ("`a", false),
    ])
    func namesMatchTheDecoder(name: String, isName: Bool) throws {
        let yaml = ScenarioMistake.good.replacing("pool: {type", with: "\"\(name)\": {type")
        let problems = try SchemaValidator(ScenarioSchema.json).problems(yaml: yaml)
        #expect(problems.isEmpty == isName, "\(problems)")
        #expect(MappingReader.isName(name) == isName)
    }

    @Test func everyKeyIsExplained() {
        for shape in Self.mappings.map(\.shape) + [Language.scenario] {
            for key in shape.keys {
                #expect(key.description.hasSuffix("."), "\(key.name) of \(shape.name)")
                #expect(key.description.count > 10)
            }
            #expect(Set(shape.names).count == shape.names.count)
        }
    }

    @Test func formsReferToDeclaredKeysAndWords() {
        for shape in Self.mappings.map(\.shape) + [Language.scenario] {
            for form in shape.forms {
                #expect(shape.names.contains(form.key), "\(form.key) of \(shape.name)")
                if let word = form.value { #expect(shape[form.key].choices.contains(word)) }
                #expect(Set(form.rejected).isSubset(of: shape.names), "\(form.rejected)")
                let isVariable = form.key == "distribution"
                #expect(isVariable || Set(form.accepted ?? []).isSubset(of: shape.names))
            }
        }
    }
}
