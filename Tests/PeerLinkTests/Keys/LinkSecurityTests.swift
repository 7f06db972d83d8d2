import Testing
import ZeroMQ

@testable import PeerLink

struct LinkSecurityTests {
    private let keys: [PublicKey]
    private var security: LinkSecurity

    init() throws {
        keys = try (0..<3).map { _ in try KeyPair().publicKey }
        security = LinkSecurity(keys: try KeyPair(), host: keys[0])
    }

    @Test func `A link that stays through a change of the host's key knows both keys at the next change`() {
        var security = security
        security.announced("\(keys[1])")
        #expect(security.host == keys[0] && security.nextHost == keys[1])
        // The host has it now, and goes on saying so.
        security.announced("\(keys[1])")
        security.announced("\(keys[2])")
        #expect(security.host == keys[1] && security.nextHost == keys[2])
        #expect(security.currentHost == keys[1])
    }

    @Test func `A change that is called off is forgotten`() {
        var security = security
        security.announced("\(keys[1])")
        security.announced(nil)
        #expect(security.host == keys[0] && security.nextHost == nil)
        security.announced("\(keys[2])")
        #expect(security.host == keys[0] && security.nextHost == keys[2])
    }

    @Test func `The key that a link expects already is no next one`() {
        var security = security
        security.announced("\(keys[0])")
        #expect(security.host == keys[0] && security.nextHost == nil)
    }
}
