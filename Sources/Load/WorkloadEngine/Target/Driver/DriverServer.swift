import Foundation
import Scenarios
import Telemetry

/// A driver that performs a run's accesses on any target, such as a program's own database code.
///
/// A program calls ``serve()`` if its arguments request it. An arm with `driver: {command: …}` then
/// measures this program. To compare two builds of the program, write an arm for each.
///
/// ```swift
/// try DriverServer(factory: StoreFactory(), runtime: "store 1.2").serve()
/// ```
public struct DriverServer: Sendable {
    private let factory: any WorkloadTargetFactory
    private let runtime: String

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - factory: The factory of the target. It receives an arm with the settings of the run's
    ///     arm. The options `type`, `library`, `journal`, and `synchronous` of the arm's driver set
    ///     these properties; without them, the arm is a pool of the engine.
    ///   - runtime: The name and version of the program, for reports.
    public init(factory: any WorkloadTargetFactory, runtime: String) {
        self.factory = factory
        self.runtime = runtime
    }

    /// Serves a run on standard input and output until the input ends.
    ///
    /// - Throws: An error if the input does not follow `poolgauge.driver/1`.
    public func serve() throws {
        // The terminal sends SIGINT to both processes, and only the run handles it.
        signal(SIGPIPE, SIG_IGN)
        var input = LineReader(STDIN_FILENO, limit: 1 << 28)
        guard let first = try input.next() else { return }
        let setup: DriverSetup
        let target: any WorkloadTarget
        do {
            setup = try JSONDecoder().decode(DriverSetup.self, from: Data(first))
            guard setup.format == DriverSetup.format else {
                throw DriverFailure("the format '\(setup.format)' is unknown")
            }
            target = try factory.open(try arm(of: setup), at: setup.database)
        } catch {
            try answer(DriverGreeting(error: "\(error)"))
            return
        }
        defer { try? target.close() }
        let sqlite = try? target.environment()["sqlite_version"]
        try answer(DriverGreeting(ready: true, runtime: runtime, sqlite: sqlite))
        let lanes = DispatchGroup()
        while let line = try input.next() {
            let request = try JSONDecoder().decode(DriverLaneRequest.self, from: Data(line))
            for _ in 0..<request.lanes {
                let socket = try DriverSocket.connect(to: request.socket)
                lanes.enter()
                let thread = Thread {
                    Lane(target: target, accesses: setup.accesses).serve(socket)
                    close(socket)
                    lanes.leave()
                }
                thread.stackSize = 1 << 20
                thread.start()
            }
        }
        lanes.wait()
    }

    private func answer(_ greeting: DriverGreeting) throws {
        let bytes = Array(try JSONEncoder().encode(greeting)) + [UInt8(ascii: "\n")]
        try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    }

