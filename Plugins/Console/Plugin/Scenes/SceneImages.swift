#if Console
    import Bus
    import CBOR
    import ConsoleModel
    import Messaging
    import NIOCore
    import OperatorKit
    import SceneContent

    /// Fetches the images of scenes from the host, each once for all pages that ask for it.
    @MainActor
    final class SceneImages {
        /// How long the host may take: a scene that moves has its images again when it runs.
        private static let timeout = Duration.seconds(10)
        /// The number of images that are fetched at a time: all, those of each scene, and those that each reader has asked for first.
        private static let fetches = (total: 256, each: ContentBounds.images, reader: ContentBounds.images)

        /// An image as it is sent to browsers. Its bytes are in memory once, however many browsers load it.
        struct Image: Sendable {
            let bytes: ByteBuffer
            let mediaType: String
        }

        enum Outcome: Sendable {
            case image(Image)
            /// The scene shows no such image, or the session is not open.
            case missing
            /// The worker's bytes are not what the scene's picture says.
            case wrong(reason: String)
            /// The host or the scene does not answer now.
            case unavailable
        }

        private typealias Key = ImageCache<Image>.Key

        private let chain: @MainActor () -> ResponderChain
        private var cache = ImageCache<Image>()
        private var places = Places<String>(total: SceneImages.fetches.total, each: SceneImages.fetches.each)
        private var readers = Places<TokenDigest>(total: SceneImages.fetches.total, each: SceneImages.fetches.reader)
        private var running: [ImageCache<Image>.Key: Task<Outcome, Never>] = [:]

        /// - Parameter chain: returns the chain to the host.
        init(over chain: @escaping @MainActor () -> ResponderChain) { self.chain = chain }

        /// Returns an image of a scene that is in memory, by its hash; `nil` if it is not.
        func find(_ hash: String, of session: String) -> Image? { cache.find(Key(session: session, hash: hash)) }

        /// Returns an image that a scene shows, by its hash.
        func image(_ hash: String, of session: String, for reader: TokenDigest) async -> Outcome {
            let key = Key(session: session, hash: hash)
            if let image = cache.find(key) { return .image(image) }
            if let fetch = running[key] { return await fetch.value }
            guard readers.take(reader) == nil else { return .unavailable }
            guard places.take(session) == nil else {
                readers.leave(reader)
                return .unavailable
            }
            let fetch = Task {
                defer {
                    running[key] = nil
                    places.leave(session)
                    readers.leave(reader)
                }
                return await self.fetch(key)
            }
            running[key] = fetch
            return await fetch.value
        }

        private func fetch(_ key: Key) async -> Outcome {
            do {
                let bytes = try await chain().within(Self.timeout)
                    .hostSceneImage(session: key.session, hash: key.hash).bytes
                let data = try await Self.read(bytes, key.hash)
                let image = Image(bytes: ByteBuffer(bytes: data.bytes), mediaType: data.mediaType ?? "")
                cache.keep(image, bytes: data.bytes.count, as: key)
                return .image(image)
            } catch let error as WrongImage {
                return .wrong(reason: error.description)
            } catch let error as RemoteError where error.sceneCommandCode.map(Self.isMissing) ?? false {
                return .missing
            } catch let error as MessageError where error.code == .unhandled {
                // The host or the worker is of an earlier build.
                return .missing
            } catch {
                return .unavailable
            }
        }

        private static func isMissing(_ code: SceneCommandError.Code) -> Bool {
            [.refused, .unknownSession, .noWindow].contains(code)
        }

        /// Looks at the bytes, which takes milliseconds, elsewhere than where all requests are answered.
        @concurrent private nonisolated static func read(
            _ bytes: [UInt8], _ hash: String
        ) async throws(WrongImage) -> ImageData {
            try ImageData(bytes, asked: hash)
        }
    }
#endif
