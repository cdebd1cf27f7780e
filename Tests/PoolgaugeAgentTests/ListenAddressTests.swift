import Testing

@testable import PoolgaugeAgent

struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:9719", "127.0.0.1:9719", true),
        ("localhost:1", "127.0.0.1:1", true),
        ("127.9.9.9:0", "127.9.9.9:0", true),
        ("[::1]:9719", "[::1]:9719", true),
        ("[0:0::1]:65535", "[::1]:65535", true),
        ("0.0.0.0:80", "0.0.0.0:80", false),
        ("192.168.1.5:80", "192.168.1.5:80", false),
        ("[::]:80", "[::]:80", false),
        // Only this machine can use this address, but the check does not recognize it as loopback.
        ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", false),
    ])
    func anAddressIsParsed(text: String, description: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == description)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", "9719", ":9719", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+1", "127.0.0.1: 1", "127.1:80", "::1:9719", "[::1]", "[::1:80",
        "example.com:80",
        "http://127.0.0.1:80", "[127.0.0.1]:80",
    ])
    func invalidAddressesAreRefused(text: String) { #expect(ListenAddress(text) == nil) }
}

struct HostCheckTests {
    private func check(_ address: String) throws -> HostCheck {
        HostCheck(listeningOn: try #require(ListenAddress(address)).host, machine: "Server")
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:9719", "localhost:", "127.0.0.1", "127.0.0.1:1", "[::1]",
        "[::1]:9719",
    ])
    func namesOfThisMachineAreAllowed(host: String) throws {
        #expect(try check("127.0.0.1:9719").allows(host))
    }

    @Test(arguments: [
        "", "attacker.example", "attacker.example:9719", "localhost.attacker.example",
        "127.0.0.1.attacker.example", "192.168.1.5:9719", "server", "localhost:x", "::1",
        "127.0.0.1:1:1",
    ])
    func otherNamesAreRefused(host: String) throws {
        #expect(try !check("127.0.0.1:9719").allows(host))
    }

    @Test func theListenAddressIsAllowed() throws {
        #expect(try check("192.168.1.5:80").allows("192.168.1.5:80"))
        #expect(try !check("192.168.1.5:80").allows("192.168.1.6:80"))
        #expect(try check("[fe80::1]:80").allows("[FE80:0::1]:80"))
    }

    @Test func aServerOnAllAddressesAllowsAddressesAndItsName() throws {
        let check = try check("0.0.0.0:80")
        #expect(check.allows("192.168.1.5:80"))
        #expect(check.allows("[2001:db8::1]:80"))
        #expect(check.allows("server:80"))
        #expect(!check.allows("attacker.example:80"))
    }
}
