import Testing

@testable import AccountsModel

extension PasswordHashing {
    /// A hash that takes microseconds, for tests in which the cost does not matter.
    static func cheap(passes: Int = 1) throws -> PasswordHashing {
        .argon2id(try Argon2Parameters(passes: passes, kibibytes: 8))
    }

    /// A hash in the format of an earlier version.
    static func old() throws -> PasswordHashing {
        .scrypt(try ScryptParameters(costExponent: 1, blockSize: 8, parallelism: 1))
    }
}

/// Returns the code of the error that the body threw, or `nil` if it threw none.
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
