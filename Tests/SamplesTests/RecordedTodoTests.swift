// swift-format-ignore-file
import HindsightTesting
import Testing
@testable import Samples

/// The actions 5 to 9 of todo.hindsight.
@Test func `todo 5 to 9`() throws {
    try given(TodoState.self, from: #"{"items":[{"id":1,"title":"Book the train to Bergen","done":false,"tags":["trip"]},{"id":2,"title":"Find the passport","done":false,"tags":["trip","home"]},{"id":3,"title":"Renew travel insurance","done":false,"tags":[]},{"id":4,"title":"Kaffe og brød ☕️🥖","done":false,"tags":["shop"]}],"filter":"all","counts":{"open":4,"done":0,"byTag":{"home":1,"shop":1,"trip":2}},"history":{"undo":[[{"at":0,"removed":[],"inserted":[{"id":1,"title":"Book the train to Bergen","done":false,"tags":["trip"]}]}],[{"at":1,"removed":[],"inserted":[{"id":2,"title":"Find the passport","done":false,"tags":["trip","home"]}]}],[{"at":2,"removed":[],"inserted":[{"id":3,"title":"Renew travel insurance","done":false,"tags":[]}]}],[{"at":3,"removed":[],"inserted":[{"id":4,"title":"Kaffe og brød ☕️🥖","done":false,"tags":["shop"]}]}]],"redo":[]},"nextID":5}"#, TodoAction.self, by: SampleApps.todo)
        .when(.add(title: "  ", tags: nil))
        .then(changes: #"[{"op":"add","path":"/notice","value":"A title needs a letter.","at":5}]"#)
        .when(.toggle(id: 2))
        .then(changes: #"[{"op":"remove","path":"/notice","old":"A title needs a letter.","at":5},{"op":"replace","path":"/items/1/done","old":false,"value":true},{"op":"replace","path":"/counts/open","old":4,"value":3},{"op":"replace","path":"/counts/done","old":0,"value":1},{"op":"splice","path":"/history/undo","at":4,"remove":[],"insert":[[{"at":1,"removed":[{"id":2,"title":"Find the passport","done":false,"tags":["trip","home"]}],"inserted":[{"id":2,"title":"Find the passport","done":true,"tags":["trip","home"]}]}]]}]"#)
        .when(.annotate(id: 1, text: "06:25 from Oslo S, window seat.\nReturn is open."))
        .then(changes: #"[{"op":"add","path":"/items/0/note","value":"06:25 from Oslo S, window seat.\nReturn is open.","at":4},{"op":"splice","path":"/history/undo","at":5,"remove":[],"insert":[[{"at":0,"removed":[{"id":1,"title":"Book the train to Bergen","done":false,"tags":["trip"]}],"inserted":[{"id":1,"title":"Book the train to Bergen","done":false,"tags":["trip"],"note":"06:25 from Oslo S, window seat.\nReturn is open."}]}]]}]"#)
        .when(.rename(id: 4, title: "Kaffe, brød og brunost \u{2615}\u{fe0f}\u{1f956}\u{1f9c0}"))
        .then(changes: #"[{"op":"replace","path":"/items/3/title","old":"Kaffe og brød ☕️🥖","value":"Kaffe, brød og brunost ☕️🥖🧀"},{"op":"splice","path":"/history/undo","at":6,"remove":[],"insert":[[{"at":3,"removed":[{"id":4,"title":"Kaffe og brød ☕️🥖","done":false,"tags":["shop"]}],"inserted":[{"id":4,"title":"Kaffe, brød og brunost ☕️🥖🧀","done":false,"tags":["shop"]}]}]]}]"#)
        .when(.tag(id: 3, name: "trip"))
        .then(changes: #"[{"op":"splice","path":"/items/2/tags","at":0,"remove":[],"insert":["trip"]},{"op":"replace","path":"/counts/byTag/trip","old":2,"value":3},{"op":"splice","path":"/history/undo","at":7,"remove":[],"insert":[[{"at":2,"removed":[{"id":3,"title":"Renew travel insurance","done":false,"tags":[]}],"inserted":[{"id":3,"title":"Renew travel insurance","done":false,"tags":["trip"]}]}]]}]"#)
}
