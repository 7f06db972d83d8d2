import Testing

@testable import AccountsModel

extension ScryptParameters {
    /// A hash in microseconds: these tests are about everything but the cost.
    static func cheap(costExponent: Int = 1) throws -> ScryptParameters {
        try ScryptParameters(costExponent: costExponent, blockSize: 8, parallelism: 1)
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
