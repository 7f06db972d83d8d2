import OperatorKit
import ArgumentParser
import Bus
import CBOR
import Messaging

struct OpenURLCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-url", abstract: "Opens a URL in the first scene that takes it, or in the one named.",
        discussion: """
            EXAMPLE:
              scenebus open-url controlroom://process/1 --session k3m9xw2p
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The URL.") var url: String
    @Option(help: "The session whose scene shall open it.") var session: String?

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
        abstract: "Delivers a notification to the first scene that takes it, or to the one named.",
        discussion: """
            \(FieldArgument.help)

            EXAMPLE:
              scenebus notify alert=cpu --session k3m9xw2p
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The notification's dictionary, each entry as name=value, name@FILE, name@- or name@.")
    var values: [String]
    @Option(help: "The session whose scene shall take it.") var session: String?

    func execute() async throws {
        let fields = try FieldArguments(values)
        try fields.refuseSecretsInValues()
        let status = try await client.withHost {
            let link = try CBORRaw(encoding: DeepLink.notification(try await fields.values()))
            return try await $0.chain.hostOpen(link: link, session: session)
        }
        if client.json { return try printJSON(status) }
        printLine("delivered to \(status.session)")
    }
}

/// - Throws: `ValidationError` for a text that is no URL: nothing is asked of the host for it.
func checkURL(_ text: String) throws {
    guard URLParts(text) != nil else {
        throw ValidationError("'\(text)' is not a URL; write it as scheme://page")
    }
}
