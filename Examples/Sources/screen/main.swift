// Signs a user in and out. The screen draws what it shows, and nothing after it is gone.
import KeyValueObserving

let model = ViewModel()
var screen: Screen? = Screen { print($0) }
screen?.show(model)

let ada = User(name: "Ada")
model.user = ada
ada.messages += 1
ada.name = "Ada Lovelace"
model.user = nil
ada.messages += 1  // nobody shows her now

screen = nil
model.user = ada
print("title unseen: \(model.title)")
