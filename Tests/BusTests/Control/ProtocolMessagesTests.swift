import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct ProtocolMessagesTests {
    @Test func `A message of the protocol is known, whatever its name begins with`() {
        #expect(ProtocolMessages.names.count > 30)
        for name in ProtocolMessages.names { #expect(ProtocolMessages.contains(name), "\(name)") }
    }

    @Test(arguments: ["", "h", "s", "host", "hostess", "hostStatuses", "scenery", "sensorRead", "accountLogin"])
    func `Another message is none`(name: String) { #expect(!ProtocolMessages.contains(name)) }
}
