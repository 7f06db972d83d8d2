import Bus
import Testing
import ZeroMQ

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct LoggedKeysTests {
    private var logged = LoggedKeys()
    private let start = MonotonicInstant.now

    /// How many of keys are logged.
    /// - Parameter readsList: whether the list is read before each of them.
    private mutating func count(of keys: [PublicKey], readsList: Bool = false, after seconds: Int = 0) -> Int {
        var count = 0
        for key in keys {
            if readsList { logged.forgetKeys() }
            if logged.allows(key, at: start + .seconds(seconds)) { count += 1 }
        }
        return count
    }

    @Test mutating func `Each key is logged once, and some in a minute, however often the list is read`() throws {
        let keys = try (0..<50).map { _ in try KeyPair().publicKey }
        #expect(count(of: [keys[0], keys[0]]) == 1)
        #expect(count(of: [keys[0]], readsList: true) == 1)
        #expect(count(of: keys, readsList: true, after: 59) == 8)
        #expect(count(of: [keys[49]], after: 60) == 0)
        #expect(count(of: [keys[49]], readsList: true, after: 60) == 1)
    }
}
