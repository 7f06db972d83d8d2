import Foundation
import Testing

extension CommandTests {
    /// The pages for users. Each Swift block that does not name a file compiles as it stands.
    @Suite(.timeLimit(.minutes(5)))
    struct DocumentationTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// The Swift blocks of a page, except those of files, which `OutsidePackageTests` builds.
        static func blocks(in markdown: String) -> [String] {
            markdown.components(separatedBy: "\n```swift\n").dropFirst().map {
                $0.components(separatedBy: "\n```")[0]
            }
        }

        @Test(
            "Every Swift block of a page compiles",
            arguments: [
                "CoordinatorKit/CoordinatorKit.docc/FromUIKit.md", "CoordinatorKit/CoordinatorKit.docc/Screens.md",
                "SceneHost/SceneHost.docc/Recipes.md", "SceneHost/SceneHost.docc/YourOwnHost.md",
            ])
        func compiles(page: String) async throws {
            let text = try String(contentsOfFile: "\(Installation.package)/Sources/\(page)", encoding: .utf8)
            let blocks = Self.blocks(in: text)
            try #require(!blocks.isEmpty)
            for (number, block) in blocks.enumerated() {
                let path = try installation.write(block + "\n", to: "Block\(number).swift")
                let outcome = try await installation.compile(
                    ["-typecheck", "-warnings-as-errors", "-parse-as-library"], files: [path])
                #expect(outcome.code == 0, "block \(number + 1) of \(page): \(outcome.error)")
            }
        }

        @Test("Every link to a page or a picture of this package leads to a file, and every picture is linked")
        func links() throws {
            let sources = "\(Installation.package)/Sources"
            let pages =
                (FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".md") }.map { "\(sources)/\($0)" } + ["\(Installation.package)/README.md"]
            try #require(pages.count > 10)
            let pictures = "\(Installation.package)/deploy/pictures"
            let all = try FileManager.default.contentsOfDirectory(atPath: pictures)
            var unlinked = Set(all.map { "\(pictures)/\($0)" })
            for page in pages {
                let text = try String(contentsOfFile: page, encoding: .utf8)
                let folder = URL(fileURLWithPath: page).deletingLastPathComponent()
                for part in text.components(separatedBy: "](").dropFirst() {
                    let target = part.prefix { $0 != ")" && $0 != "#" }
                    let isFile = target.hasSuffix(".md") || target.hasSuffix(".png")
                    guard isFile, !target.contains("://") else { continue }
                    let file = folder.appendingPathComponent(String(target)).standardizedFileURL.path
                    #expect(FileManager.default.fileExists(atPath: file), "\(page) links to \(target)")
                    unlinked.remove(file)
                }
            }
            #expect(unlinked.isEmpty, "no page shows \(unlinked)")
        }
    }
}
