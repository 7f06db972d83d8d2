// The code that the macros generate uses these types, so that a module with messages need not import CBOR.

@_exported public import protocol CBOR.CBORItem
@_exported public import struct CBOR.CBORItemReader
@_exported public import struct CBOR.CBORWriter

// The type of parameters, replies and entries that nobody may see.
@_exported public import struct CBOR.Secret
