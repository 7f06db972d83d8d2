/// A digest that is the same in each process. It does not withstand who looks for two texts that share one.
enum Digest {
    /// FNV-1a of 64 bits as hexadecimal digits: http://www.isthe.com/chongo/tech/comp/fnv/
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digest = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(digest, radix: 16)
    }
}
