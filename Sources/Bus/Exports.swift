// Every module above measures time with it.
@_exported public import Monotonic
