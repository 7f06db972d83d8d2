import TestKit
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct AccountBookTests {
    private let folder: TemporaryFolder
    private let steps = HeldWork()
    private let clock = Clock()

    private final class Clock {
        var now = 1000.0
    }

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: AccountFile { AccountFile(path: "\(folder.path)/accounts") }

    private func book() throws -> AccountBook {
        AccountBook(
            table: try AccountTable(hashing: .cheap()), work: steps.work(file), now: { [clock] in clock.now })
    }

    /// Returns a book whose account `ada` is logged in.
    private func bookOfAda() async throws -> AccountBook {
        let book = try book()
        try await book.create("ada", password: "difference", displayName: "Ada", in: "wall")
        try await book.logIn("ada", password: "difference", in: "wall")
        return book
    }

    private func code(_ task: Task<Void, any Error>) async -> AccountsError.Code? {
        switch await task.result {
        case .success: return nil
        case .failure(let error):
            if let error = error as? AccountsError { return error.code }
            Issue.record(error)
            return nil
        }
    }

    private func code(of body: @MainActor () async throws -> Void) async -> AccountsError.Code? {
        do {
            try await body()
        } catch let error as AccountsError {
            return error.code
        } catch {
            Issue.record(error)
        }
        return nil
    }

    private func namesInFile() throws -> [String] { try file.load().map(\.userName) }

    // MARK: - Changes at the same time

    @Test func `Accounts that are created at the same time are all kept`() async throws {
        let book = try await bookOfAda()
        steps.held = [.hash]
        let tasks = (0..<20).map { number in
            Task { _ = try await book.create("user\(number)", password: "difference", displayName: "U", in: "wall") }
        }
        for _ in tasks { #expect(await steps.next() == .hash) }
        steps.release()
        for task in tasks { try await task.value }
        #expect(book.table.records.count == 21)
        #expect(try namesInFile() == book.table.records.map(\.userName))
    }

    @Test func `A password change and an account creation at the same time both take effect`() async throws {
        let book = try await bookOfAda()
        steps.held = [.save]
        let change = Task { try await book.changePassword(from: "difference", to: "differences", in: "wall") }
        #expect(await steps.next() == .save)
        steps.held = [.hash]
        let creation = Task {
            _ = try await book.create("bob", password: "bob's password", displayName: "Bob", in: "wall")
        }
        #expect(await steps.next() == .hash)
        steps.release()
        try await change.value
        try await creation.value
        let table = try AccountTable(records: file.load(), hashing: .cheap())
        #expect(table.records.map(\.userName) == ["ada", "bob"])
        #expect(try table.verify("ada", password: "differences").userName == "ada")
        #expect(throws: AccountsError.self) { try table.verify("ada", password: "difference") }
    }

    @Test func `Of two first accounts created at the same time, only one succeeds`() async throws {
        let book = try book()
        steps.held = [.hash]
        let tasks = ["ada", "eve"].map { name in
            Task { _ = try await book.create(name, password: "difference", displayName: name, in: "wall") }
        }
        for _ in tasks { #expect(await steps.next() == .hash) }
        steps.release()
        var codes: [AccountsError.Code?] = []
        for task in tasks { codes.append(await code(task)) }
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == .loginRequired }.count == 1)
        #expect(book.table.records.count == 1)
        #expect(try namesInFile() == book.table.records.map(\.userName))
    }

    @Test func `The same name created twice at the same time is created once`() async throws {
        let book = try await bookOfAda()
        steps.held = [.hash]
        let tasks = ["bob", "BOB"].map { name in
            Task { _ = try await book.create(name, password: "difference", displayName: name, in: "wall") }
        }
        for _ in tasks { #expect(await steps.next() == .hash) }
        steps.release()
        var codes: [AccountsError.Code?] = []
        for task in tasks { codes.append(await code(task)) }
        #expect(codes.filter { $0 == .exists }.count == 1)
        #expect(book.table.records.count == 2)
    }

    @Test func `The second of two simultaneous changes of one password fails, as the old one is wrong`() async throws {
        let book = try await bookOfAda()
        steps.held = [.hash]
        let first = Task { try await book.changePassword(from: "difference", to: "first password", in: "wall") }
        #expect(await steps.next() == .hash)
        let second = Task { try await book.changePassword(from: "difference", to: "second password", in: "wall") }
        #expect(await steps.next() == .hash)
        steps.release()
        let codes = [await code(first), await code(second)]
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == .unknownOrWrongPassword }.count == 1)
        let password = codes[0] == nil ? "first password" : "second password"
        #expect(try book.table.verify("ada", password: password).userName == "ada")
    }

    @Test func `A change that cannot be saved has no effect and does not block the next change`() async throws {
        let book = try await bookOfAda()
        steps.failure = AccountsError(.unwritable, "the disk is full")
        let failed = await code {
            _ = try await book.create("bob", password: "difference", displayName: "Bob", in: "wall")
        }
        #expect(failed == .unwritable)
        #expect(book.table.records.map(\.userName) == ["ada"])
        steps.failure = nil
        try await book.create("eve", password: "difference", displayName: "Eve", in: "wall")
        #expect(try namesInFile() == ["ada", "eve"])
    }

    @Test func `A change that is cancelled before its turn is not made`() async throws {
        let book = try await bookOfAda()
        steps.held = [.save]
        let first = Task { _ = try await book.create("bob", password: "difference", displayName: "Bob", in: "wall") }
        #expect(await steps.next() == .save)
        steps.held = [.hashed]
        let second = Task { _ = try await book.create("eve", password: "difference", displayName: "Eve", in: "wall") }
        // Its password is hashed, so that it only waits for its turn.
        #expect(await steps.next() == .hashed)
        second.cancel()
        steps.release()
        try await first.value
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try namesInFile() == ["ada", "bob"])
    }

    // MARK: - Logins

    @Test func `A login is checked against the password that is current when the check ends`() async throws {
        let book = try await bookOfAda()
        book.logOut(in: "wall")
        try await book.logIn("ada", password: "difference", in: "wall")
        steps.held = [.verify]
        let login = Task { _ = try await book.logIn("ada", password: "difference", in: "wall") }
        #expect(await steps.next() == .verify)
        steps.held = []
        try await book.changePassword(from: "difference", to: "differences", in: "wall")
        steps.release()
        #expect(await code(login) == .unknownOrWrongPassword)
    }

    @Test func `A change of another account does not disturb a login`() async throws {
        let book = try await bookOfAda()
        steps.held = [.verify]
        let login = Task { _ = try await book.logIn("ada", password: "difference", in: "wall") }
        #expect(await steps.next() == .verify)
        steps.held = []
        try await book.create("bob", password: "difference", displayName: "Bob", in: "wall")
        steps.release()
        #expect(await code(login) == nil)
    }

    @Test func `A logout fails the logins that are being checked`() async throws {
        let book = try await bookOfAda()
        steps.held = [.verify]
        let login = Task { _ = try await book.logIn("ada", password: "difference", in: "wall") }
        #expect(await steps.next() == .verify)
        book.logOut(in: "wall")
        steps.release()
        #expect(await code(login) == .loggedOut)
        #expect(book.accounts["wall"] == nil)
        try await book.logIn("ada", password: "difference", in: "wall")
        #expect(book.accounts["wall"]?.userName == "ada")
    }

    @Test func `Each session has its own login, and a logout or a login in one leaves the others alone`() async throws {
        let book = try await bookOfAda()
        try await book.create("bob", password: "bob's password", displayName: "Bob", in: "wall")
        try await book.logIn("bob", password: "bob's password", in: "desk")
        #expect(book.accounts.mapValues(\.userName) == ["wall": "ada", "desk": "bob"])
        steps.held = [.verify]
        let login = Task { _ = try await book.logIn("ada", password: "difference", in: "desk") }
        #expect(await steps.next() == .verify)
        book.logOut(in: "wall")
        steps.release()
        #expect(await code(login) == nil)
        #expect(book.accounts.mapValues(\.userName) == ["desk": "ada"])
        book.forgetLogins { $0 == "desk" }
        #expect(book.accounts.isEmpty)
    }

    @Test(arguments: [nil, "desk"])
    func `A caller of another session, or of none, is not logged in`(session: String?) async throws {
        let book = try await bookOfAda()
        let creation = await code {
            _ = try await book.create("bob", password: "bob's password", displayName: "Bob", in: session)
        }
        #expect(creation == .loginRequired)
        let change = await code {
            try await book.changePassword(from: "difference", to: "differences", in: session)
        }
        #expect(change == .loginRequired)
    }

    @Test func `An operator creates accounts without a session, and in a session what its user may`() async throws {
        let book = try await bookOfAda()
        func create(_ name: String, in session: String?) async throws {
            _ = try await book.create(
                name, password: "bob's password", displayName: name, in: session, byOperator: true)
        }
        try await create("bob", in: nil)
        #expect(try namesInFile() == ["ada", "bob"])
        #expect(await code { try await create("eve", in: "desk") } == .loginRequired)
        try await create("eve", in: "wall")
        #expect(try namesInFile() == ["ada", "bob", "eve"])
        #expect(book.accounts.mapValues(\.userName) == ["wall": "ada"])
        #expect(await code { try await create("bob", in: nil) } == .exists)
    }

    @Test func `A logout fails account creations and password changes that are in progress`() async throws {
        let book = try await bookOfAda()
        steps.held = [.hash]
        let creation = Task { _ = try await book.create("bob", password: "difference", displayName: "Bob", in: "wall") }
        #expect(await steps.next() == .hash)
        let change = Task { try await book.changePassword(from: "difference", to: "differences", in: "wall") }
        #expect(await steps.next() == .hash)
        book.logOut(in: "wall")
        steps.release()
        #expect(await code(creation) == .loginRequired)
        #expect(await code(change) == .loginRequired)
        #expect(steps.saved == [["ada"]])
        #expect(try book.table.verify("ada", password: "difference").userName == "ada")
    }

    @Test func `The handlers are called after each change is visible`() async throws {
        let book = try book()
        var seen: [String] = []
        func see() { seen.append("\(book.hasAccounts) \(book.accounts["wall"]?.userName ?? "-")") }
        book.onChange = { see() }
        book.onLogin = { session in
            #expect(session == "wall")
            see()
        }
        try await book.create("ada", password: "difference", displayName: "Ada", in: "wall")
        try await book.logIn("ada", password: "difference", in: "wall")
        book.logOut(in: "wall")
        #expect(seen == ["true -", "true ada", "true -"])
    }

    // MARK: - Guessing

    @Test func `Wrong old passwords in a password change throttle further changes and logins`() async throws {
        let book = try await bookOfAda()
        for number in 0..<LoginThrottle.triesBeforeRefusal {
            let wrong = await code {
                try await book.changePassword(from: "wrong \(number)", to: "differences", in: "wall")
            }
            #expect(wrong == .unknownOrWrongPassword)
        }
        let refused = await code { try await book.changePassword(from: "difference", to: "differences", in: "wall") }
        #expect(refused == .throttled(seconds: 15))
        let login = await code { try await book.logIn("ada", password: "difference", in: "wall") }
        #expect(login == .throttled(seconds: 15))
        clock.now += 15
        try await book.changePassword(from: "difference", to: "differences", in: "wall")
        // A success resets the failures.
        try await book.logIn("ada", password: "differences", in: "wall")
    }

    @Test func `Failed logins throttle password changes`() async throws {
        let book = try await bookOfAda()
        for _ in 0..<LoginThrottle.triesBeforeRefusal {
            let wrong = await code { try await book.logIn("ada", password: "wrong", in: "wall") }
            #expect(wrong == .unknownOrWrongPassword)
        }
        let refused = await code { try await book.changePassword(from: "difference", to: "differences", in: "wall") }
        #expect(refused == .throttled(seconds: 15))
    }

    @Test func `A password that is only checked logs nobody in, and a wrong one throttles logins`() async throws {
        let book = try await bookOfAda()
        book.logOut(in: "wall")
        #expect(try await book.check("ada", password: "difference").userName == "ada")
        #expect(book.accounts.isEmpty)
        for _ in 0..<LoginThrottle.triesBeforeRefusal {
            #expect(await code { _ = try await book.check("ada", password: "wrong") } == .unknownOrWrongPassword)
        }
        #expect(await code { _ = try await book.check("ada", password: "difference") } == .throttled(seconds: 15))
        let login = await code { try await book.logIn("ada", password: "difference", in: "wall") }
        #expect(login == .throttled(seconds: 15))
    }

    @Test func `Any number of successful logins in a row is allowed`() async throws {
        let book = try await bookOfAda()
        for _ in 0...LoginThrottle.triesBeforeRefusal {
            try await book.logIn("ada", password: "difference", in: "wall")
        }
        #expect(book.accounts["wall"]?.userName == "ada")
    }

    @Test func `A new password that is too short reveals nothing about the old one`() async throws {
        let book = try await bookOfAda()
        for password in ["difference", "wrong"] {
            #expect(await code { try await book.changePassword(from: password, to: "x", in: "wall") } == .weakPassword)
        }
    }

    // MARK: - Hashes of earlier versions

    private func oldFile() throws {
        try file.save([
            AccountRecord(userName: "ada", displayName: "Ada", password: "difference", hashing: .old())
        ])
    }

    private func bookOfFile() throws -> AccountBook {
        AccountBook(
            table: try AccountTable(records: file.load(), hashing: .cheap()), work: steps.work(file),
            now: { [clock] in clock.now })
    }

    @Test func `A login replaces a hash of an earlier version, in the file too`() async throws {
        try oldFile()
        let book = try bookOfFile()
        let wrong = await code { try await book.logIn("ada", password: "wrong one", in: "wall") }
        #expect(wrong == .unknownOrWrongPassword)
        #expect(try file.load()[0].hashing == .old())
        try await book.logIn("ada", password: "difference", in: "wall")
        await book.rehashing["ada"]?.value
        let record = try #require(book.accounts["wall"])
        #expect(try record.hashing == .cheap())
        #expect(try file.load() == [record])
        try await book.logIn("ada", password: "difference", in: "wall")
        #expect(steps.saved.count == 1)
    }

    @Test func `A login succeeds even if its new hash cannot be saved`() async throws {
        try oldFile()
        let book = try bookOfFile()
        steps.failure = AccountsError(.damaged, "the disk is full")
        var failed: [String] = []
        book.onRehashFailure = { name, _ in failed.append(name) }
        let record = try await book.logIn("ada", password: "difference", in: "wall")
        await book.rehashing["ada"]?.value
        #expect(failed == ["ada"])
        #expect(book.accounts["wall"] == record)
        #expect(try file.load()[0].hashing == .old())
        steps.failure = nil
        try await book.logIn("ada", password: "difference", in: "wall")
        await book.rehashing["ada"]?.value
        #expect(try file.load()[0].hashing == .cheap())
    }

    @Test func `A user who logs out during the rehash stays logged out`() async throws {
        try oldFile()
        let book = try bookOfFile()
        steps.held = [.hash]
        try await book.logIn("ada", password: "difference", in: "wall")
        #expect(await steps.next() == .hash)
        book.logOut(in: "wall")
        steps.release()
        await book.rehashing["ada"]?.value
        #expect(book.accounts["wall"] == nil)
        #expect(try file.load()[0].hashing == .cheap())
    }

    @Test func `A password can be changed while a login rehashes it`() async throws {
        try oldFile()
        let book = try bookOfFile()
        steps.held = [.hash]
        try await book.logIn("ada", password: "difference", in: "wall")
        #expect(await steps.next() == .hash)
        let change = Task { try await book.changePassword(from: "difference", to: "engine no 2", in: "wall") }
        steps.release()
        #expect(await code(change) == nil)
        try await book.logIn("ada", password: "engine no 2", in: "wall")
        #expect(try file.load()[0].hashing == .cheap())
    }

    @Test func `A hash is not replaced by a weaker one`() throws {
        let (weak, strong) = (try PasswordHashing.cheap(passes: 1), try PasswordHashing.cheap(passes: 2))
        #expect(weak.isWeaker(than: strong))
        #expect(!strong.isWeaker(than: weak))
        #expect(!weak.isWeaker(than: weak))
        #expect(try PasswordHashing.old().isWeaker(than: weak))
        #expect(try !weak.isWeaker(than: .old()))
    }
}
