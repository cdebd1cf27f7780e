/// An error that prevents an agent from starting, or a client from communicating with an agent.
public struct AgentError: Error, Equatable, CustomStringConvertible {
    /// A description of the problem, with the path or the name that caused it.
    public var description: String

    init(_ description: String) { self.description = description }
}
