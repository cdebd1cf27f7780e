public struct Configuration: Sendable { public init() {} }
