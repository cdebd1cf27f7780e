import Foundation

/// A loop that performs commands from standard input and replies on standard output.
package struct CommandLoop {
    private let connection: ForeignConnection
    private let counter: SharedCounter

    /// Creates a loop that uses one connection.
    package init(connection: ForeignConnection, counter: SharedCounter) {
        self.connection = connection
        self.counter = counter
    }

    /// Performs commands until standard input ends.
    package func run() throws {
        try Self.write(.ready)
        while let line = readLine() {
            let command = try JSONDecoder().decode(PeerCommand.self, from: Data(line.utf8))
            try Self.write(reply(to: command))
        }
    }

    private func reply(to command: PeerCommand) throws -> PeerReply {
        do {
            switch command {
            case .sql(let sql):
                let start = DispatchTime.now().uptimeNanoseconds
                let row = try connection.firstRow(of: sql)
                return .row(row, nanoseconds: DispatchTime.now().uptimeNanoseconds - start)
            case .commit(let load):
                return .times(try connection.perform(load, counter: counter))
            }
        } catch let failure as ForeignConnection.Failure {
            return .failure(code: failure.code, message: failure.message)
        }
    }

    /// Writes a reply to standard output.
    package static func write(_ reply: PeerReply) throws {
        var line = try JSONEncoder().encode(reply)
        line.append(UInt8(ascii: "\n"))
        try FileHandle.standardOutput.write(contentsOf: line)
    }
}
