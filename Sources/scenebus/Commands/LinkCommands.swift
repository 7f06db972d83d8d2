import OperatorKit
import ArgumentParser
import Bus
import CBOR
import Messaging

struct OpenURLCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-url", abstract: "Opens a URL in the scene that accepts it, or in a given session.",
        discussion: """
            Without --session, the host's application may choose the session. If it does not, each scene says whether it \
            accepts the URL: the first one that shows its page already opens it, else the first one that accepts it. If \
            none does, the command ends with 4; 'scenebus sessions open --url' opens a new session for it.

            EXAMPLE:
              scenebus open-url controlroom://process/1 --session k3m9xw2p
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The URL.") var url: String
    @Option(help: "The session whose scene is to open the URL.") var session: String?

    func validate() throws { try checkURL(url) }

    func execute() async throws {
        let link = try CBORRaw(encoding: DeepLink.url(url))
        let status = try await client.withHost { try await $0.chain.hostOpen(link: link, session: session) }
        if client.json { return try printJSON(status) }
        printLine("opened in \(status.session)")
    }
}

struct NotifyCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Delivers a notification to the scene that accepts it, or to a given session.",
        discussion: """
            \(FieldArgument.help)

            EXAMPLE:
              scenebus notify alert=cpu --session k3m9xw2p
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The notification's fields, each as name=value, name@FILE, name@- or name@.")
    var values: [String]
    @Option(help: "The session whose scene is to receive the notification.") var session: String?

    func execute() async throws {
        let fields = try FieldArguments(values)
        try fields.refuseSecretsInValues()
        let status = try await client.withHost {
            let link = try CBORRaw(encoding: DeepLink.notification(try await fields.values(FieldArgument.isSecret)))
            return try await $0.chain.hostOpen(link: link, session: session)
        }
        if client.json { return try printJSON(status) }
        printLine("delivered to \(status.session)")
    }
}

/// Checks a URL before the command connects to the host.
/// - Throws: `ValidationError` for a text that is not a URL.
func checkURL(_ text: String) throws {
    guard URLParts(text) != nil else {
        throw ValidationError("'\(text)' is not a URL; write it as scheme://page")
    }
}
