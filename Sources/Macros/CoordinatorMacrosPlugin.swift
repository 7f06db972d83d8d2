import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The program that the compiler asks for expansions.
struct CoordinatorMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ResponderMessagesMacro.self, EntryMacro.self, DeliveryMacro.self, CBORItemMacro.self,
        KeptMacro.self,
    ]
}

@main
enum Program {
    static func main() throws {
        guard CommandLine.arguments.dropFirst().first == "--expand" else { return try CoordinatorMacrosPlugin.main() }
        ExpansionPrinter.printExpansionOfInput()
    }
}
