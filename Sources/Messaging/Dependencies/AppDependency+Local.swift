import HashTreeCollections

/// The local entries: objects that stay in this process.
extension AppDependency {
    /// An object of this process.
    final class LocalEntry: Sendable {
        let value: LocalValue

        init(_ value: LocalValue) { self.value = value }
    }

    enum LocalValue: Sendable {
        case sendable(any Sendable)
        /// An object that is used on the main actor alone, because it need not be `Sendable`.
        case mainActor(MainActorObject)
    }

    /// Owns an object of the main actor. A container may be released on any thread, and with it the last reference to the
    /// object, which is therefore released on the main actor.
    @MainActor
    final class MainActorObject {
        let object: Any

        init(_ object: Any) { self.object = object }

        isolated deinit {}
    }

    /// Reads a local entry. The accessors that `@Entry(.local)` generates call this method.
    public func localObject<Object: Sendable>(of key: String, as type: Object.Type) -> Object? {
        probe?.note(key, .local)
        // Nothing at run time tells whether an object is `Sendable`, so that one of the main actor is not read as such.
        guard case .sendable(let object)? = locals[key]?.value else { return nil }
        return object as? Object
    }

    /// Sets or removes a local entry. The accessors that `@Entry(.local)` generates call this method.
    public mutating func setLocalObject<Object: Sendable>(_ object: Object?, of key: String, as type: Object.Type) {
        locals[key] = object.map { LocalEntry(.sendable($0)) }
    }

    /// Returns a type whose objects any code may use. The accessors that `@Entry(.local)` generates call this method first.
    public static func localType<Object: Sendable>(_ type: Object.Type) -> Object.Type { type }

    /// Returns a type with which the accessors are not available, because its objects are not `Sendable`.
    ///
    /// It is a step of its own: in one call, the compiler reports the missing conformance rather than what to write.
    public static func localType<Object>(_ type: Object.Type) -> NotSendable<Object>.Type { NotSendable<Object>.self }

    /// The type of a local entry that lacks `Sendable`, in the errors of the compiler.
    public enum NotSendable<Object> {}

    /// Not available: the object could be used on two threads at once.
    @available(
        *, unavailable,
        message: """
            a local entry can be read on any thread, so its type is Sendable; make its class '@MainActor' or Sendable, or \
            write '@MainActor @Entry(.local)' for an object that only the main actor uses
            """
    )
    public func localObject<Object>(of key: String, as type: NotSendable<Object>.Type) -> Object? { nil }

    /// Not available: the object could be used on two threads at once.
    @available(
        *, unavailable,
        message: """
            a local entry can be set on any thread, so its type is Sendable; make its class '@MainActor' or Sendable, or \
            write '@MainActor @Entry(.local)' for an object that only the main actor uses
            """
    )
    public mutating func setLocalObject<Object>(
        _ object: Object?, of key: String, as type: NotSendable<Object>.Type
    ) {}

    /// Reads a local entry whose type need not be `Sendable`. The accessors that `@MainActor @Entry(.local)` generates
    /// call this method.
    @MainActor
    public func localMainActorObject<Object>(of key: String, as type: Object.Type) -> Object? {
        probe?.note(key, .local)
        return switch locals[key]?.value {
        case .sendable(let object): object as? Object
        case .mainActor(let owner): owner.object as? Object
        case nil: nil
        }
    }

    /// Sets or removes a local entry whose type need not be `Sendable`. The accessors that
    /// `@MainActor @Entry(.local)` generates call this method.
    @MainActor
    public mutating func setLocalMainActorObject<Object>(_ object: Object?, of key: String) {
        locals[key] = object.map { LocalEntry(.mainActor(MainActorObject($0))) }
    }

    /// Returns this container with the local entries of another one of this process.
    package func withLocalEntries(of other: AppDependency) -> AppDependency {
        var container = self
        container.locals = other.locals
        return container
    }

    /// Returns whether two containers are the same: each of their entries was set by the same statement.
    package static func areSame(_ first: AppDependency?, _ second: AppDependency?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return first.changedKeys(since: second).isEmpty && first.locals.count == second.locals.count
            && first.locals.allSatisfy { second.locals[$0.key] === $0.value }
    }
}
