/// One full screen of a scene, with what it needs to be shown: usually a case of an enum with associated values.
public protocol Page: Codable, Hashable, Sendable {}
