import Bus
import CBOR
import CoordinatorKit
import Messaging
import OperatorKit
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Actions in scenes that are sent again.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct OnceActionTests {
        private static let press = MessageID(high: 4, low: 2)

        /// Returns an action as a surface sends it.
        private func act(
            _ id: UInt64, in session: String, as press: MessageID = press, isCopy: Bool = false
        ) throws -> [UInt8] {
            var frame = Frame(.request)
            if isCopy { frame.flags.insert(.copy) }
            frame.id = id
            frame.name = HostMessagesList.hostScenePerform.name
            frame.delivery = .once
            frame.messageID = press
            return try frame.encoded(
                payload: HostMessagesList.hostScenePerform(
                    session: session, layer: nil, action: "add", fields: ["note": "tea"]))
        }

        private func answer(of raw: RawPeer, to id: UInt64) async throws -> Frame {
            while true {
                let frame = try await raw.next()
                if frame.id == id, frame.kind == .reply || frame.kind == .failure { return frame }
            }
        }

        private func error(_ frame: Frame) throws -> MessageError? {
            try frame.decodePayload(as: FailureEncoding.self).error as? MessageError
        }

        @Test("An action that is sent again is done once, and each gets the answer; another one is done, too")
        func again() async throws {
            try await withHost { live in
                let worker = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let session = try await client.open(at: worker)
                let first = try live.raw()
                _ = try await first.hello("page", role: .operator)
                try first.send(try act(1, in: session))
                let request = try await worker.next("sceneAct")
                // While it is being done, it comes again over another link.
                let second = try live.raw()
                _ = try await second.hello("page", role: .operator)
                try second.send(try act(1, in: session, isCopy: true))
                try worker.reply(to: request, with: try CBOREncoding.content)
                #expect(try await answer(of: second, to: 1).kind == .reply)
                try second.send(try act(2, in: session))
                #expect(try await answer(of: second, to: 2).kind == .reply)
                // The next that the worker gets is another one.
                try second.send(try act(3, in: session, as: MessageID(high: 4, low: 3)))
                try worker.reply(to: try await worker.next("sceneAct"), with: try CBOREncoding.content)
                #expect(try await answer(of: second, to: 3).kind == .reply)
            }
        }

        @Test("When the worker dies that was doing an action, each copy is told that it may have been done")
        func worker() async throws {
            try await withHost { live in
                let worker = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let session = try await client.open(at: worker)
                let page = try live.raw()
                _ = try await page.hello("page", role: .operator)
                try page.send(try act(1, in: session))
                _ = try await worker.next("sceneAct")
                try worker.send(Frame(.goodbye).encoded())
                for id in 1...2 as ClosedRange<UInt64> {
                    if id == 2 { try page.send(try act(2, in: session)) }
                    let lost = try #require(try error(try await answer(of: page, to: id)))
                    #expect(lost.code == .peerLost)
                    #expect(lost.mayHaveBeenHandled)
                }
            }
        }

        @Test("When its sender no longer waits for an action, each copy is told that it may have been done")
        func cancelled() async throws {
            try await withHost { live in
                let worker = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let session = try await client.open(at: worker)
                let page = try live.raw()
                _ = try await page.hello("page", role: .operator)
                try page.send(try act(1, in: session))
                let request = try await worker.next("sceneAct")
                var cancel = Frame(.cancel)
                cancel.id = 1
                try page.send(cancel.encoded())
                // The worker finishes it.
                #expect(try await worker.next(.cancel).id == request.id)
                try worker.reply(to: request, with: try CBOREncoding.content)
                for id in 1...2 as ClosedRange<UInt64> {
                    if id == 2 { try page.send(try act(2, in: session, isCopy: true)) }
                    let end = try #require(try error(try await answer(of: page, to: id)))
                    #expect(end.code == .timeout && end.mayHaveBeenHandled)
                }
            }
        }

        @Test("The next life of the host answers for what was done, and does nothing twice")
        func host() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let lost = MessageID(high: 4, low: 3)
            var session = ""
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let worker = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                session = try await client.open(at: worker)
                let page = try live.raw()
                _ = try await page.hello("page", role: .operator)
                try page.send(try act(1, in: session))
                try worker.reply(to: try await worker.next("sceneAct"), with: try CBOREncoding.content)
                #expect(try await answer(of: page, to: 1).kind == .reply)
                try page.send(try act(2, in: session, as: lost))
                _ = try await worker.next("sceneAct")
            }
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let page = try live.raw()
                _ = try await page.hello("page", role: .operator)
                try page.send(try act(3, in: session))
                #expect(try await answer(of: page, to: 3).kind == .reply)
                try page.send(try act(4, in: session, as: lost))
                #expect(try error(try await answer(of: page, to: 4))?.mayHaveBeenHandled == true)
            }
        }

        @Test("A program's action is done once for each identifier, and only in the layer that it names")
        func program() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.openSession("Wall", id: "door")
                try await host.perform("keep", in: "door", fields: ["text": "first"], id: Self.press)
                // As the identifier is known, it is not done, whatever it is.
                try await host.perform("keep", in: "door", fields: ["text": "second"], id: Self.press)
                #expect(try await host.screen(of: "door").texts.last == "first")
                for layer in ["another", ""] {
                    await #expect(throws: RemoteError.self) {
                        try await host.perform("keep", in: "door", layer: layer, fields: ["text": "third"])
                    }
                }
                // Without a layer, what was done is only asked for.
                try await host.perform("keep", in: "door", layer: "", id: Self.press)
                try await host.perform("keep", in: "door", fields: ["text": "fourth"])
                #expect(try await host.screen(of: "door").texts.last == "fourth")
            }
        }
    }
}

private enum CBOREncoding {
    /// What a scene shows that shows nothing.
    static var content: [UInt8] {
        get throws { try CBOREncoder().encode(ScreenContent()) }
    }
}
