public import CBOR

/// A range of versions of the bus protocol.
public struct ProtocolVersionRange: Codable, Hashable, Sendable, CustomStringConvertible {
    public let min: Int
    public let max: Int

    public init(min: Int, max: Int) {
        self.min = min
        self.max = max
    }

    /// The versions that this build speaks.
    public static let current = ProtocolVersionRange(min: 1, max: 1)

    /// Returns the highest version that is in both ranges; `nil` when there is none.
    public func highestCommon(with other: ProtocolVersionRange) -> Int? {
        let highest = Swift.min(max, other.max)
        return highest >= Swift.max(min, other.min) ? highest : nil
    }

    public var description: String { min == max ? "version \(min)" : "versions \(min) to \(max)" }
}

// Written by hand, like that of ``Heartbeat``. Through `Codable`, the runtime would search all conformances of the process
// for the keys when a worker starts.
extension ProtocolVersionRange: CBORItem {
    public func writeItem(to writer: inout CBORWriter) throws {
        try writer.beginFields(2)
        try writer.writeField("min", min)
        try writer.writeField("max", max)
        writer.endFields()
    }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        var count = try reader.readFields()
        min = try reader.readField("min", of: &count)
        max = try reader.readField("max", of: &count)
        try reader.endFields(count)
    }
}
