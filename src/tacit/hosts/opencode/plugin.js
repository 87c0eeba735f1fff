// Written by `tacit connect opencode`: asks `tacit hook` what past runs of this project have to say. `tacit connect opencode --undo` takes it out.
import { execFileSync, spawn } from "node:child_process"
import { isMainThread } from "node:worker_threads"

const COMMAND = ["tacit"] // how Tacit is started
const STORE = [] // --store FILE, where one was named

const WRITES = ["write", "edit"] // tools that change the file they name

// Whatever fails, the agent goes on as if Tacit were not there.
const ask = (event, payload, seconds) =>
  new Promise((done) => {
    try {
      let said = ""
      const words = [...COMMAND.slice(1), "hook", event, "--host", "opencode", ...STORE]
      // The host's own mark of an agent's shell is in this process, too: the session that is named beside it says who asks.
      const env = { ...process.env, TACIT_PLUGIN_SESSION: payload.session_id ?? "" }
      const child = spawn(COMMAND[0], words, { stdio: ["pipe", "pipe", "ignore"], env })
      const late = setTimeout(() => child.kill(), seconds * 1000)
      child.on("error", () => done({}))
      child.on("close", () => {
        clearTimeout(late)
        try {
          done(JSON.parse(said || "{}"))
        } catch {
          done({})
        }
      })
      child.stdout.on("data", (part) => (said += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done({})
    }
  })

// Whether what comes in here was typed: the terminal's own worker, with nothing open through which a program could hand in prompts.
// Where that cannot be told, it was not.
const atTerminal = () => {
  try {
    if (isMainThread || !process.stdin.isTTY) return false
    const words = execFileSync("ps", ["-o", "args=", "-p", String(process.pid)], { encoding: "utf8", timeout: 2000 }).split(/\s+/)
    return !words.some((word) => /^--(prompt|port|hostname|mdns)\b/.test(word))
  } catch {
    return false
  }
}

export const Tacit = async ({ client, directory }) => {
  const sessions = new Map()
  const known_of = new Map() // by call: what is known of its command or file, told with its result
  const commands = new Map() // by session: the text that a command stands for, which nobody typed
  const loaded = Date.now()
  let typed = atTerminal()

  const known = async (id) => {
    if (!sessions.has(id)) {
      let info = {}
      try {
        info = (await client.session.get({ path: { id } })).data ?? {}
      } catch {}
      const source = (info.time?.created ?? loaded) < loaded - 60000 ? "resume" : "startup"
      sessions.set(id, { source, parent: info.parentID ?? "", version: info.version ?? "", begun: false, agent: "" })
    }
    return sessions.get(id)
  }
  const about = (id, session) => ({ session_id: id, parent_id: session.parent, agent: session.agent, version: session.version, cwd: directory })

  // What a context that is new, or was compacted, is told.
  const begin = async (id, session) => {
    if (session.begun) return ""
    session.begun = true
    const answer = await ask(session.parent ? "subagent-start" : "session-start", { ...about(id, session), source: session.source }, 10)
    if (answer.message) client.tui?.showToast({ body: { message: answer.message, variant: "info" } })?.catch?.(() => {})
    return answer.context ?? ""
  }

  return {
    config: async (config) => {
      if (config.server) typed = false // its settings let programs in
    },
    "command.execute.before": async (input, output) => {
      commands.set(input.sessionID, (output.parts ?? []).map((part) => part.text ?? ""))
    },
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const session = await known(id)
      session.agent = input.agent ?? session.agent
      const found = [await begin(id, session)]
      const written = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const command = commands.get(id) ?? []
      commands.delete(id)
      if (!session.parent) {
        // The host keeps no word of who wrote a prompt; its store keeps this beside the text.
        for (const part of written) {
          if (typed && !command.includes(part.text)) part.metadata = { ...part.metadata, tacit: { typed: true } }
        }
        const prompt = written.map((part) => part.text).join("\n")
        const payload = { ...about(id, session), id: output.message.id, prompt, model: input.model?.modelID ?? "" }
        found.push((await ask("prompt", payload, 5)).context ?? "")
      }
      const text = found.filter(Boolean).join("\n")
      const last = output.parts.at(-1)
      if (!text || !last) return
      // Parts are kept in the order of their ids: ours comes behind the person's.
      output.parts.push({ id: last.id.slice(0, 16) + "z".repeat(14), sessionID: id, messageID: output.message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      const { command, filePath, oldString, content } = output.args ?? {}
      const [event, given] = input.tool === "bash" ? ["before-command", { command }] : ["before-file", { filePath, oldString, content }]
      if (!(input.tool === "bash" ? command : WRITES.includes(input.tool) && filePath)) return
      const session = await known(input.sessionID)
      const answer = await ask(event, { ...about(input.sessionID, session), id: input.callID, tool_input: given }, 5)
      if (answer.refused) throw new Error(answer.refused)
      known_of.set(input.callID, answer.context ?? "")
    },
    "tool.execute.after": async (input, output) => {
      const session = await known(input.sessionID)
      const found = session.begun ? [] : [await begin(input.sessionID, session)] // compacted in the middle of a turn
      found.push(known_of.get(input.callID) ?? "")
      known_of.delete(input.callID)
      if (input.tool === "bash" && output.metadata?.exit) {
        const payload = { ...about(input.sessionID, session), id: input.callID, error: output.output }
        found.push((await ask("tool-failure", payload, 5)).context ?? "")
      }
      const text = found.filter(Boolean).join("\n")
      if (text) output.output += `\n\n${text}`
    },
    "shell.env": async (input, output) => {
      if (!input.sessionID) return
      const session = await known(input.sessionID)
      output.env.TACIT_RUN = session.parent || input.sessionID
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID
      if (!id) return
      if (event.type === "session.idle") {
        const session = await known(id)
        await ask(session.parent ? "session-end" : "stop", about(id, session), 10)
      } else if (event.type === "session.compacted") {
        Object.assign(await known(id), { begun: false, source: "compact" })
      }
    },
    dispose: async () => {
      const open = [...sessions].filter(([, session]) => !session.parent)
      await Promise.all(open.map(([id, session]) => ask("session-end", about(id, session), 5)))
    },
  }
}
