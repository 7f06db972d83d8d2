import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct ScryptParametersTests {
    @Test func `The hash matches the test vector of RFC 7914`() throws {
        let parameters = try ScryptParameters(costExponent: 10, blockSize: 8, parallelism: 16)
        let hash = try parameters.hash("password", salt: Array("NaCl".utf8))
        let expected: [UInt8] = [
            0xfd, 0xba, 0xbe, 0x1c, 0x9d, 0x34, 0x72, 0x00, 0x78, 0x56, 0xe7, 0x19, 0x0d, 0x01, 0xe9, 0xfe,
            0x7c, 0x6a, 0xd7, 0xcb, 0xc8, 0x23, 0x78, 0x30, 0xe7, 0x73, 0x76, 0x63, 0x4b, 0x37, 0x31, 0x62,
        ]
        #expect(hash == expected)
    }

    @Test(arguments: [
        (1, 8, 1), (15, 8, 3), (18, 8, 1), (15, 1, 16), (17, 16, 4), (1, 16, 16),
    ])
    func `Parameters in range are accepted, also by the library`(cost: Int, size: Int, parallelism: Int) throws {
        let parameters = try ScryptParameters(costExponent: cost, blockSize: size, parallelism: parallelism)
        #expect(parameters.costExponent == cost)
        #expect(parameters.blockSize == size)
        #expect(parameters.parallelism == parallelism)
        if cost == 1 { #expect(throws: Never.self) { try parameters.hash("password", salt: [1]) } }
    }

    @Test(arguments: [
        (0, 8, 1), (21, 8, 1), (-1, 8, 1), (63, 8, 1), (64, 8, 1), (.max, 8, 1), (.min, 8, 1),
        (15, 0, 1), (15, 17, 1), (15, .max, 1), (15, 8, 0), (15, 8, 17), (15, 8, .max), (15, 8, -1),
        (16, 1, 1), (19, 8, 1), (18, 16, 1), (18, 8, 5),
    ])
    func `Parameters that are out of range or too expensive are refused`(cost: Int, size: Int, parallelism: Int) {
        let code = code {
            _ = try ScryptParameters(costExponent: cost, blockSize: size, parallelism: parallelism)
        }
        #expect(code == .invalidParameters)
    }
}
