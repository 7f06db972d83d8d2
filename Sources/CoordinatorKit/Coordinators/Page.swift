/// A full screen of a scene, with the data that is needed to show it. It is usually a case of an enum with associated
/// values.
public protocol Page: Codable, Hashable, Sendable {}
