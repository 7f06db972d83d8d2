import ChaosHistory
import Messaging

/// What scenes and clients ask of the ledger. Each writes down what it does before it replies.
@ResponderMessages
protocol ChaosMessages {
    func chaosPlain(id: String) async throws -> String
    @Idempotent func chaosIdempotent(id: String) async throws -> String
    @Once func chaosOnce(id: String) async throws -> String
    func chaosPost(id: String)
    /// Sets the entry `chaosLedger`, and returns its value.
    func chaosWrite(id: String) async throws -> Counter
}

/// What the one who makes the faults asks of the ticker.
@ResponderMessages
protocol ChaosControlMessages {
    /// Nobody sends anything any more; the entries keep their values.
    @Idempotent func chaosQuiet() async throws
}

extension ResponderChain: ChaosMessages, ChaosControlMessages {}

extension AppDependency {
    /// Changes with each write.
    @Entry var chaosLedger: Counter?
    /// Changes all the time.
    @Entry var chaosTick: Counter?
    /// Changes all the time, and is large.
    @Entry var chaosLarge: LargeEntry?
    /// All is over: send nothing.
    @Entry var chaosIsQuiet: Bool?
}

/// An entry that takes several network packets.
struct LargeEntry: Codable, Sendable {
    var counter: Counter
    var padding: String
}

/// The entries that are watched.
enum WatchedEntry: String, CaseIterable {
    case chaosLedger, chaosTick, chaosLarge

    func value(in container: AppDependency?) -> Counter? {
        switch self {
        case .chaosLedger: container?.chaosLedger
        case .chaosTick: container?.chaosTick
        case .chaosLarge: container?.chaosLarge?.counter
        }
    }
}
