import Testing

@testable import SQLTrace

struct EventDecoderTests {
    /// The kernel determines the sizes of fields.
    @Test func valuesOfAnySizeAreDecoded() throws {
        let text = """
            ID: 7
            \tfield:u64 nv;\toffset:8;\tsize:8;\tsigned:0;
            \tfield:u16 f0;\toffset:16;\tsize:2;\tsigned:0;
            \tfield:u64 l0;\toffset:18;\tsize:8;\tsigned:0;
            \tfield:u64 t0[8];\toffset:26;\tsize:64;\tsigned:0;
            """
        var decoder = EventDecoder()
        let layout = StatementLayout.ValueLayout(
            array: 0,
            count: 0,
            stride: 8,
            flags: 0,
            length: 0,
            pointer: 0
        )
        decoder.add(.reset, try #require(EventFormat(text)), values: layout)
        var bytes: [UInt8] = [7, 0] + [UInt8](repeating: 0xff, count: 88)
        bytes[16] = 2
        let event = decoder.event(EventRecord(time: 1, bytes: LittleEndian(bytes)))
        guard case .end(let end)? = event?.kind else {
            Issue.record("there is no event")
            return
        }
        #expect(end.values.count == ProbeArguments.valueCount)
    }
}
