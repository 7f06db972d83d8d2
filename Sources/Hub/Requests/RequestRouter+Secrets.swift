import Bus
package import Messaging

extension RequestRouter {
    /// The fields of a message that are secrets, as the attached peers have declared that handle it.
    package func secretFields(of message: String) -> [SecretField] {
        state.handlers.all(for: message).flatMap { $0.hello.secretFields(of: message) }
    }
}
