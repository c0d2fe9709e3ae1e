// The smallest program that logs: the console, and nothing else to install or to load.
import Logbook

LogService.register(provider: ConsoleLogProvider())

LogService.shared.info("the shop opens")
LogService.shared.warning("\(3) parcels are late", metadata: ["depot": "north"])
LogService.shared.error("a door does not close")
