package import CBOR

/// The reply to a request, as one item that writes and reads itself if its type does.
package struct MessageReply<M: ResponderRequest>: CBORItem {
    package let value: M.Reply

    package init(_ value: M.Reply) {
        self.value = value
    }

    package func writeItem(to writer: inout CBORWriter) throws {
        try M.writeReply(value, to: &writer)
    }

    package init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        value = try M.readReply(from: &reader)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    package init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(M.Reply.self)
    }
}
