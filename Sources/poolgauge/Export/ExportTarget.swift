import Foundation

/// The argument of `poolgauge export`.
enum ExportTarget: Equatable {
    case file(path: String)
    case agent(AgentAddress)

    /// Interprets text as the path of an existing file, or as the address of an agent.
    ///
    /// Text that contains a slash, but is neither a file nor a socket, is the path of a missing
    /// file.
    init(_ text: String) {
        var information = stat()
        let exists = stat(text, &information) == 0
        let isSocket = exists && information.st_mode & S_IFMT == S_IFSOCK
        if isSocket {
            // An address without a slash would be interpreted as a name.
            self = .agent(.socket(path: text.contains("/") ? text : "./" + text))
        } else if exists || text.contains("/") {
            self = .file(path: text)
        } else {
            self = .agent(AgentAddress(text))
        }
    }
}
