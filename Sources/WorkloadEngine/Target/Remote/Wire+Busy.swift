extension WireWriter {
    mutating func add(_ busy: BusyFailure?) {
        guard let busy else { return add(UInt8(0)) }
        add(UInt8(1))
        add(busy.statement)
        add(busy.holder)
        switch busy.handler {
        case .unknown: add(UInt8(0))
        case .skipped: add(UInt8(1))
        case .gaveUp(let waited, nil):
            add(UInt8(2))
            add(waited)
        case .gaveUp(let waited, let timeout?):
            add(UInt8(3))
            add(waited)
            add(timeout)
        }
    }
}

extension WireReader {
    mutating func busyFailure() throws -> BusyFailure? {
        guard try byte() != 0 else { return nil }
        var busy = BusyFailure(statement: try optionalText())
        busy.holder = try optionalText()
        switch try byte() {
        case 0: busy.handler = .unknown
        case 1: busy.handler = .skipped
        case 2: busy.handler = .gaveUp(waited: try number(), timeout: nil)
        case 3: busy.handler = .gaveUp(waited: try number(), timeout: try number())
        default: throw Malformed()
        }
        return busy
    }
}
