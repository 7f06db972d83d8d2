public import CBOR
import FoundationEssentials

/// A request from outside the application to show something. It is resolved to a page before any screen changes.
public enum DeepLink: Codable, Hashable, Sendable {
    /// A URL that the system or an operator opens.
    case url(String)
    /// A notification's dictionary.
    case notification([String: CBORValue])
    /// An activity to continue.
    case activity(UserActivity)

    private enum CodingKeys: String, CodingKey {
        case url, notification, activity
    }

    /// Decodes a map with one entry: the kind of link, and what it opens.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let kind = fields.allKeys.first, fields.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "a link is one of url, notification, activity"))
        }
        switch kind {
        case .url: self = .url(try fields.decode(String.self, forKey: kind))
        case .notification: self = .notification(try fields.decode([String: CBORValue].self, forKey: kind))
        case .activity: self = .activity(try fields.decode(UserActivity.self, forKey: kind))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .url(let url): try fields.encode(url, forKey: .url)
        case .notification(let info): try fields.encode(info, forKey: .notification)
        case .activity(let activity): try fields.encode(activity, forKey: .activity)
        }
    }

    /// A short description of the link, for errors and logs.
    public var summary: String {
        switch self {
        case .url(let url): return url
        case .notification(let info): return "notification \(info.keys.sorted())"
        case .activity(let activity): return "activity '\(activity.activityType)'"
        }
    }

    /// Parses the URL.
    /// - Returns: The parts of the URL; `nil` for another kind of link.
    /// - Throws: ``DeepLinkRefusal`` if the text is not a URL.
    public func urlParts() throws -> URLParts? {
        guard case .url(let text) = self else { return nil }
        guard let parts = URLParts(text) else { throw DeepLinkRefusal(self, "it is not a URL") }
        return parts
    }
}

/// The parts of a deep link's URL, `scheme://first/second?name=value`. Host and path are combined in one list.
public struct URLParts: Hashable, Sendable {
    /// The scheme in lower case.
    public let scheme: String
    /// The host, then the components of the path.
    public let path: [String]
    /// The query's values by name. Of several values for a name, the first is kept. A name without a value has an empty
    /// one.
    public let query: [String: String]

    /// - Returns: `nil` if the text is not a URL with a scheme.
    public init?(_ text: String) {
        guard let components = URLComponents(string: text), let scheme = components.scheme else { return nil }
        self.scheme = scheme.lowercased()
        let host = components.host.flatMap { $0.isEmpty ? nil : [$0] } ?? []
        path = host + components.path.split(separator: "/").map(String.init)
        query = Dictionary(
            (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

/// An error for a deep link that cannot be opened, with the reason.
public struct DeepLinkRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The link's ``DeepLink/summary``.
    public let link: String
    /// The reason, in words.
    public let reason: String

    public init(_ link: DeepLink, _ reason: String) {
        self.link = link.summary
        self.reason = reason
    }

    public var description: String { "cannot open \(link): \(reason)" }
}
