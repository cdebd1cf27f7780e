import Foundation

/// A message on the standard input or output of a process that a run started.
///
/// The run sends requests, and the process replies to each of them. The process replies to
/// `perform` with `entered`, or with `failed` if the access fails before its closure starts. After
/// `entered`, the run ends the access with `finish` or `abort`, and the process replies once more.
enum RemoteMessage: Equatable {
    /// Opens the arm's database. The process replies with `done`.
    case open(Arm, path: String)
    /// Starts an access. The process replies with `entered`.
    case perform(WorkloadAccess, client: String)
    /// Runs a statement inside an access. The process replies with `count`.
    case run(String, [WorkloadValue])
    /// Runs a query inside an access. The process replies with `rows`.
    case query(String, [WorkloadValue])
    /// Ends the access successfully. The process replies with `done`.
    case finish
    /// Ends the access after an error in its body. The process replies with `done`.
    case abort

    case entered
    case done
    case count(Int)
    case rows([[WorkloadValue]])
    /// The kind and text of the library's error, and the details of a lock, if any.
    case failed(WorkloadFailure, String, BusyFailure? = nil)
}

extension RemoteMessage {
    private enum Tag: UInt8 {
        case open, perform, run, query, finish, abort, entered, done, count, rows, failed
    }

    func encoded() throws -> [UInt8] {
        var writer = WireWriter()
        switch self {
        case .open(let arm, let path):
            writer.add(Tag.open.rawValue)
            try writer.add(json: arm)
            writer.add(path)
        case .perform(let access, let client):
            writer.add(Tag.perform.rawValue)
            writer.add(access.rawValue)
            writer.add(client)
        case .run(let sql, let values), .query(let sql, let values):
            if case .run = self {
                writer.add(Tag.run.rawValue)
            } else {
                writer.add(Tag.query.rawValue)
            }
            writer.add(sql)
            writer.add(values)
        case .finish: writer.add(Tag.finish.rawValue)
        case .abort: writer.add(Tag.abort.rawValue)
        case .entered: writer.add(Tag.entered.rawValue)
        case .done: writer.add(Tag.done.rawValue)
        case .count(let count):
            writer.add(Tag.count.rawValue)
            writer.add(UInt64(count))
        case .rows(let rows):
            writer.add(Tag.rows.rawValue)
            writer.add(UInt64(rows.count))
            for row in rows { writer.add(row) }
        case .failed(let failure, let text, let busy):
            writer.add(Tag.failed.rawValue)
            try writer.add(json: failure)
            writer.add(text)
            try writer.add(json: busy)
        }
        return writer.bytes
    }

    /// Parses a message.
    ///
    /// - Throws: ``WireReader/Malformed`` if the message is invalid.
    init(_ bytes: [UInt8]) throws {
        var reader = WireReader(bytes)
        switch Tag(rawValue: try reader.byte()) {
        case .open: self = .open(try reader.json(), path: try reader.text())
        case .perform:
            guard let access = WorkloadAccess(rawValue: try reader.text()) else {
                throw WireReader.Malformed()
            }
            self = .perform(access, client: try reader.text())
        case .run: self = .run(try reader.text(), try reader.values())
        case .query: self = .query(try reader.text(), try reader.values())
        case .finish: self = .finish
        case .abort: self = .abort
        case .entered: self = .entered
        case .done: self = .done
        case .count: self = .count(Int(try reader.number()))
        case .rows:
            let count = try reader.number()
            self = .rows(try (0..<count).map { _ in try reader.values() })
        case .failed:
            self = .failed(try reader.json(), try reader.text(), try reader.json())
        case nil: throw WireReader.Malformed()
        }
    }
}
