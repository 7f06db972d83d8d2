import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Entry` and `@Entry(.local)`: make an optional property of an `AppDependency` extension an entry of the container.
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
        guard isLocal(node) else {
            return [
                "get { self.value(of: \(literal: name), as: (\(raw: type)).self) }",
                "set { self.setValue(newValue, of: \(literal: name)) }",
            ]
        }
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

    private static func isLocal(_ node: AttributeSyntax) -> Bool {
        guard case .argumentList(let arguments) = node.arguments, let scope = arguments.first?.expression else {
            return false
        }
        return scope.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "local"
    }
}
