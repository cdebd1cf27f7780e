import ArgumentParser
import Foundation
import Scenarios
import Testing

@testable import poolgauge

/// Tests that the commands and links in the README and in `docs` are valid.
struct DocumentationTests {
    @Test(arguments: Documentation.pages)
    func everyCommandIsValid(page: String) throws {
        for command in try Documentation.commands(of: page) {
            guard let arguments = Documentation.arguments(command) else { continue }
            do {
                _ = try Poolgauge.parseAsRoot(SQLArguments.expanded(arguments))
            } catch  where Poolgauge.exitCode(for: error) != .success {
                Issue.record("\(command): \(Poolgauge.message(for: error))")
            } catch {
                // ArgumentParser reports requests for help and for the version as errors.
            }
        }
    }

    @Test func commandsAreFound() throws {
        #expect(try Documentation.commands(of: "README.md").count >= 6)
        #expect(
            Documentation.arguments("poolgauge run a.yaml --set 'x=1 2'   # why") == [
                "run", "a.yaml", "--set", "x=1 2",
            ]
        )
        #expect(Documentation.arguments("poolgauge themes preview NAME") == nil)
    }

    @Test(arguments: Documentation.pages)
    func everyLinkHasATarget(page: String) throws {
        let folder = Documentation.root.appendingPathComponent(page).deletingLastPathComponent()
        for match in try Documentation.text(of: page).matches(of: /\]\(([^)#]+)(#[^)]*)?\)/) {
            let target = String(match.1)
            if target.contains("://") { continue }
            let file = folder.appendingPathComponent(target)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(target)")
        }
    }

    /// The reference is the output of `poolgauge scenarios schema --markdown`.
    @Test func theScenarioReferenceIsCurrent() throws {
        let page = try Documentation.text(of: "docs/ScenarioReference.md")
        #expect(
            page.hasSuffix(ScenarioReference.markdown),
            "generate it again: see CONTRIBUTING.md"
        )
    }

    /// The tables are the output of `poolgauge scenarios metrics --markdown`.
    @Test func theMetricReferenceIsCurrent() throws {
        let page = try Documentation.text(of: "docs/Metrics.md")
        #expect(page.hasSuffix(MetricReference.markdown), "generate it again: docs/draw reference")
    }

    @Test func theREADMEIsShort() throws {
        let words = try Documentation.text(of: "README.md").split { $0 == " " || $0 == "\n" }
        #expect(words.count <= 900)
    }
}
