import Foundation
import Telemetry
import Text

/// A connection to a driver, with which one worker performs its accesses.
///
/// Unchecked: only the worker's thread uses a lane, and the target closes it after that thread has
/// ended.
final class DriverLane: @unchecked Sendable {
    /// The failure of an access, which the driver reports.
    struct AccessFailure: Error, CustomStringConvertible {
        let code: String
        let message: String
        var description: String { message.isEmpty ? code : message }
    }

    /// The end of the connection, after which no access is possible.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private let socket: Int32
    private let clock: any RunClock
    private var reader: LineReader
    private var line = DriverLine()
    private var sent: [(time: UInt64, count: Int)] = []
    /// The number of accesses in the next batch.
    private(set) var batch = 1

    /// The time that the accesses of a batch should take, in nanoseconds.
    ///
    /// In this time, the cost of sending a batch is small, and the load still ends on time.
    private static let batchTime: UInt64 = 2_000_000
    private static let maximumBatch = 256
    /// The maximum length of a batch, in bytes.
    ///
    /// The system buffers it, so that neither the run nor the driver waits while it writes.
    private static let maximumLength = 1 << 16
    /// By how much the times of a driver may exceed those of the run, because of the resolution of
    /// its clock, in nanoseconds.
    private static let tolerance: UInt64 = 1_000_000

    init(_ socket: Int32, clock: any RunClock) {
        self.socket = socket
        self.clock = clock
        reader = LineReader(socket)
    }

    /// Adds an access to the line that the next call of ``send()`` sends.
    func begin(_ access: Int) { line.begin(access) }

    func add(_ values: [WorkloadValue], in order: [Int]) { line.add(values, in: order) }

    func end() { line.end() }

    /// Whether all lines have been answered.
    var isIdle: Bool { sent.isEmpty }

    /// Whether the line has room for another access of the batch.
    var hasRoom: Bool { line.count < batch && line.bytes.count < Self.maximumLength }

    /// Sends the accesses.
    ///
    /// - Throws: ``Broken``.
    func send() throws {
        let count = line.count
        let bytes = line.take()
        sent.append((clock.now(), count))
        do { try DriverSocket.send(bytes, to: socket) } catch {
            throw Broken(description: "\(error)")
        }
    }

    /// Receives the answers to the oldest line.
    ///
    /// - Returns: The answers, and the times at which the line was sent and its answers arrived.
    /// - Throws: ``Broken``.
    func receive() throws -> (answers: [DriverAnswer], sent: UInt64, received: UInt64) {
        let (time, count) = sent.removeFirst()
        do {
            guard let bytes = try reader.next() else { throw DriverFailure.ended }
            let received = clock.now()
            let answers: [DriverAnswer]
            do { answers = try DriverAnswer.parse(bytes, count: count) } catch {
                let problem = (error as? DriverAnswer.Malformed)?.problem ?? "\(error)"
                throw DriverFailure("it sent an invalid answer: \(problem)")
            }
            // Each time is less than 2^60, and a line contains at most 2^8 accesses.
            var sum: UInt64 = 0
            for answer in answers { sum = sum &+ (answer.wait / 1024) &+ (answer.service / 1024) }
            let limit = received &- min(received, time) &+ Self.tolerance
            guard sum <= limit / 1024 &+ 1 else {
                throw DriverFailure(
                    "it states times of \(ReportUnits.time(sum << 10)) "
                        + "for accesses that took "
                        + ReportUnits.time(received &- min(received, time))
                )
            }
            adapt(to: answers)
            return (answers, time, received)
        } catch {
            throw Broken(description: "\(error)")
        }
    }

    private func adapt(to answers: [DriverAnswer]) {
        guard !answers.isEmpty else { return }
        let total = answers.reduce(0) { $0 &+ $1.wait &+ $1.service }
        let mean = max(1, total / UInt64(answers.count))
        batch = min(Int(min(UInt64(Self.maximumBatch), Self.batchTime / mean + 1)), batch * 2)
    }

    /// The time in which a driver must answer to accesses without statements, in seconds.
    private static let echoTime = 10

    /// Sends a prepared line, and waits for its answers.
    ///
    /// - Returns: The time until the answers arrived, without the times in the answers, in nanoseconds.
    func echo(_ bytes: [UInt8], count: Int) throws -> UInt64 {
        sent.append((clock.now(), count))
        do { try DriverSocket.send(bytes, to: socket) } catch {
            throw Broken(description: "\(error)")
        }
        DriverSocket.limitReads(of: socket, to: Self.echoTime)
        defer { DriverSocket.limitReads(of: socket, to: 0) }
        let (answers, start, end) = try receive()
        batch = 1
        let times = answers.reduce(0) { $0 &+ $1.wait &+ $1.service }
        return (end &- start) &- min(end &- start, times)
    }

    func close() { Foundation.close(socket) }
}
