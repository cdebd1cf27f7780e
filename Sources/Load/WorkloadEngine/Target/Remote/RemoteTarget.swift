import Foundation
import Scenarios
import Telemetry

/// A database that another process has opened for one worker.
///
/// Accesses run in the other process. This process measures them, so their wait and service times
/// include a few microseconds for messages.
final class RemoteTarget: WorkloadTarget {
    struct Failure: Error, CustomStringConvertible {
        var failure: WorkloadFailure
        var description: String
        var busy: BusyFailure?
    }

    struct Command: Sendable, Equatable {
        var executable: URL
        var arguments: [String]
    }

    // Only the worker's thread uses the channel. `close()` runs after that thread's last access.
    private let channel: RemoteChannel
    private let process: Process
    private let pipes: [Pipe]

    var processIdentifier: Int32 { process.processIdentifier }

    /// Starts a process that opens the arm's database at `path`.
    ///
    /// - Throws: An error if the process does not start, or an error that the other process
    ///   reports.
    init(_ command: Command, _ arm: Arm, at path: String) throws {
        let (input, output) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = command.executable
        process.arguments = command.arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        pipes = [input, output]
        channel = RemoteChannel(
            input: output.fileHandleForReading.fileDescriptor,
            output: input.fileHandleForWriting.fileDescriptor
        )
        do {
            try channel.send(.open(arm, path: path))
            try receiveDone()
        } catch {
            end()
            throw error
        }
    }

    private func receiveDone() throws {
        guard case .done = try channel.receiveReply() else { throw WireReader.Malformed() }
    }

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        try channel.send(.perform(access, client: client.name))
        guard case .entered = try channel.receiveReply() else { throw WireReader.Malformed() }
        do {
            try body(Session(channel: channel))
        } catch {
            try channel.send(.abort)
            _ = try channel.receive()
            throw error
        }
        try channel.send(.finish)
        try receiveDone()
    }

    private struct Session: WorkloadSession {
        let channel: RemoteChannel

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            try channel.send(.run(sql, values))
            guard case .count(let count) = try channel.receiveReply() else {
                throw WireReader.Malformed()
            }
            return count
        }

        func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
            try channel.send(.query(sql, values))
            guard case .rows(let rows) = try channel.receiveReply() else {
                throw WireReader.Malformed()
            }
            return rows
        }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw RunError(.scenario, "clients in other processes cannot take snapshots")
    }

    /// Ends the other process, because this process cannot interrupt a statement there.
    func interrupt() { process.terminate() }

    func failure(of error: any Error) -> WorkloadFailure {
        if let failure = error as? Failure { return failure.failure }
        return .error(error is RemoteChannel.Closed ? "PROCESS_ENDED" : "\(type(of: error))")
    }

    func busyFailure(of error: any Error) -> BusyFailure? { (error as? Failure)?.busy }

    func status() -> DatabaseStatus? { nil }

    func environment() -> [String: String] { [:] }

    /// Ends the other process.
    ///
    /// SQLite rolls back an open transaction of that process.
    func close() { end() }

    private func end() {
        try? pipes.first?.fileHandleForWriting.close()
        // The process ends when its input is closed, unless SQLite is still running.
        for _ in 0..<100 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}

extension RemoteChannel {
    /// Receives a reply and throws the failure that it reports, if any.
    fileprivate func receiveReply() throws -> RemoteMessage {
        let message = try receive()
        if case .failed(let failure, let text, let busy) = message {
            throw RemoteTarget.Failure(failure: failure, description: text, busy: busy)
        }
        return message
    }
}

/// A writer that encodes values as bytes, with little-endian numbers.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ values: [WorkloadValue]) {
        add(UInt64(values.count))
        for value in values { add(value) }
    }

    private mutating func add(_ value: WorkloadValue) {
        switch value {
        case .null: add(UInt8(0))
        case .integer(let integer):
            add(UInt8(1))
            add(UInt64(bitPattern: integer))
        case .real(let real):
            add(UInt8(2))
            add(real.bitPattern)
        case .text(let text):
            add(UInt8(3))
            add(text)
        case .blob(let blob):
            add(UInt8(4))
            add(UInt64(blob.count))
            bytes.append(contentsOf: blob)
        }
    }

    /// Adds a value as JSON.
    ///
    /// JSON is slower but needs no separate encoding for each type.
    mutating func add(json value: some Encodable) throws {
        let data = try JSONEncoder().encode(value)
        add(UInt64(data.count))
        bytes.append(contentsOf: data)
    }
}

struct WireReader {
    struct Malformed: Error, CustomStringConvertible {
        let description = "the other process sent an invalid message"
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else { throw Malformed() }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func byte() throws -> UInt8 {
        guard let byte = try take(1).first else { throw Malformed() }
        return byte
    }

    mutating func number() throws -> UInt64 {
        try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func length() throws -> Int {
        guard let length = Int(exactly: try number()) else { throw Malformed() }
        return length
    }

    mutating func text() throws -> String { String(decoding: try take(length()), as: UTF8.self) }

    mutating func values() throws -> [WorkloadValue] {
        let count = try length()
        // Each value occupies at least one byte.
        guard count <= bytes.count - position else { throw Malformed() }
        return try (0..<count).map { _ in try value() }
    }

    private mutating func value() throws -> WorkloadValue {
        switch try byte() {
        case 0: .null
        case 1: .integer(Int64(bitPattern: try number()))
        case 2: .real(Double(bitPattern: try number()))
        case 3: .text(try text())
        case 4: .blob(Array(try take(length())))
        default: throw Malformed()
        }
    }

    /// Returns a value that ``WireWriter/add(json:)`` added.
    mutating func json<Value: Decodable>() throws -> Value {
        let data = Data(try take(length()))
        guard let value = try? JSONDecoder().decode(Value.self, from: data) else {
            throw Malformed()
        }
        return value
    }
}

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

/// One end of the pipes between a run and a process that the run started.
///
/// Only one thread at a time can use a channel.
struct RemoteChannel: Sendable {
    struct Closed: Error, CustomStringConvertible {
        let description = "the other process has ended"
    }

    let input: Int32
    let output: Int32

    /// The maximum size of a valid message, in bytes.
    private static let maximumLength = 1 << 30

    func send(_ message: RemoteMessage) throws {
        let body = try message.encoded()
        var writer = WireWriter()
        writer.add(UInt64(body.count))
        let bytes = writer.bytes + body
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(output, buffer.baseAddress.map { $0 + sent }, buffer.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Closed() }
            sent += count
        }
    }

    /// Waits for the next message.
    ///
    /// - Throws: ``Closed`` or ``WireReader/Malformed``.
    func receive() throws -> RemoteMessage {
        var header = WireReader(try bytes(8))
        let length = try header.number()
        guard length < Self.maximumLength else { throw WireReader.Malformed() }
        return try RemoteMessage(try bytes(Int(length)))
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(input, buffer.baseAddress.map { $0 + received }, buffer.count - received)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Closed() }
            received += count
        }
        return bytes
    }
}
