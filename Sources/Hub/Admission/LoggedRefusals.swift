import Bus

/// The refusals that have been logged, so that a peer that tries again and again is logged once. Its size is bounded.
struct LoggedRefusals {
    private static let maximumCount = 1000
    private var codes: [String: Refusal.Code] = [:]

    /// Returns whether a peer is refused for another reason than before, and notes the reason.
    mutating func isNew(_ refusal: Refusal, of peer: String) -> Bool {
        guard codes[peer] != refusal.code else { return false }
        if codes.count >= Self.maximumCount { codes = [:] }
        codes[peer] = refusal.code
        return true
    }

    /// Forgets a peer that has attached.
    mutating func attached(_ peer: String) {
        codes[peer] = nil
    }
}
