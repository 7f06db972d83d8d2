import SwiftDiagnostics
import SwiftSyntax

/// One method of a `@ResponderMessages` protocol, read from its syntax: a request, whose sender waits for it to be
/// handled, or a post.
struct MessageDeclaration {
    struct Parameter {
        /// `nil` for a parameter written with `_`.
        let label: String?
        /// The parameter's name inside the method.
        let name: String
        let type: String

        /// The key of the value in the payload: the argument label if there is one, else the parameter's name.
        var key: String { label ?? name }
    }

    let name: String
    let parameters: [Parameter]
    let reply: String?
    let isPost: Bool
    /// The case of `MessageDelivery`; `nil` for the default.
    let delivery: String?

    /// The attributes that declare how a request is delivered, and their cases of `MessageDelivery`.
    private static let deliveries = ["Idempotent": "idempotent", "Once": "once"]

    /// Reads all methods of the protocol.
    /// - Returns: The messages, or the errors of all members that cannot be messages.
    static func all(in declaration: ProtocolDeclSyntax) -> Result<[MessageDeclaration], DiagnosticsError> {
        var messages: [MessageDeclaration] = []
        var problems: [Diagnostic] = []
        for member in declaration.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self) else {
                problems.append(
                    MacroDiagnostic(
                        "onlyMethods", "a protocol of responder messages holds methods only: each method is one message"
                    ).at(member.decl))
                continue
            }
            switch read(function) {
            case .success(let message):
                if messages.contains(where: { $0.name == message.name }) {
                    problems.append(
                        MacroDiagnostic(
                            "overloaded",
                            """
                            '\(message.name)' is declared twice: a message is identified by its base name, so \
                            overloads cannot be distinguished; rename one of them
                            """
                        ).at(function.name))
                } else {
                    messages.append(message)
                }
            case .failure(let error):
                problems += error.diagnostics
            }
        }
        return problems.isEmpty ? .success(messages) : .failure(DiagnosticsError(diagnostics: problems))
    }

    private static func read(_ function: FunctionDeclSyntax) -> Result<MessageDeclaration, DiagnosticsError> {
        func refuse(_ id: String, _ text: String, at node: some SyntaxProtocol) -> DiagnosticsError {
            DiagnosticsError(diagnostics: [MacroDiagnostic(id, text).at(node)])
        }
        let name = function.name.text
        if let modifier = function.modifiers.first(where: { ["static", "class", "mutating"].contains($0.name.text) }) {
            return .failure(
                refuse(
                    "instanceOnly", "a message is sent to a responder: '\(modifier.name.text)' does not fit here",
                    at: modifier))
        }
        if let generics = function.genericParameterClause {
            return .failure(
                refuse(
                    "noGenerics", "a message has concrete types on the wire: '\(name)' cannot be generic", at: generics)
            )
        }
        var parameters: [Parameter] = []
        for parameter in function.signature.parameterClause.parameters {
            let type = parameter.type.trimmedDescription
            let isFunction =
                parameter.type.is(FunctionTypeSyntax.self)
                || (parameter.type.as(AttributedTypeSyntax.self)?.baseType.is(FunctionTypeSyntax.self) ?? false)
            let isInout = type.hasPrefix("inout ")
            if isFunction || isInout || parameter.ellipsis != nil {
                let what = isFunction ? "a closure" : isInout ? "an inout parameter" : "a variadic parameter"
                return .failure(
                    refuse(
                        "valuesOnly",
                        "\(what) cannot cross a process boundary: the parameters of '\(name)' are Codable values",
                        at: parameter))
            }
            let label = parameter.firstName.text
            let read = Parameter(
                label: label == "_" ? nil : label,
                name: (parameter.secondName ?? parameter.firstName).text,
                type: type)
            if parameters.contains(where: { $0.key == read.key }) {
                return .failure(
                    refuse(
                        "fieldTwice",
                        "two parameters of '\(name)' are called '\(read.key)': each is a field of the message",
                        at: parameter))
            }
            parameters.append(read)
        }
        let effects = function.signature.effectSpecifiers
        let isAsync = effects?.asyncSpecifier != nil
        let isThrowing = effects?.throwsClause != nil
        if let typed = effects?.throwsClause?.type {
            return .failure(
                refuse(
                    "untypedThrows",
                    "a request can also throw an error of the bus: declare '\(name)' with plain 'throws'", at: typed))
        }
        let deliveries = function.attributes.compactMap { attribute in
            attribute.as(AttributeSyntax.self).flatMap { attribute in
                Self.deliveries[attribute.attributeName.trimmedDescription].map { (attribute, $0) }
            }
        }
        if deliveries.count > 1 {
            return .failure(
                refuse(
                    "oneDelivery",
                    "'\(name)' is delivered in one way: choose @Idempotent or @Once",
                    at: deliveries[1].0))
        }
        let delivery = deliveries.first?.1
        let reply = function.signature.returnClause?.type.trimmedDescription
        let returnsNothing = reply == nil || reply == "Void" || reply == "()"
        switch (isAsync, isThrowing) {
        case (true, true):
            return .success(
                MessageDeclaration(
                    name: name, parameters: parameters, reply: returnsNothing ? nil : reply, isPost: false,
                    delivery: delivery))
        case (false, false) where returnsNothing:
            if let (attribute, _) = deliveries.first {
                return .failure(
                    refuse(
                        "deliveryOfRequest",
                        "'\(name)' is a post and has no reply: only a request can be @Idempotent or @Once",
                        at: attribute))
            }
            return .success(
                MessageDeclaration(name: name, parameters: parameters, reply: nil, isPost: true, delivery: nil))
        default:
            return .failure(
                refuse(
                    "requestOrPost",
                    """
                    '\(name)' is neither a request nor a post: a request is 'async throws' (it may have a reply, and \
                    can fail); a post is neither 'async' nor 'throws' and returns nothing
                    """, at: function.name))
        }
    }
}