    private func arm(of setup: DriverSetup) throws -> Arm {
        func option<Value: RawRepresentable<String> & CaseIterable>(
            _ name: String,
            _ fallback: Value
        ) throws -> Value {
            guard let text = setup.options[name] else { return fallback }
            guard let value = Value(rawValue: text) else {
                let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw DriverFailure("the option '\(name)' must be one of \(words), not '\(text)'")
            }
            return value
        }
        var arm = Arm(
            name: "driver",
            kind: try option("type", Arm.Kind.pool),
            library: try option("library", Arm.Library.engine)
        )
        arm.readers = arm.kind == .pool || arm.kind == .snapshotPool ? setup.readers : nil
        if setup.options["journal"] != nil { arm.journal = try option("journal", Arm.Journal.wal) }
        arm.synchronous = setup.options["synchronous"]
        let words = setup.begin.lowercased().split(separator: " ")
        arm.begin = words.last.flatMap { Arm.Begin(rawValue: String($0)) }
        arm.busyTimeout = setup.busyTimeout.map { .milliseconds($0) }
        if let pause = setup.busyPause {
            arm.busyRetry = .fixed(.microseconds(Int64(pause * 1000)))
        }
        for statement in setup.pragmas {
            let parts = statement.dropFirst("PRAGMA ".count).split(separator: "=", maxSplits: 1)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0] != "journal_mode" else { continue }
            if parts[0] == "synchronous" {
                arm.synchronous = parts[1]
            } else {
                arm.pragmas.append(.init(name: parts[0], value: parts[1]))
            }
        }
        return arm
    }

    private struct Lane {
        let target: any WorkloadTarget
        let accesses: [DriverSetup.Access]
        private let client = WorkloadClientName("driver")
        private let clock = MonotonicClock()

        init(target: any WorkloadTarget, accesses: [DriverSetup.Access]) {
            self.target = target
            self.accesses = accesses
        }

        /// Performs accesses until the socket is closed.
        func serve(_ socket: Int32) {
            var reader = LineReader(socket)
            while let line = try? reader.next() {
                guard let requests = try? DriverRequest.parse(line) else { return }
                var text = "["
                for request in requests {
                    if text.utf8.count > 1 { text += "," }
                    text += request.access == DriverLine.echo ? "0,0,0" : perform(request)
                }
                text += "]\n"
                guard (try? DriverSocket.send(Array(text.utf8), to: socket)) != nil else { return }
            }
        }

        private func perform(_ request: DriverRequest) -> String {
            guard accesses.indices.contains(request.access) else {
                return "0,0,\"UNKNOWN_ACCESS there is no access \(request.access)\""
            }
            let access = accesses[request.access]
            let start = clock.now()
            var entry: UInt64?
            do {
                guard let kind = access.access else { throw DriverFailure("unknown kind") }
                var count = 0
                try target.perform(kind, as: client) { session in
                    entry = clock.now()
                    var rest = request.values[...]
                    for statement in access.statements {
                        count += try session.run(
                            statement.sql,
                            Array(rest.prefix(statement.parameters))
                        )
                        rest = rest.dropFirst(statement.parameters)
                    }
                }
                let end = clock.now()
                let entered = entry ?? start
                return "\(entered &- start),\(end &- entered),\(count)"
            } catch {
                let end = clock.now()
                let entered = entry ?? end
                let code =
                    switch target.failure(of: error) {
                    case .interrupted: "SQLITE_INTERRUPT"
                    case .busy(let code), .error(let code): code
                    }
                let message =
                    (try? JSONEncoder().encode("\(code) \(error)".prefix(200) + "")) ?? Data()
                return
                    "\(entered &- start),\(end &- entered),\(String(decoding: message, as: UTF8.self))"
            }
        }
    }
}

/// An access that a run requests from a driver.
struct DriverRequest: Equatable {
    var access: Int
    var values: [WorkloadValue]

    /// Parses a line: `[[access,value,…],…]`.
    static func parse(_ line: some Sequence<UInt8>) throws -> [DriverRequest] {
        let json = try JSONSerialization.jsonObject(with: Data(line))
        guard let list = json as? [[Any]] else { throw DriverFailure("invalid accesses") }
        return try list.map { entry in
            guard let access = entry.first as? Int else { throw DriverFailure("no access") }
            return DriverRequest(access: access, values: try entry.dropFirst().map(value))
        }
    }

    private static func value(_ json: Any) throws -> WorkloadValue {
        switch json {
        case is NSNull: return .null
        case let text as String: return .text(text)
        case let object as [String: String]:
            if let text = object["i"], let integer = Int64(text) { return .integer(integer) }
            guard let hex = object["b"].map({ Array($0.utf8) }), hex.count.isMultiple(of: 2) else {
                throw DriverFailure("invalid value")
            }
            return .blob(
                try stride(from: 0, to: hex.count, by: 2).map { index in
                    let digits = String(decoding: hex[index...index + 1], as: UTF8.self)
                    guard let byte = UInt8(digits, radix: 16) else {
                        throw DriverFailure("invalid value")
                    }
                    return byte
                }
            )
        case let number as NSNumber:
            // JSONSerialization represents integers as integers.
            let type = String(cString: number.objCType)
            return type == "d" || type == "f"
                ? .real(number.doubleValue) : .integer(number.int64Value)
        default: throw DriverFailure("invalid value")
        }
    }
}
