#if DEBUG
    /// Finds the classes that declare `appDependency` but do not conform to ``NeedsDependency``, so that they get no
    /// container. Only debug builds look, once for each class.
    @MainActor
    enum ForgottenConformance {
        private static var checked: Set<ObjectIdentifier> = []

        /// Checks the class of an object that does not get the container.
        static func check(_ object: AnyObject) {
            let type: AnyClass = type(of: object)
            guard checked.insert(ObjectIdentifier(type)).inserted, hasContainer(object) else { return }
            Advice.give(
                "'\(type)' declares 'appDependency', but gets no container: declare it as "
                    + "'final class \(type): …, NeedsDependency'")
        }

        /// Whether an object has a stored property with the name of the container's.
        private static func hasContainer(_ object: AnyObject) -> Bool {
            var mirror: Mirror? = Mirror(reflecting: object)
            while let current = mirror {
                if current.children.contains(where: { $0.label == "appDependency" }) { return true }
                mirror = current.superclassMirror
            }
            return false
        }
    }
#endif
