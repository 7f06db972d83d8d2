import Bus
package import Foundation
package import ZeroMQ

/// An invitation of a host: what a new machine needs to hand in its own key, once. Whoever has it can take the machine's place,
/// so it is a secret until it is used.
package struct InvitationToken: Sendable {
    /// The addresses at which the host may be reached, in the order in which they are tried.
    package var addresses: [String]
    /// The host's public key.
    package var host: PublicKey
    /// The key pair that may hand in another key, and nothing else.
    package var keys: KeyPair
    /// The name that the new machine's key gets.
    package var name: String
    package var expires: Date

    package init(addresses: [String], host: PublicKey, keys: KeyPair, name: String, expires: Date) {
        (self.addresses, self.host, self.keys, self.name, self.expires) = (addresses, host, keys, name, expires)
    }

    /// Why a text is no invitation.
    package struct Invalid: Error, Hashable, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    // MARK: - The text form

    // After the beginning, in Base64 for URLs without padding: the host's key, the secret key, the time in seconds since 1970
    // in network byte order, each text behind its length in a byte, the name first, and then 4 bytes of a checksum of all
    // that, which is no protection but finds a token that was cut short or mistyped.

    private static let beginning = "scenebus1-"
    private static let maximumAddresses = 16
    /// The maximum length of the text form, in bytes.
    package static let maximumSize = 16 << 10

    /// Whether a text may be an invitation, or most of one, whose secret must not be shown or kept. A short one is the name of a
    /// machine.
    package static func begins(_ text: some StringProtocol) -> Bool {
        let text = text.drop(while: \.isWhitespace)
        return text.hasPrefix(beginning) && text.utf8.count > longestName
    }

    /// No part of an invitation of this size has the whole of its secret, which follows the host's key.
    private static let longestName = 40

    package var text: String {
        var bytes = host.bytes + keys.secret
        let seconds = UInt64(clamping: Int64(expires.timeIntervalSince1970.rounded()))
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: seconds >> UInt64(shift)))
        }
        for text in [name] + addresses.prefix(Self.maximumAddresses) {
            let text = Array(text.utf8.prefix(255))
            bytes += [UInt8(text.count)] + text
        }
        bytes += Self.checksum(bytes[...])
        let base64 = Data(bytes).base64EncodedString()
        let forURLs = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return Self.beginning + forURLs
    }

    package init(_ text: some StringProtocol) throws(Invalid) {
        let text = String(text).filter { !$0.isWhitespace }
        guard text.hasPrefix(Self.beginning), text.utf8.count <= Self.maximumSize else {
            throw Invalid("it is no invitation, which begins with '\(Self.beginning)'")
        }
        let damaged = Invalid("the invitation is damaged: copy it as a whole")
        var base64 = String(text.dropFirst(Self.beginning.count)).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), data.count > 4 else { throw damaged }
        let bytes = [UInt8](data)
        guard Self.checksum(bytes.dropLast(4)).elementsEqual(bytes.suffix(4)) else { throw damaged }
        var rest = bytes.dropLast(4)
        func take(_ count: Int) throws(Invalid) -> [UInt8] {
            guard rest.count >= count else { throw damaged }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let host = PublicKey(try take(32)), let keys = KeyPair(secret: try take(32)) else { throw damaged }
        (self.host, self.keys) = (host, keys)
        let seconds = try take(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        expires = Date(timeIntervalSince1970: TimeInterval(min(seconds, 1 << 40)))
        var texts: [String] = []
        while let count = rest.first {
            rest = rest.dropFirst()
            texts.append(String(decoding: try take(Int(count)), as: UTF8.self))
        }
        guard let name = texts.first, BusName.problem(with: name) == nil, texts.count > 1,
            texts.dropFirst().allSatisfy({ $0.hasPrefix("tcp://") && HostEndpoint.problem(of: $0) == nil })
        else { throw damaged }
        self.name = name
        addresses = Array(texts.dropFirst().prefix(Self.maximumAddresses))
    }

    /// FNV-1a of 32 bits.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let hash = bytes.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: hash >> UInt32($0)) }
    }
}
