#if DEBUG
    @_spi(Reflection) import Swift

    /// Finds the classes that declare `appDependency` but do not conform to ``NeedsDependency``, so that they get no
    /// container. Only debug builds look, once for each class.
    @MainActor
    enum ForgottenConformance {
        // By name, because the runtime searches all conformances of the process for another type of key.
        private static var checked: Set<String> = []

        /// Checks the class of an object that does not get the container.
        static func check(_ object: AnyObject) {
            let type: AnyClass = type(of: object)
            guard checked.insert(_typeName(type)).inserted, hasContainer(type) else { return }
            Advice.give(
                "'\(type)' declares 'appDependency', but gets no container: declare it as "
                    + "'final class \(type): …, NeedsDependency'")
        }

        /// Whether a class, or one above it, has a stored property with the name of the container's.
        ///
        /// A mirror of the object would do, but it searches all conformances of the process for each class.
        private static func hasContainer(_ type: AnyClass) -> Bool {
            var isFound = false
            // The option 1 is that of classes.
            _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, _, _, _ in
                isFound = String(cString: name) == "appDependency"
                return !isFound
            }
            return isFound
        }
    }
#endif
