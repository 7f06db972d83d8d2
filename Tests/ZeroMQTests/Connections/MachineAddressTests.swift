import Glibc
import Testing

@testable import ZeroMQ

struct MachineAddressTests {
    private func machine(_ text: String) throws -> MachineAddress {
        var storage = sockaddr_storage()
        let isIPv6 = text.contains(":")
        storage.ss_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        let result = withUnsafeMutableBytes(of: &storage) {
            inet_pton(Int32(isIPv6 ? AF_INET6 : AF_INET), text, $0.baseAddress?.advanced(by: isIPv6 ? 8 : 4))
        }
        try #require(result == 1)
        return MachineAddress(storage)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.2"), ("127.0.0.1", "127.200.3.4"), ("127.0.0.1", "::1"),
        ("127.0.0.1", "::ffff:127.9.9.9"), ("192.0.2.7", "::ffff:192.0.2.7"), ("2001:db8::1", "2001:db8::ffff:1"),
    ])
    func `Addresses of which one machine has any number are one owner`(first: String, second: String) throws {
        #expect(try machine(first) == machine(second))
        #expect(try machine(first).number == machine(second).number)
        #expect(try machine(first).number < 0)
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.8"), ("127.0.0.1", "126.0.0.1"), ("2001:db8::1", "2001:db8:0:1::1"), ("::1", "::2"),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.8"),
    ])
    func `Other machines are other owners`(first: String, second: String) throws {
        #expect(try machine(first).number != machine(second).number)
    }
}
