import Bus
import Hub
import Messaging

extension HostControl {
    func hostSecretFields(message: String) async throws -> [SecretField] {
        // The name of a message to a service has the service's name in front.
        let name = message.split(separator: "/").last.map(String.init) ?? message
        var known: Set<String> = []
        let own = lists.flatMap { $0.messages }.filter { $0.name == name }.flatMap { $0.secretFields }
        return (own + hub.router.secretFields(of: name)).filter {
            known.count < Hello.maximumNames && known.insert($0.name).inserted
        }
    }
}
