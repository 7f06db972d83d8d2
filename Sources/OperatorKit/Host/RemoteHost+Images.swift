import Bus
public import SceneContent

extension RemoteHost {
    /// Returns an image that a session's scene shows, or has shown shortly before.
    ///
    /// It throws a ``RemoteError`` with the code `refused` if there is none, and ``WrongImage`` if the scene's worker has sent
    /// something else.
    /// - Parameter hash: the image's hash, as its ``ImageBlock`` has it.
    public func image(_ hash: String, of session: String) async throws -> ImageData {
        try ImageData(try await chain.hostSceneImage(session: session, hash: hash).bytes, asked: hash)
    }
}

extension ImageData {
    /// Takes what a scene's worker has sent.
    /// - Parameter hash: the hash of the image that was asked for.
    package init(_ bytes: [UInt8], asked hash: String) throws(WrongImage) {
        self.init(bytes)
        if let problem { throw WrongImage(description: problem) }
        guard self.hash == hash else {
            throw WrongImage(description: "The scene's worker has sent another image than the one that was asked for.")
        }
    }
}

/// The bytes that a scene's worker has sent are not the image that its scene shows.
public struct WrongImage: Error, Hashable, CustomStringConvertible {
    public let description: String
}
