import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Entry`, `@Entry(.session)` and `@Entry(.local)`: make an optional property of an `AppDependency` extension an entry of the container.
/// The property's name is the entry's key.
struct EntryMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        func refuse(_ id: String, _ text: String) -> DiagnosticsError {
            DiagnosticsError(diagnostics: [MacroDiagnostic(id, text).at(node)])
        }
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
            let binding = variable.bindings.first, variable.bindingSpecifier.text == "var",
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        else {
            throw refuse("entryOnVariable", "@Entry goes on one 'var' of an extension of AppDependency")
        }
        guard !variable.modifiers.contains(where: { ["static", "class"].contains($0.name.text) }) else {
            throw refuse("entryOfInstance", "'\(name)' belongs to each container: an entry is not 'static'")
        }
        guard binding.initializer == nil else {
            throw refuse("entryWithoutValue", "an entry has no initial value: it is missing until it is set")
        }
        guard let optional = binding.typeAnnotation?.type.as(OptionalTypeSyntax.self) else {
            throw refuse(
                "entryIsOptional",
                "an entry can be missing: declare '\(name)' with an optional type, such as 'Account?'")
        }
        let type = optional.wrappedType.trimmedDescription
        switch scope(node) {
        case "local": return localAccessors(of: variable, name, type)
        case "session":
            return [
                "get { self.sessionValue(of: \(literal: name), as: (\(raw: type)).self) }",
                "set { self.setSessionValue(newValue, of: \(literal: name)) }",
            ]
        default:
            return [
                "get { self.value(of: \(literal: name), as: (\(raw: type)).self) }",
                "set { self.setValue(newValue, of: \(literal: name)) }",
            ]
        }
    }

    private static func localAccessors(
        of variable: VariableDeclSyntax, _ name: String, _ type: String
    ) -> [AccessorDeclSyntax] {
        // An object that is not Sendable is only used on the main actor, as its property says.
        if variable.attributes.contains(where: { $0.trimmedDescription == "@MainActor" }) {
            return [
                "get { self.localMainActorObject(of: \(literal: name), as: (\(raw: type)).self) }",
                "set { self.setLocalMainActorObject(newValue, of: \(literal: name)) }",
            ]
        }
        // Two statements, so that an object that is not Sendable is an error that says what to write.
        return [
            """
            get {
                let type = Self.localType((\(raw: type)).self)
                return self.localObject(of: \(literal: name), as: type)
            }
            """,
            """
            set {
                let type = Self.localType((\(raw: type)).self)
                self.setLocalObject(newValue, of: \(literal: name), as: type)
            }
            """,
        ]
    }

    /// The name of the scope that the attribute is given; `nil` for the default.
    private static func scope(_ node: AttributeSyntax) -> String? {
        guard case .argumentList(let arguments) = node.arguments else { return nil }
        return arguments.first?.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
}
