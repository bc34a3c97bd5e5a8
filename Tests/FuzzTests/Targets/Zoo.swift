import Foundation

/// Values of many kinds, for the decoder.
struct Zoo: Codable {
    enum Screen: Codable {
        case home
        case item(id: Int, tab: String?)
        case pair(Int, Int8)
        indirect case over(Screen, of: Screen)
    }
    enum Size: String, Codable, Hashable { case small, large }
    struct Place: Codable, Hashable {
        var x: Int8
        var y: UInt64
    }
    /// A type that encodes itself with containers in containers.
    struct Nested: Codable {
        enum Key: CodingKey { case list, box, deep }
        var numbers: [Int]
        var name: String

        init(from decoder: any Decoder) throws {
            let keyed = try decoder.container(keyedBy: Key.self)
            var list = try keyed.nestedUnkeyedContainer(forKey: .list)
            numbers = []
            while !list.isAtEnd {
                if try list.decodeNil() { continue }
                numbers.append(try list.decode(Int.self))
            }
            let box = try keyed.nestedContainer(keyedBy: Key.self, forKey: .box)
            name = try box.decodeIfPresent(String.self, forKey: .deep) ?? ""
        }

        func encode(to encoder: any Encoder) throws {
            var keyed = encoder.container(keyedBy: Key.self)
            var list = keyed.nestedUnkeyedContainer(forKey: .list)
            for number in numbers { try list.encode(number) }
            var box = keyed.nestedContainer(keyedBy: Key.self, forKey: .box)
            try box.encode(name, forKey: .deep)
        }
    }

    var i8: Int8?
    var u8: UInt8?
    var i32: Int32?
    var u64: UInt64?
    var i128: Int128?
    var u128: UInt128?
    var float: Float?
    var double: Double?
    var bool: Bool?
    var text: String?
    var data: Data?
    var date: Date?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var maybe: Int??
    var optionals: [Int?]?
    var screen: Screen?
    var size: Size?
    var names: [String: Zoo]?
    var levels: [Int: Place]?
    var stock: [Size: Int]?
    var places: [Place: [String]]?
    var chosen: Set<Set<String>>?
    var nested: Nested?
    var range: Range<Int>?
}

/// A class and its superclass, which share one value.
class Animal: Codable {
    var name: String
}

final class Cat: Animal {
    var lives: Int
    private enum Key: CodingKey { case lives }

    required init(from decoder: any Decoder) throws {
        let keyed = try decoder.container(keyedBy: Key.self)
        lives = try keyed.decode(Int.self, forKey: .lives)
        try super.init(from: try keyed.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Key.self)
        try keyed.encode(lives, forKey: .lives)
        try super.encode(to: keyed.superEncoder())
    }
}
