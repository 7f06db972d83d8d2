import Messaging
import Bus
import TestKit
import Testing

@testable import Hub

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct GoodbyeTests {
    @Test("A peer that says hello during the goodbyes is not admitted, so the hub need not wait for it")
    func helloWhileEnding() async throws {
        try await withHub { live in
            let (slow, _) = try await live.attach("slow")
            let ending = Task { await live.hub.sayGoodbye(within: .seconds(60)) }
            _ = try await slow.next(.goodbye)
            let late = try live.raw()
            try late.sendHello("late", role: .plugin)
            // The hub does not know the link, and says so, after it has dropped the hello.
            try late.sendHeartbeat()
            #expect(try await late.next().kind == .refusal)
            #expect(live.hub.link(named: "late") == nil)
            try slow.send(Frame(.goodbye).encoded())
            #expect(await ending.value == true)
        }
    }
}
