import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct CoordinatorMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ResponderMessagesMacro.self, EntryMacro.self, DeliveryMacro.self, CBORItemMacro.self,
    ]
}
