import Foundation

/// A message between a run and a process that it started.
///
/// Messages are sent through the process's standard input and output.
///
/// The run sends requests, and the process sends one reply to each request. The exception is
/// `perform`, for which the process first replies with `entered` and then replies to the final
/// `finish` or `abort`.
enum RemoteMessage: Equatable {
    /// Opens the arm's database at a path.
    ///
    /// The reply is `done`.
    case open(Arm, path: String)
    /// Starts an access.
    case perform(WorkloadAccess, client: String)
    /// Runs a statement inside an access.
    ///
    /// The reply is `count`.
    case run(String, [WorkloadValue])
    /// Runs a query inside an access.
    ///
    /// The reply is `rows`.
    case query(String, [WorkloadValue])
    /// Ends the access successfully.
    case finish
    /// Ends the access after an error in its body.
    case abort

    /// The access has acquired its connection.
    case entered
    /// The database was opened, or the access succeeded.
    case done
    /// The number of rows that a statement returned.
    case count(Int)
    /// The rows that a query returned.
    case rows([[WorkloadValue]])
    /// The target's classification of the library's error, the error's text, and the details of a
    /// lock, if any.
    case failed(WorkloadFailure, String, BusyFailure? = nil)
}

extension RemoteMessage {
    private enum Tag: UInt8 {
        case open, perform, run, query, finish, abort, entered, done, count, rows, failed
    }

    /// The message as bytes, without its length.
    var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .open(let arm, let path):
            writer.add(Tag.open.rawValue)
            writer.add(arm)
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
            writer.add(failure)
            writer.add(text)
            writer.add(busy)
        }
        return writer.bytes
    }

    /// Parses a message.
    ///
    /// - Throws: ``WireReader/Malformed``.
    init(_ bytes: [UInt8]) throws {
        var reader = WireReader(bytes)
        switch Tag(rawValue: try reader.byte()) {
        case .open: self = .open(try reader.arm(), path: try reader.text())
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
            self = .failed(try reader.failure(), try reader.text(), try reader.busyFailure())
        case nil: throw WireReader.Malformed()
        }
    }
}
