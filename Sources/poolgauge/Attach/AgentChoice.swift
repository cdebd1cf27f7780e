/// A prompt that asks the user which of several agents to open.
struct AgentChoice {
    let list: AgentList

    /// Asks the user for the number or the name of an agent.
    ///
    /// If there is only one agent, returns it without asking.
    ///
    /// - Returns: The chosen agent, or `nil` if the input is empty.
    func ask() throws -> FoundAgent? {
        if list.agents.count == 1 { return agent(at: 0) }
        try StandardOutput.write(list.numberedText)
        while true {
            try StandardOutput.write("Open agent (1 to \(list.agents.count); Enter quits): ")
            guard let line = readLine(), !line.isEmpty else { return nil }
            if let index = index(of: line) { return agent(at: index) }
            try StandardOutput.write("'\(line)' is neither a number in the list nor a name\n")
        }
    }

    /// Returns the index of the agent with the given number or name.
    ///
    /// Returns `nil` if there is no such agent, or if several agents have the name.
    func index(of answer: String) -> Int? {
        let answer = answer.split(separator: " ").joined()
        if let number = Int(answer), list.agents.indices.contains(number - 1) { return number - 1 }
        let matches = list.agents.indices.filter { list.agents[$0].name == answer }
        return matches.count == 1 ? matches[0] : nil
    }

    private func agent(at index: Int) -> FoundAgent {
        FoundAgent(path: list.agents[index].socket, name: list.agents[index].name)
    }
}
