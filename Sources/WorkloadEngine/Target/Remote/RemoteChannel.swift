import Foundation

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
