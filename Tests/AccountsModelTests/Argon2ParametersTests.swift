import CSodium
import Foundation
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct Argon2ParametersTests {
    @Test func `A hash of the reference implementation matches its password`() {
        // argon2 1.3: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
        let text = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(crypto_pwhash_str_verify(text, "password", 8) == 0)
        #expect(crypto_pwhash_str_verify(text, "passwore", 8) != 0)
    }

    @Test func `A hash in the reference's text form is verified by the library`() throws {
        let parameters = try Argon2Parameters(passes: 2, kibibytes: 1024)
        let salt = Array(0..<16) as [UInt8]
        let hash = try parameters.hash("correct horse", salt: salt)
        func base64(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().trimmingCharacters(in: ["="])
        }
        let text = "$argon2id$v=19$m=1024,t=2,p=1$\(base64(salt))$\(base64(hash))"
        #expect(crypto_pwhash_str_verify(text, "correct horse", 13) == 0)
        #expect(hash.count == PasswordHashing.hashBytes)
        #expect(try parameters.hash("correct horsf", salt: salt) != hash)
        #expect(try parameters.hash("", salt: salt) != hash)
    }

    @Test(arguments: [(0, 8), (17, 8), (-1, 8), (.max, 8), (1, 7), (1, 262_145), (1, .max), (1, -1)])
    func `Parameters out of range are refused`(passes: Int, kibibytes: Int) {
        #expect(code { _ = try Argon2Parameters(passes: passes, kibibytes: kibibytes) } == .invalidParameters)
    }

    @Test func `The standard parameters are valid`() throws {
        let standard = Argon2Parameters.standard
        #expect(try Argon2Parameters(passes: standard.passes, kibibytes: standard.kibibytes) == standard)
        #expect(PasswordHashing.standard == .argon2id(standard))
    }
}
