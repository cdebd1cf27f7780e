/// The fields of a trace event, from its `format` file.
struct EventFormat: Equatable, Sendable {
    struct Field: Equatable, Sendable {
        var offset: Int
        var size: Int
    }

    /// The event's ID, at the start of each record.
    var id: UInt16
    var fields: [String: Field] = [:]

    /// Parses the text of the file, or returns `nil` if it is malformed.
    init?(_ text: String) {
        var id: UInt16?
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == "\t" || $0 == " " }
            if line.hasPrefix("ID: ") { id = UInt16(line.dropFirst(4)) }
            guard line.hasPrefix("field:") else { continue }
            // field:u32 vm;	offset:28;	size:4;	signed:0;
            let parts = line.dropFirst(6).split(separator: ";")
            guard parts.count >= 3,
                let name = parts[0].split(whereSeparator: { " []*".contains($0) }).last(where: {
                    Int($0) == nil
                }),
                let offset = Self.number(parts[1], after: "offset:"),
                let size = Self.number(parts[2], after: "size:")
            else { return nil }
            fields[String(name)] = Field(offset: offset, size: size)
        }
        guard let id else { return nil }
        self.id = id
    }

    private static func number(_ part: Substring, after label: String) -> Int? {
        let text = part.drop { $0 == "\t" || $0 == " " }
        guard text.hasPrefix(label), let number = Int(text.dropFirst(label.count)),
            (0...65_536).contains(number)
        else { return nil }
        return number
    }
}

struct EventRecord: Sendable {
    /// The time, in nanoseconds on the trace clock.
    var time: UInt64
    /// The record, which begins with the fields that are common to all events.
    var bytes: LittleEndian

    var id: UInt16 { bytes.u16(0) ?? 0 }
    var thread: Int32 { Int32(bitPattern: bytes.u32(4) ?? 0) }

    func unsigned(_ field: EventFormat.Field?) -> UInt64? {
        field.flatMap { bytes.unsigned($0.offset, size: $0.size) }
    }

    /// Returns the text that a field references, or `nil` if the kernel could not read it.
    ///
    /// The field contains the offset in the record and the length, including a zero byte.
    func text(_ field: EventFormat.Field?) -> String? {
        guard let word = field.flatMap({ bytes.u32($0.offset) }) else { return nil }
        let offset = Int(word & 0xffff)
        let length = Int(word >> 16)
        guard length > 0, offset + length <= bytes.count else { return nil }
        let text = String(decoding: bytes.bytes[offset..<(offset + length - 1)], as: UTF8.self)
        return text == "(fault)" ? nil : text
    }
}
