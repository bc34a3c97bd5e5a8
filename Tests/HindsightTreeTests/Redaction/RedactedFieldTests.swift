import Foundation
import Testing

@testable import HindsightTree

private struct Person: Codable, Equatable, Hashable {
    var name = "Zoë"
    @Redacted var email: String
    @Redacted var phone: String?
    @Redacted var friends: [String] = ["Adam"]
    @Redacted var role = Role.admin
}

private struct PlainPerson: Codable {
    var name = "Zoë"
    var email: String
    var phone: String?
    var friends: [String] = ["Adam"]
    var role = Role.admin
}

private enum Role: String, Codable, Redactable {
    case admin, guest
    func redacted() -> Role { .guest }
}

private enum LogIn: Codable, Equatable {
    case logIn(name: String, password: Redacted<String>)
}

/// An object whose keys are data, with redacted values.
private struct Keyed: Encodable {
    struct Key: CodingKey {
        var stringValue = "secret"
        var intValue: Int? { nil }
        init() {}
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Redacted("value"), forKey: Key())
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key())
        try nested.encode(Redacted("value"), forKey: Key())
    }
}

@Suite("Redacted fields") struct RedactedFieldTests {
    private let person = Person(email: "zoe@example.org", phone: "0123")

    @Test("A redacted field's node has the placeholder, and it decodes")
    func placeholder() throws {
        let node = try NodeEncoder().encode(person)
        #expect(
            node.json
                == #"{"name":"Zoë","email":"[redacted]","phone":"[redacted]","friends":[],"role":"guest"}"#
        )
        let again = try NodeDecoder().decode(Person.self, from: node)
        #expect(again.email == "[redacted]")
        #expect(try NodeEncoder().encode(again) == node)
        let action = LogIn.logIn(name: "zoe", password: Redacted("hunter2"))
        #expect(try NodeEncoder().encode(action).json == #"{"logIn":{"name":"zoe","password":"[redacted]"}}"#)
    }

    @Test("A redacted optional shows whether it is nil", arguments: [nil, "0123"])
    func optional(phone: String?) throws {
        let node = try NodeEncoder().encode(Person(email: "", phone: phone))
        #expect(node["phone"] == phone.map { _ in "[redacted]" })
        #expect((try NodeDecoder().decode(Person.self, from: node).phone == nil) == (phone == nil))
    }

    @Test("Other encoders see the value without the wrapper", arguments: [nil, "0123"])
    func others(phone: String?) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let person = Person(email: "zoe@example.org", phone: phone)
        let text = try encoder.encode(person)
        #expect(text == (try encoder.encode(PlainPerson(email: "zoe@example.org", phone: phone))))
        #expect(try JSONDecoder().decode(Person.self, from: text) == person)
        let date = Redacted(Date(timeIntervalSince1970: 0))
        encoder.dateEncodingStrategy = .iso8601
        #expect(String(decoding: try encoder.encode([date]), as: UTF8.self) == #"["1970-01-01T00:00:00Z"]"#)
    }

    @Test("A redacted field is compared and hashed by its value")
    func equality() {
        #expect(person == Person(email: "zoe@example.org", phone: "0123"))
        #expect(person != Person(email: "eva@example.org", phone: "0123"))
        #expect(Set([person, person]).count == 1)
    }

    @Test("Printing, describing or dumping a redacted field does not show its value")
    func printed() {
        var dumped = ""
        dump(person, to: &dumped)
        for text in ["\(person)", String(reflecting: person), dumped, "\(Redacted([1, 2]))"] {
            #expect(!text.contains("zoe@") && !text.contains("Adam") && !text.contains("1, 2"))
        }
    }

    @Test("A change of a redacted field is no change")
    func changes() throws {
        let finder = ChangeFinder<[Person]>()
        var other = person
        other.email = String(repeating: "eva@example.org ", count: 9)
        other.role = .guest
        other.friends = []
        #expect(try finder.patch(from: [person], to: [other]).isEmpty)
        other.phone = nil
        #expect(
            try finder.patch(from: [person], to: [other]).json
                == #"[{"op":"remove","path":"/0/phone","old":"[redacted]","at":2}]"#
        )
        #expect(!(try finder.patch(from: [person], to: [other, person]).json.contains("zoe@")))
    }

    @Test("The paths of redacted fields are known, with wildcards for elements and keys")
    func places() throws {
        let redactor = try Redactor()
        let encoder = NodeEncoder(redactor: redactor)
        _ = try encoder.encode(["a": [person], "b": [person, person]])
        _ = try encoder.encode(LogIn.logIn(name: "", password: Redacted("")))
        #expect(
            redactor.fieldPatterns == [
                "/*/*/email", "/*/*/friends", "/*/*/phone", "/*/*/role", "/logIn/password",
            ]
        )
        #expect(redactor.isActive && !redactor.hasPatterns)
        // Keys below a redacted value are redacted too.
        let hiding = try Redactor([("/*", nil)])
        _ = try NodeEncoder(redactor: hiding).encode(["a": ["secret": person]])
        _ = try NodeEncoder(redactor: hiding).encode(["a": Keyed()])
        #expect(hiding.fieldPatterns.isEmpty)
    }

    @Test("The paths of redacted fields are known also if many values come at once", arguments: [false, true])
    func placesOfMany(writesText: Bool) throws {
        struct Club: Encodable { var members: [Person] = [] }
        let redactor = try Redactor()
        let finder = ChangeFinder<Club>(redactor: redactor, writesText: writesText)
        let patch = try finder.patch(from: Club(), to: Club(members: Array(repeating: person, count: 100)))
        #expect(!patch.json.contains("zoe@"))
        #expect(
            redactor.fieldPatterns == [
                "/members/*/email", "/members/*/friends", "/members/*/phone", "/members/*/role",
            ]
        )
    }
}
