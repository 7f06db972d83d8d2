import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Kept`: keeps a property of a view controller in its restoration state, and makes a binding for a field.
struct KeptMacro {
    /// A property that can be kept.
    private struct Property {
        let name: String
        let type: String
        let initial: String
    }

    private static func property(_ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax) throws -> Property {
        func refuse(_ id: String, _ text: String) -> DiagnosticsError {
            DiagnosticsError(diagnostics: [MacroDiagnostic(id, text).at(node)])
        }
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
            let binding = variable.bindings.first, variable.bindingSpecifier.text == "var",
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            !variable.modifiers.contains(where: { ["static", "class"].contains($0.name.text) })
        else {
            throw refuse("keptOnVariable", "@Kept goes on one 'var' of a view controller")
        }
        guard let initial = binding.initializer?.value else {
            throw refuse("keptHasValue", "'\(name)' needs an initial value: it is what a new screen shows")
        }
        guard let type = binding.typeAnnotation?.type.trimmedDescription ?? Self.type(of: initial) else {
            throw refuse("keptHasType", "write the type of '\(name)', such as '\(name): Floor'")
        }
        return Property(name: name, type: type, initial: initial.trimmedDescription)
    }

    /// The type of a literal.
    private static func type(of literal: ExprSyntax) -> String? {
        if literal.is(StringLiteralExprSyntax.self) { return "String" }
        if literal.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        if literal.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if literal.is(FloatLiteralExprSyntax.self) { return "Double" }
        return nil
    }
}

extension KeptMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        let property = try property(declaration, node)
        let initial = "(\(property.initial) as \(property.type))"
        return [
            "get { kept(\"\(raw: property.name)\", or: \(raw: initial)) }",
            "set { keep(\"\(raw: property.name)\", newValue, or: \(raw: initial)) }",
        ]
    }
}

extension KeptMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The accessors report what is wrong.
        guard let property = try? property(declaration, node) else { return [] }
        // The modifiers are those of the property: its binding is as visible as it is.
        let modifiers = (declaration.as(VariableDeclSyntax.self)?.modifiers ?? []).filter { $0.detail == nil }
            .map(\.name.text).joined(separator: " ")
        return [
            """
            \(raw: modifiers.isEmpty ? "" : modifiers + " ")var $\(raw: property.name): FieldBinding<\(raw: property.type)> {
                FieldBinding(name: "\(raw: property.name)", get: { self.\(raw: property.name) }, set: { self.\(raw: property.name) = $0 })
            }
            """
        ]
    }
}
