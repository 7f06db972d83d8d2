import Bus
import CBOR
import Hub
import Messaging

extension Frame {
    /// The reply as the store keeps it: a failure in place of one that holds a secret.
    func withoutSecrets(of message: String) -> Frame {
        guard SecretTag.isIn(payload) else { return self }
        let error = MessageError(
            .peerLost, message: message, detail: "its reply held a secret, which is not recorded",
            mayHaveBeenHandled: true)
        return .failure(error, of: message)
    }
}
