import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ResponderMessages`: turns a protocol's methods into messages.
///
/// - As a member attribute macro, it isolates each method to the main actor, where responders run.
/// - As a peer macro, it generates `<Protocol>List`, with a `Codable` struct for each message.
/// - As an extension macro, it generates methods for senders, which send the message, and default implementations for
///   responders, which pass the message on up the chain.
struct ResponderMessagesMacro {
    /// The messages of a valid protocol, else `nil`. Only the peer role reports errors, so that each appears once.
    private static func messages(of declaration: some DeclSyntaxProtocol) -> [MessageDeclaration]? {
        guard let declaration = declaration.as(ProtocolDeclSyntax.self) else { return nil }
        return try? MessageDeclaration.all(in: declaration).get()
    }

    private static func access(of declaration: ProtocolDeclSyntax) -> String {
        let known: Set = ["public", "package", "internal", "fileprivate", "private"]
        let access = declaration.modifiers.first { known.contains($0.name.text) }.map { $0.name.text + " " } ?? ""
        // The generated declarations must be visible in the whole file, like a private protocol at file scope.
        return access == "private " ? "fileprivate " : access
    }
}

extension ResponderMessagesMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let function = member.as(FunctionDeclSyntax.self),
            !function.attributes.contains(where: { $0.trimmedDescription == "@MainActor" })
        else { return [] }
        return ["@MainActor"]
    }
}

extension ResponderMessagesMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let proto = declaration.as(ProtocolDeclSyntax.self) else {
            throw DiagnosticsError(diagnostics: [
                MacroDiagnostic(
                    "protocolOnly", "@ResponderMessages goes on a protocol: each of its methods is one message"
                )
                .at(node)
            ])
        }
        guard context.lexicalContext.isEmpty else {
            // The generated extensions are at file scope, where the names of the outer type's members are unknown.
            throw DiagnosticsError(diagnostics: [
                MacroDiagnostic(
                    "fileScope", "declare '\(proto.name.text)' at file scope: a nested protocol cannot declare messages"
                )
                .at(node)
            ])
        }
        let messages = try MessageDeclaration.all(in: proto).get()
        let access = access(of: proto)
        let name = proto.name.text
        let structs = messages.map { structure(of: $0, in: name, access: access) }.joined(separator: "\n")
        let list = messages.map { "\($0.name).self" }.joined(separator: ", ")
        var types: [String] = []
        for type in messages.flatMap({ $0.parameters.map(\.type) + [$0.reply].compactMap(\.self) })
        where !types.contains(type) {
            types.append(type)
        }
        let checks = types.map { "Messaging.MessageValue.check((\($0)).self)" }.joined(separator: "\n")
        return [
            """
            /// The messages of ``\(raw: name)``, one type each.
            \(raw: access)enum \(raw: name)List: Messaging.ResponderMessageList {
            \(raw: structs)
            \(raw: access)static let messages: [any Messaging.ResponderMessage.Type] = [\(raw: list)]
            private static func conformance<T>(of: T.Type) -> Messaging.DoesNotConformToMessages { .init() }
            private static func conformance<T: \(raw: name)>(of: T.Type) -> Messaging.ConformsToMessages { .init() }
            private static func conformance<T, S>(of: T.Type, _: S.Type) -> Messaging.DoesNotConformToMessages { .init() }
            private static func conformance<T: \(raw: name), S>(of: T.Type, _: S.Type) -> Messaging.ConformsToMessages { .init() }
            private static func conformance<T, S: \(raw: name)>(of: T.Type, _: S.Type) -> Messaging.ConformsToMessages { .init() }
            private static func conformance<T: \(raw: name), S: \(raw: name)>(of: T.Type, _: S.Type) -> Messaging.ConformsToMessages { .init() }
            /// An error here says what to write instead of `extension Responder: \(raw: name) {}`, or that
            /// `extension ResponderChain: \(raw: name) {}` is missing.
            private static func checkConformances() {
            let responder = conformance(of: Messaging.Responder.self)
            responder.conformsAccidentally()
            let senders = conformance(of: Messaging.ResponderChain.self, Messaging.ServiceReference<any \(raw: name)>.self)
            senders.conformToSend()
            }
            private static func checkTypes() {
            \(raw: checks)
            }
            }
            """
        ]
    }

    /// The types of the standard library that most parameters have. No secret is among them.
    private static let plainTypes: Set<String> = {
        let types = ["String", "Int", "Bool", "Double", "UInt64"]
        return Set(types + types.map { $0 + "?" })
    }()

    private static func structure(of message: MessageDeclaration, in proto: String, access: String) -> String {
        let fields = message.parameters.map { "\(access)let \($0.key): \($0.type)" }.joined(separator: "\n")
        let initParameters = message.parameters.map { "\($0.key): \($0.type)" }.joined(separator: ", ")
        let assignments = message.parameters.map { "self.\($0.key) = \($0.key)" }.joined(separator: "\n")
        let arguments = message.parameters
            .map { ($0.label.map { $0 + ": " } ?? "") + "message.\($0.key)" }.joined(separator: ", ")
        let call = "responder.cast(to: R.self).\(message.name)(\(arguments))"
        let decoded = "\(message.parameters.isEmpty ? "_" : "let message") = try request.message(as: Self.self)"
        let handler: String
        if message.isPost {
            handler = "Handler { responder, message in \(call) }"
        } else if message.reply == nil {
            handler = """
                Handler { responder, message in
                try await \(call)
                return Messaging.NoReply()
                } receive: { responder, request in
                \(decoded)
                try await \(call)
                request.reply(Messaging.NoReply(), to: Self.self)
                }
                """
        } else {
            handler = """
                Handler { responder, message in try await \(call) } receive: { responder, request in
                \(decoded)
                request.reply(try await \(call), to: Self.self)
                }
                """
        }
        let coding = FieldCoding(fields: message.parameters.map(\.key), access: access)
        let replyCoding =
            message.isPost
            ? ""
            : """

            \(access)static func writeReply(_ reply: Reply, to writer: inout Messaging.CBORWriter) throws {
            try writer.writeItem(reply)
            }
            \(access)static func readReply(from reader: inout Messaging.CBORItemReader)
            throws(Messaging.CBORItemReader.OtherForm) -> Reply {
            try reader.readItem(Reply.self)
            }
            """
        let kind = message.isPost ? "ResponderPost" : "ResponderRequest"
        let reply = message.isPost ? "" : "\(access)typealias Reply = \(message.reply ?? "Messaging.NoReply")"
        let delivery = message.delivery.map {
            "\n\(access)static let delivery = Messaging.MessageDelivery.\($0)"
        }
        let secrets = message.parameters.filter { !plainTypes.contains($0.type) }
            .map { "Messaging.SecretField.list(\"\($0.key)\", (\($0.type)).self)" }.joined(separator: " + ")
        let secretFields =
            secrets.isEmpty
            ? "" : "\n\(access)static var secretFields: [Messaging.SecretField] { \(secrets) }"
        return """
            \(access)struct \(message.name): Messaging.\(kind) {
            \(access)typealias Handler = Messaging.\(message.isPost ? "PostHandler<Self>" : "RequestHandler<Self, Reply>")
            \(reply)
            \(access)static let name = "\(message.name)"
            \(access)static let index = Messaging.MessageIndex.next()\(delivery ?? "")\(secretFields)
            \(fields)
            \(access)init(\(initParameters)) {
            \(assignments)
            }
            \(coding.text)\(replyCoding)
            @MainActor \(access)static func handler(for type: Messaging.Responder.Type)
            -> Handler? {
            guard let type = type as? any (\(proto) & Messaging.Responder).Type else { return nil }
            return makeHandler(for: type)
            }
            @MainActor \(access)static func makeHandler<R: \(proto) & Messaging.Responder>(for _: R.Type)
            -> Handler {
            \(handler)
            }
            }
            """
    }
}

extension ResponderMessagesMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let proto = declaration.as(ProtocolDeclSyntax.self), let messages = messages(of: proto) else { return [] }
        let access = access(of: proto)
        let senders = messages.map { method(of: $0, in: proto.name.text, access: access, receiver: "self.") }
        let climbers = messages.map {
            method(of: $0, in: proto.name.text, access: access, receiver: "self.coordinatingResponder.")
        }
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed) where Self: Messaging.ResponderSender {
                \(raw: senders.joined(separator: "\n"))
                }
                """),
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed) where Self: Messaging.Responder {
                \(raw: climbers.joined(separator: "\n"))
                }
                """),
        ]
    }

    private static func method(
        of message: MessageDeclaration, in proto: String, access: String, receiver: String
    ) -> String {
        let parameters = message.parameters.map { parameter in
            let names = parameter.label.map { $0 == parameter.name ? $0 : "\($0) \(parameter.name)" }
            return "\(names ?? "_ \(parameter.name)"): \(parameter.type)"
        }.joined(separator: ", ")
        let values = message.parameters.map { "\($0.key): \($0.name)" }.joined(separator: ", ")
        let value = "\(proto)List.\(message.name)(\(values))"
        if message.isPost {
            return "@MainActor \(access)func \(message.name)(\(parameters)) { \(receiver)chain.post(\(value)) }"
        }
        let result = message.reply.map { " -> \($0)" } ?? ""
        let end = message.reply == nil ? "_ =" : "return"
        return """
            @MainActor \(access)func \(message.name)(\(parameters)) async throws\(result) {
            \(end) try await \(receiver)chain.send(\(value))
            }
            """
    }
}
