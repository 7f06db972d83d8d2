import Testing

@testable import AccountsModel

extension PasswordHashing {
    /// A hash in microseconds: these tests are about everything but the cost.
    static func cheap(passes: Int = 1) throws -> PasswordHashing {
        .argon2id(try Argon2Parameters(passes: passes, kibibytes: 8))
    }

    /// A hash of an earlier version.
    static func old() throws -> PasswordHashing {
        .scrypt(try ScryptParameters(costExponent: 1, blockSize: 8, parallelism: 1))
    }
}

/// The code of what the body threw, or nil when it threw nothing.
func code(of body: () throws -> Void) -> AccountsError.Code? {
    do {
        try body()
        return nil
    } catch let error as AccountsError {
        return error.code
    } catch {
        Issue.record(error)
        return nil
    }
}
