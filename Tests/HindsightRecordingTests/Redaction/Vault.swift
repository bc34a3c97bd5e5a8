import Foundation
import HindsightRecording
import HindsightStore
import HindsightTree

/// An app with many secrets.
struct Vault: Codable, Sendable {
    enum Role: String, Codable, CaseIterable { case guest, admin }
    struct Card: Codable, Sendable {
        var number: String
        var kind = "debit"
        var limit = 100
    }
    struct User: Codable, Sendable {
        var name: String
        var email: String?
        var born = Date(timeIntervalSince1970: 86_400 * 9000)
        var id = UUID()
        var role = Role.admin
    }

    var user: User?
    var cards: [Card] = []
    var byName: [String: Card] = [:]
    var hints: [String: Int] = [:]
    var tags: Set<String> = []
    var diary = "Dear diary, this is long enough to be edited and not replaced. "
    var blob = Data()
    @Redacted var pin = ""
    var count = 0
}

enum VaultAction: Codable, Sendable {
    case signIn(name: String, password: String)
    case addCard(Vault.Card, at: Int)
    case removeCard(at: Int)
    case rename(card: Int, to: String)
    case name(String, card: Vault.Card?)
    case hint(String, Int)
    case tag(String)
    case write(String)
    case keep(Data)
    case setPin(Redacted<String>)
    case bump
    case broken(Broken)
}

/// Throws an error with a secret when it is encoded.
struct Broken: Codable, Sendable {
    var secret: String
    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(secret, .init(codingPath: [], debugDescription: "\(secret) cannot be kept"))
    }
}

let vaultReducer = Reducer<Vault, VaultAction>.combine(
    Reducer("user") { vault, action in
        if case .signIn(let name, let password) = action {
            vault.user = Vault.User(name: name, email: name.isEmpty ? nil : password + "@example.org")
        }
        if case .setPin(let pin) = action { vault.pin = pin.wrappedValue }
    },
    Reducer("cards") { vault, action in
        switch action {
        case .addCard(let card, let place): vault.cards.insert(card, at: min(place, vault.cards.count))
        case .removeCard(let place) where vault.cards.indices.contains(place): vault.cards.remove(at: place)
        case .rename(let place, let number) where vault.cards.indices.contains(place):
            vault.cards[place].number = number
        case .name(let name, let card): vault.byName[name] = card
        default: break
        }
    },
    Reducer("texts") { vault, action in
        switch action {
        case .hint(let hint, let count): vault.hints[hint, default: 0] += count
        case .tag(let tag): if vault.tags.remove(tag) == nil { vault.tags.insert(tag) }
        case .write(let text):
            vault.diary.insert(contentsOf: text, at: vault.diary.index(vault.diary.startIndex, offsetBy: 5))
        case .keep(let data): vault.blob.append(data)
        default: break
        }
    },
    Reducer("count") { vault, _ in vault.count += 1 }
)

/// All secret paths of a vault.
let vaultRedaction = Redaction(
    states: [
        "/user/email", "/user/id", "/cards/*/number", "/byName/*/number", "/hints", "/tags", "/diary", "/blob",
    ],
    actions: [
        "/signIn/password", "/addCard/_0/number", "/rename/to", "/name/card/number", "/hint", "/tag", "/write", "/keep",
        "/broken",
    ]
)

/// A vault's actions, full of secrets, determined by the seed.
func vaultActions(_ count: Int, _ random: inout some RandomNumberGenerator) -> [VaultAction] {
    (0..<count).map { number in
        let place = Int.random(in: 0..<4, using: &random)
        let secret = Secret.text(using: &random)
        return switch Int.random(in: 0..<11, using: &random) {
        case 0: .signIn(name: Bool.random(using: &random) ? "zoe" : "", password: secret)
        case 1, 2: .addCard(Vault.Card(number: secret), at: place)
        case 3: .removeCard(at: place)
        case 4: .rename(card: place, to: secret)
        case 5: .name("name \(place)", card: Bool.random(using: &random) ? nil : Vault.Card(number: secret))
        case 6: .hint(secret, number)
        case 7: .tag(secret)
        case 8: .write(secret)
        case 9: .keep(Data(secret.utf8))
        default: Bool.random(using: &random) ? .setPin(Redacted(secret)) : .bump
        }
    }
}
