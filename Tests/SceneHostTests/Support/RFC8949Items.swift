import CBOR

/// The items of RFC 8949, appendix A, which a peer in another language may put into a state or a link.
enum RFC8949Items {
    static let all: [[UInt8]] = """
        00 01 0a 17 1818 1819 1864 1903e8 1a000f4240 1b000000e8d4a51000 1bffffffffffffffff c249010000000000000000
        3bffffffffffffffff c349010000000000000000 20 29 3863 3903e7 f90000 f98000 f93c00 fb3ff199999999999a f93e00
        f97bff fa47c35000 fa7f7fffff fb7e37e43c8800759c f90001 f90400 f9c400 fbc010666666666666 f97c00 f97e00 f9fc00
        fa7f800000 fa7fc00000 faff800000 fb7ff0000000000000 fb7ff8000000000000 fbfff0000000000000 f4 f5 f6 f7 f0 f8ff
        c074323031332d30332d32315432303a30343a30305a c11a514b67b0 c1fb41d452d9e2000000 d74401020304 d818456449455446
        d82076687474703a2f2f7777772e6578616d706c652e636f6d 40 4401020304 60 6161 6449455446 62225c 62c3bc 63e6b0b4
        64f0908591 5f42010243030405ff 7f657374726561646d696e67ff 80 83010203 8301820203820405
        98190102030405060708090a0b0c0d0e0f101112131415161718181819 a0 a201020304 a26161016162820203 826161a161626163
        a56161614161626142616361436164614461656145 9fff 9f018202039f0405ffff 9f01820203820405ff 83018202039f0405ff
        83019f0203ff820405 9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff bf61610161629f0203ffff
        826161bf61626163ff bf6346756ef563416d7421ff
        """.split(whereSeparator: \.isWhitespace).map { bytes(hexadecimal: $0) }

    private static func bytes(hexadecimal: Substring) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// A tagged map of indefinite length that holds every item under a name: as a value, and as a key where it can be
    /// one.
    static func item(named name: String) throws -> CBORRaw {
        var writer = CBORWriter()
        writer.writeString("name")
        writer.writeString(name)
        for (number, item) in all.enumerated() {
            writer.writeString("\(number)")
            writer.writeRaw(item[...])
            // Wrapping an item in an array makes each key distinct.
            writer.writeArrayHead(count: 2)
            writer.writeInteger(Int64(number))
            writer.writeRaw(item[...])
            writer.writeNull()
        }
        return try CBORRaw([0xD9, 0xD9, 0xF7, 0xBF] + writer.bytes + [0xFF])
    }
}
