import Bus
import CBOR
import Messaging
import OperatorKit
import SceneContent
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Images of scenes on their way from a worker to a client.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SceneImageTests {
        /// A GIF of at most some bytes, as its first ones say it.
        private static func gif(_ count: Int = 100) -> [UInt8] {
            let beginning = Array("GIF89a".utf8) + [8, 0, 4, 0]
            return beginning + Array(repeating: 7, count: count - beginning.count)
        }

        /// Asks for an image, which a worker answers with bytes.
        private func fetch(_ hash: String, answer: [UInt8]) async throws -> ImageData {
            try await withHost { live in
                let worker = try await live.rawWorker(named: "wall", capacity: 1)
                let session = try await live.client().open(at: worker)
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                let image = Task { try await host.image(hash, of: session) }
                let request = try await worker.next("sceneImage")
                #expect(request.session == session && request.token > 0)
                let asked = try request.decodePayload(as: SceneMessagesList.sceneImage.self)
                #expect((asked.session, asked.hash) == (session, hash))
                try worker.reply(to: request, with: try CBOREncoder().encode(CBORBytes(answer)))
                return try await image.value
            }
        }

        @Test("A client gets an image of a scene by its hash, up to the largest one", arguments: [100, 512 << 10])
        func image(count: Int) async throws {
            let image = ImageData(Self.gif(count))
            let fetched = try await fetch(image.hash, answer: image.bytes)
            #expect(fetched.bytes == image.bytes)
            #expect(fetched.mediaType == "image/gif")
        }

        @Test("A worker that sends too much is refused by the host")
        func tooLarge() async throws {
            let hash = String(repeating: "a", count: 64)
            let error = await #expect(throws: RemoteError.self) {
                try await fetch(hash, answer: Self.gif((512 << 10) + 1))
            }
            #expect(error?.sceneCommandCode == .refused)
            #expect(error?.description.contains("524289 bytes") == true)
        }

        @Test("Bytes that are not the image that was asked for are refused by the client")
        func wrong() async throws {
            let hash = ImageData(Self.gif()).hash
            for answer in [Self.gif(101), Array("<html>".utf8), []] {
                await #expect(throws: WrongImage.self) { try await fetch(hash, answer: answer) }
            }
        }

        @Test("What is no hash, and no session, is refused without asking a worker")
        func malformed() async throws {
            try await withHost { live in
                let worker = try await live.rawWorker(named: "wall", capacity: 1)
                let client = try await live.client()
                let session = try await client.open(at: worker)
                for hash in ["", "../../etc/passwd", String(repeating: "A", count: 64)] {
                    let error = await #expect(throws: RemoteError.self) {
                        try await client.chain.hostSceneImage(session: session, hash: hash)
                    }
                    #expect(error?.sceneCommandCode == .refused)
                }
                let error = await #expect(throws: RemoteError.self) {
                    try await client.chain.hostSceneImage(session: "none", hash: String(repeating: "a", count: 64))
                }
                #expect(error?.sceneCommandCode == .unknownSession)
            }
        }
    }
}
