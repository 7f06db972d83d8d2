public import CBOR
import FoundationEssentials

/// A request from outside to show something: it resolves to a page, a value, before any screen is touched.
public enum DeepLink: Codable, Hashable, Sendable {
    /// A URL that the system or an operator opened.
    case url(String)
    /// A notification's dictionary.
    case notification([String: CBORValue])
    /// An activity to go on with.
    case activity(UserActivity)

    private enum CodingKeys: String, CodingKey {
        case url, notification, activity
    }

    /// Reads a map of one entry: the kind of link, and what it opens.
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

    /// What the link is, for an error or a log.
    public var summary: String {
        switch self {
        case .url(let url): return url
        case .notification(let info): return "notification \(info.keys.sorted())"
        case .activity(let activity): return "activity '\(activity.activityType)'"
        }
    }

    /// The parts of the URL; `nil` for another kind of link.
    /// - Throws: ``DeepLinkRefusal`` when it is not a URL.
    public func urlParts() throws -> URLParts? {
        guard case .url(let text) = self else { return nil }
        guard let parts = URLParts(text) else { throw DeepLinkRefusal(self, "it is not a URL") }
        return parts
    }
}

/// A URL as deep links use it: `scheme://first/second?name=value`, where host and path are one list.
public struct URLParts: Hashable, Sendable {
    /// The scheme in lower case.
    public let scheme: String
    /// The host, then the components of the path.
    public let path: [String]
    /// The query's values by name: of several the first, and empty for a name without one.
    public let query: [String: String]

    /// - Returns: `nil` when the text is not a URL with a scheme.
    public init?(_ text: String) {
        guard let components = URLComponents(string: text), let scheme = components.scheme else { return nil }
        self.scheme = scheme.lowercased()
        let host = components.host.map { [$0] } ?? []
        path = host + components.path.split(separator: "/").map(String.init)
        query = Dictionary(
            (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

/// A deep link that nobody can show, and why.
public struct DeepLinkRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be opened: ``DeepLink/summary``.
    public let link: String
    /// Why it cannot be, in words.
    public let reason: String

    public init(_ link: DeepLink, _ reason: String) {
        self.link = link.summary
        self.reason = reason
    }

    public var description: String { "cannot open \(link): \(reason)" }
}
