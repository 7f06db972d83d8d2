import Testing

@testable import ZeroMQ

struct AuthenticationExchangeTests {
    private static let key = [UInt8](repeating: 7, count: 32)

    private func question(_ change: (inout [[UInt8]]) -> Void = { _ in }) -> [[UInt8]] {
        var parts = ["1.0", "id", "bus", "192.0.2.1", "", "CURVE"].map { Array($0.utf8) } + [Self.key]
        change(&parts)
        return parts
    }

    private func texts(_ parts: [[UInt8]]) -> [String] { parts.map { String(decoding: $0, as: UTF8.self) } }

    @Test func `An allowed key gets its own text as user id, and another is refused`() {
        var asked: [String] = []
        let yes = AuthenticationExchange.reply(to: question()) {
            asked.append("\($0.key) \($0.domain) \($0.address)")
            return true
        }
        let text = Hexadecimal.text(Self.key)
        #expect(texts(yes) == ["1.0", "id", "200", "OK", text, ""])
        #expect(asked == ["\(text) bus 192.0.2.1"])
        let no = AuthenticationExchange.reply(to: question()) { _ in false }
        #expect(texts(no) == ["1.0", "id", "400", "unknown key", "", ""])
    }

    @Test func `Anything else is refused without asking`() {
        let others: [[[UInt8]]] = [
            [], [[]], question { $0.removeLast() }, question { $0.append([]) }, question { $0[0] = Array("2.0".utf8) },
            question { $0[5] = Array("NULL".utf8) }, question { $0[5] = Array("PLAIN".utf8) },
            question { $0[6] = [] }, question { $0[6].append(1) },
        ]
        for parts in others {
            let reply = AuthenticationExchange.reply(to: parts) { _ in
                Issue.record("asked for \(parts)")
                return true
            }
            #expect(reply.count == 6)
            #expect(texts(reply)[2] == "500")
        }
    }
}
