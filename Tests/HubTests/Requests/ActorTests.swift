import Bus
import Messaging
import TestKit
import Testing

@testable import Hub

/// Whom the host names as the actor of a message.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ActorTests {
    private func frame(_ kind: FrameKind, _ name: String, id: UInt64 = 1, parent: UInt64 = 0) -> Frame {
        var frame = Frame(kind, name: name)
        (frame.id, frame.parent) = (kind == .post ? 0 : id, parent)
        frame.payload = [0xA0]
        return frame
    }

    private func reply(to request: Frame) -> [UInt8] {
        var reply = Frame(.reply, name: request.name)
        reply.id = request.id
        reply.payload = [0xA0]
        return reply.encoded()
    }

    @Test func `A message is an act of its sender, and of nobody else`() async throws {
        try await withHub { live in
            let (handler, _) = try await live.attach("handler", handles: ["ask", "tell"])
            let (sender, _) = try await live.attach("sender")
            try sender.send(frame(.request, "ask").encoded())
            #expect(try await handler.next(.request).actor == "plugin sender")
            try sender.send(frame(.post, "tell", parent: 4711).encoded())
            #expect(try await handler.next(.post).actor == "plugin sender")
        }
    }

    @Test(arguments: ["anna", "operator root", "Jörg Äöü", String(repeating: "x", count: 64)])
    func `A peer may say for which user it acts, and stays the peer that acts`(user: String) async throws {
        try await withHub { live in
            let (handler, _) = try await live.attach("handler", handles: ["ask", "tell"])
            let (sender, _) = try await live.attach("sender")
            for (kind, name) in [(FrameKind.request, "ask"), (.post, "tell")] {
                var frame = frame(kind, name)
                frame.actor = user
                try sender.send(frame.encoded())
                let actor = try #require(MessageActor(text: try await handler.next(kind).actor))
                #expect(actor == MessageActor(role: .plugin, peer: "sender", user: user))
            }
        }
    }

    @Test func `What results from another's message is no act of the handler's user`() async throws {
        try await withHub { live in
            let (last, _) = try await live.attach("last", handles: ["note"])
            let (middle, _) = try await live.attach("middle", handles: ["ask"])
            let (sender, _) = try await live.attach("sender")
            try sender.send(frame(.request, "ask").encoded())
            let asked = try await middle.next(.request)
            var note = frame(.post, "note", parent: asked.id)
            note.actor = "anna"
            try middle.send(note.encoded())
            #expect(try await last.next(.post).actor == "plugin sender")
        }
    }

    @Test(arguments: [
        " anna", "anna ", "an\nna", "an\u{202E}na", "\u{1B}[31m", String(repeating: "x", count: 65), "\u{301}anna",
        " \u{301}x",
        "-", "anna\u{FE0F}", "\u{3164}", "anna\u{A0}", "an\u{2003}na", "an\u{200B}na", "anna\u{2800}",
    ])
    func `A user with an impossible name is refused`(user: String) async throws {
        try await withHub { live in
            let (handler, _) = try await live.attach("handler", handles: ["ask", "tell"])
            let (sender, _) = try await live.attach("sender")
            var post = frame(.post, "tell")
            post.actor = user
            try sender.send(post.encoded())
            var request = frame(.request, "ask", id: 7)
            request.actor = user
            try sender.send(request.encoded())
            let failure = try await sender.next(.failure)
            #expect(failure.id == 7)
            let error = try failure.decodePayload(as: FailureEncoding.self).error as? MessageError
            #expect(error?.code == .malformed && error?.detail.contains("the name of a user") == true)
            // Nothing else has reached the handler.
            try sender.send(frame(.request, "ask", id: 8).encoded())
            #expect(try await handler.next().actor == "plugin sender")
            #expect(live.hub.counters.values["refused: impossible user"] == 2)
        }
    }

    @Test func `What a handler sends because of a message is an act of the one who sent that`() async throws {
        try await withHub { live in
            let (last, _) = try await live.attach("last", handles: ["note"])
            let (middle, _) = try await live.attach("middle", handles: ["ask", "tell"])
            let (sender, _) = try await live.attach("sender")
            try sender.send(frame(.request, "ask").encoded())
            let asked = try await middle.next(.request)
            try middle.send(frame(.post, "note", parent: asked.id).encoded())
            #expect(try await last.next(.post).actor == "plugin sender")
            // A task of the handler may go on after the reply.
            try middle.send(reply(to: asked))
            _ = try await sender.next(.reply)
            try middle.send(frame(.request, "note", parent: asked.id).encoded())
            #expect(try await last.next(.request).actor == "plugin sender")
            try sender.send(frame(.post, "tell").encoded())
            let told = try await middle.next(.post)
            #expect(told.id != 0 && told.id != asked.id)
            try middle.send(frame(.post, "note", parent: told.id).encoded())
            #expect(try await last.next(.post).actor == "plugin sender")
        }
    }

    @Test func `A peer cannot name a message that another peer was handed`() async throws {
        try await withHub { live in
            let (last, _) = try await live.attach("last", handles: ["note"])
            let (middle, _) = try await live.attach("middle", handles: ["ask"])
            let (sender, _) = try await live.attach("sender")
            let (thief, _) = try await live.attach("thief")
            try sender.send(frame(.request, "ask").encoded())
            let asked = try await middle.next(.request)
            try thief.send(frame(.post, "note", parent: asked.id).encoded())
            #expect(try await last.next(.post).actor == "plugin thief")
        }
    }

    @Test func `The host remembers a bounded number of messages for each peer`() throws {
        var handed = HandedMessages()
        for id in UInt64(1)...1000 {
            var frame = frame(.request, "ask", id: id)
            frame.actor = "plugin p\(id)"
            handed.add(frame)
        }
        #expect(handed.origin(of: 1000)?.actor == "plugin p1000")
        #expect(handed.origin(of: 745)?.actor == "plugin p745")
        #expect(handed.origin(of: 744)?.actor == nil)
    }

    @Test func `A peer that does not read actors gets frames without`() async throws {
        try await withHub { live in
            let handler = try live.raw()
            let hello = Hello(role: .plugin, peer: "old", pid: 1, endpoint: "", handles: ["ask"])
            try handler.send(Frame(.hello).encoded(payload: hello))
            _ = try await handler.next(.welcome)
            let (sender, _) = try await live.attach("sender")
            try sender.send(frame(.request, "ask").encoded())
            let asked = try await handler.next(.request)
            #expect(asked.actor == "" && Array(asked.payload) == [0xA0])
        }
    }
}
