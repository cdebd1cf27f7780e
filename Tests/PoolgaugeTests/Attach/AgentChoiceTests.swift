import PoolgaugeAgent
import Telemetry
import Testing

@testable import poolgauge

struct AgentChoiceTests {
    private func choice(_ names: [String]) -> AgentChoice {
        var list = AgentList()
        for (index, name) in names.enumerated() {
            let status = AgentStatus(
                name: name,
                process: Int32(index + 40),
                ageNanoseconds: 1,
                allowsControl: false,
                database: DatabaseStatus(label: "main", kind: .queue)
            )
            list.agents.append(AgentList.Entry(status, socket: "/run/\(name)-\(index).sock"))
        }
        return AgentChoice(list: list)
    }

    @Test func anAgentIsChosenByNumberOrName() {
        let choice = choice(["app", "worker", "app"])
        #expect(choice.index(of: "2") == 1)
        #expect(choice.index(of: " 3 ") == 2)
        #expect(choice.index(of: "worker") == 1)
        // The name is ambiguous.
        #expect(choice.index(of: "app") == nil)
        for answer in ["0", "4", "-1", "cat"] { #expect(choice.index(of: answer) == nil) }
    }

    @Test func aSingleAgentIsOpenedWithoutAQuestion() throws {
        #expect(try choice(["app"]).ask() == FoundAgent(path: "/run/app-0.sock", name: "app"))
    }

    @Test func theListIsNumbered() {
        let lines = choice(["app", "worker"]).list.numberedText.split(separator: "\n")
        #expect(lines[1].hasPrefix("1  app"))
        #expect(lines[2].hasPrefix("2  worker"))
    }
}
