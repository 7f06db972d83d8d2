import Bus
import CBOR
import Messaging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FailureTextTests {
    /// A failure as a peer encodes it that keeps to no limit.
    private enum Unbounded: Encodable {
        case message(MessageError)
        case handler(RemoteError)

        private enum Key: CodingKey { case message, handler }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            switch self {
            case .message(let error): try fields.encode(error, forKey: .message)
            case .handler(let error): try fields.encode(error, forKey: .handler)
            }
        }
    }

    private let long = String(repeating: "x", count: 1 << 20)

    @Test("The texts of a failure that is received are cut, however long its sender has made them")
    func received() throws {
        let message = MessageError(
            .malformed, message: long, path: Array(repeating: long, count: 3), detail: long, mayHaveBeenHandled: true)
        let first = try CBORDecoder().decode(
            FailureEncoding.self, from: CBOREncoder().encode(Unbounded.message(message)))
        let received = try #require(first.error as? MessageError)
        #expect(received.description.utf8.count < 32 << 10)
        #expect(received.path.allSatisfy { $0.utf8.count < 2048 })
        #expect(received.code == .malformed && received.mayHaveBeenHandled)
        let second = try CBORDecoder().decode(
            FailureEncoding.self,
            from: CBOREncoder().encode(Unbounded.handler(RemoteError(type: long, message: long, code: long))))
        let remote = try #require(second.error as? RemoteError)
        #expect(remote.message.utf8.count < 17 << 10 && remote.type.utf8.count < 2048)
        #expect(try #require(remote.code).utf8.count < 2048)
    }

    @Test("A failure within the limits is received as it was sent")
    func whole() throws {
        let error = MessageError(.unhandled, message: "ask", path: ["A", "B"], detail: "no")
        let failure = try CBORDecoder().decode(
            FailureEncoding.self, from: CBOREncoder().encode(FailureEncoding(error)))
        #expect(failure.error as? MessageError == error)
    }
}
