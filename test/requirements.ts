/**
 * What must hold because it went wrong in other hosts: each reported fault by its id, and what is right in one line. Tests
 * cite the ids in their titles or comments; requirements.test.ts proves that each is cited.
 */
export const requirements: Readonly<Record<string, string>> = {
  // Arguments and exit codes
  B001: "Objects, arrays, numbers and booleans are read as JSON by the schema; a text stays a text; a whole JSON object is always exact",
  B002: "The schema's type decides what a value is; no digit of a number and no character of a text is lost",
  B004: "An unknown tool, in a config or a call, is a warning or a usage error with near names",
  B005: "Each kind of failure has its exit code; stdout holds results alone; a partial failure is visible",
  G001: "A reader that leaves early ends us quietly, and the servers are stopped",
  // Configs
  B007: "Documented references are filled in once; an unset variable is an error of its one server, with field and name",
  B008: "Shapes, keys and comments of other hosts' files are read; unknown keys are a hint; a broken text is told by line and column",
  B010: "A server gets a small base and its own variables; scalars become texts, null takes away, what cannot be a variable is refused",
  // Eras and versions
  B011: "A server that is silent on the probe is greeted after a short time of the probe's own, and that is remembered",
  B013: "Whatever is no answer to the probe leads to initialize on the same link",
  B014: "A flood on stderr for the probe stops nothing and is not shown",
  B016: "A refused version is followed by one retry with the best one listed, or the next older; else the refusal is shown",
  B017: "An echoed version proves nothing: nothing depends on it, and no server becomes modern by it",
  O001: "The probe is the very first message, and nothing else is sent before its answer",
  O002: "-32601 to the probe means legacy",
  O004: "Every modern request carries the whole envelope; being served is no sign of support",
  // The handshake and what is said around it
  B025: "Notifications and pings before the reply to initialize are taken in stride, and nothing is listed before its end",
  B026: "notifications/initialized goes out before any other request of a legacy link, and never to a modern server",
  O013: "Log notifications in the moment of the greeting do not disturb it, keep their order, and are shown only when asked for",
  // JSON-RPC
  B052: "Ids never begin at 0; an answer under an id that was never sent resolves nothing, and is told soon",
  B053: "An error without an id is logged, and fails the one request that surely waits for it",
  B055: '1 and "1" are two ids',
  B056: "A late answer, good or bad, is dropped; the next call gets its own and the link stays",
  B058: "A server that dies of a cancellation is started again by the next call; a reply to it is ignored",
  G004: "A reply with both, neither, or a misshapen result or error fails its own request with a clear reason",
  G005: "A missing or wrong jsonrpc member is accepted by shape, with a debug line",
  G007: "1.0 is the id 1; other spellings are unknown ids, and reported",
  O010: "Any answer to a ping means alive",
  O011: "An error of code 0 is an error, and its message is shown",
  // Notifications, progress, time
  B062: "A burst of list changes makes one to three lists, the last change counts, a trickle blocks nothing",
  B064: "An undeclared change makes the list stale; an unknown name lists once more before it fails",
  B065: "Progress that fits nothing is ignored; a token is compared as number or text",
  B109: "Every request carries a token; progress renews the time; a hard cap ends it; what runs out is cancelled",
  // Servers that ask
  B061: "A modern server that asks for input is answered in bounded rounds, or the call ends at once with its question",
  B097: "What nobody can answer is not declared, and refused at once",
  O025: "A request for something undeclared is refused at once, and the tool's own error arrives",
  // Processes
  B019: "Each reason why a server cannot be reached is told in its own words, with evidence",
  B073: "Ended servers of a long-lived host leave no zombies",
  B074: "At any time there is one process for each server, and a replaced one is ended",
  B076: "What a wrapper started ends with it, in a session of its own too",
  B077: "A server that ends before it is greeted is an error at once, with exit, signal and last words",
  B079: "A server that spins without its pipes is ended",
  B080: "A command that is not found names command, PATH and server; the server's own PATH counts; a missing folder is told apart",
  B082: "A server that greets well and ends is started a handful of times; a slow one once",
  B083: "A killed server fails its calls at once with the cause, is started by the next one, and never given up for good",
  O014: "A file that may not be executed is told as permission denied, with its path",
  O016: "A server that ignores EOF and SIGTERM is killed, and delays nobody",
  O017: "A helper that outlives its server on purpose keeps nobody waiting",
  O019: "The time for a good end is longer than a second and can be set; a whole family is gone in the end",
  G008: "A server has pipes of its own, and no terminal",
  G010: "No server inherits another's pipes: the end of its stdin reaches it",
  // Results
  B085: "Unknown content is passed through with a note; the call succeeds; JSON output is faithful",
  B086: "Every kind of content is delivered, and nothing decoded unless it is saved",
  B088: "A result that is an error is not held against the output schema",
  B089: "Structured content of any kind is passed through, falsy values too",
  O020: "Empty content and empty texts are good results",
  O022: "A result is passed through as its era gives it",
  O026: "Unknown tools and bad arguments fail with a code whichever way a server says so, and the two ways stay apart",
  G011: "Depth and size without measure fail or pass a call, and never end the host",
  // Schemas
  B091: "A bad schema is a warning of its one tool, and drops nothing else",
  B092: "A tool without a schema takes no arguments, with a warning",
  B094: "Local references are followed and end; remote ones are never fetched; a lost one leaves the tool unchecked",
  O023: "A schema of $schema alone takes any arguments",
  // Bytes on the way
  B098: "Large arguments and answers pass in both directions at once, and disturb no other server",
  B100: "Calls of a server can be limited, and time in the queue does not count; an exit in the middle is a crash",
  B101: "A character that is cut between two writes comes whole",
  B103: "Lines of any length up to the bound come whole; beyond it the one call fails, and the next works",
  B104: "A body behind Content-Length headers is taken; a server that speaks only frames is told as such",
  B106: "Lines on stdout that are no messages, before the handshake, are skipped with a warning",
  B107: "Log lines on stdout within a session are skipped, and told a few times only",
  G013: "Each message of a batch is handled; empty and nested ones are noise",
  // Tools, lists and names
  B110: "Arguments are always sent as an object",
  B112: "All pages are listed in order, and walked again after a change",
  B113: "Tools of all servers are listed in the order of the config; one that fails hides none",
  B115: "null is as good as absent",
  B116: "Names of every kind are listed and called exactly; mapped ones are distinct and stable",
  B118: "Joined names never clash, whatever starts first",
  B119: "A bare name of two servers is refused with the candidates; a qualified one is right",
  // Secrets
  B095: "No value that is known to be secret is in any output, log, status or file of ours, at any level",
};
