import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Idempotent` and `@Once`: declare how a request of a `@ResponderMessages` protocol is delivered. They generate no
/// code themselves. `@ResponderMessages` reads them.
struct DeliveryMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(FunctionDeclSyntax.self) else {
            throw DiagnosticsError(diagnostics: [
                MacroDiagnostic(
                    "deliveryOfRequest",
                    "@\(node.attributeName.trimmedDescription) goes on a request of a @ResponderMessages protocol"
                ).at(node)
            ])
        }
        return []
    }
}
