import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The language server of TypeScript, which editors use, for a project in a folder. */
export interface LanguageServer {
  /** What an editor offers where `|` stands in the source, sorted. */
  completionsAt(file: string, source: string): Promise<readonly string[]>
  close(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface CompletionList {
  readonly items: readonly { readonly label: string }[]
}

export async function startLanguageServer(folder: string): Promise<LanguageServer> {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  const server = spawn(process.execPath, [tsc, '--lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const pending = new Map<number, (message: Message) => void>()
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const receive = (message: Message) => {
    if (message.id === undefined) return
    // A request of the server, such as one for the settings of the editor, which has none.
    if (message.method !== undefined) send({ id: message.id, result: null })
    else pending.get(message.id)?.(message)
  }
  let unread: Buffer = Buffer.alloc(0)
  server.stdout.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    for (let next = takeMessage(unread); next; next = takeMessage(unread)) {
      unread = next.rest
      receive(next.message)
    }
  })
  let requestCount = 0
  const request = async (method: string, params?: object): Promise<unknown> => {
    const id = ++requestCount
    const response = new Promise<Message>((resolve) => pending.set(id, resolve))
    send({ id, method, params })
    const { result, error } = await response
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  await request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
  })
  send({ method: 'initialized', params: {} })
  return {
    completionsAt: async (file, source) => {
      const uri = pathToFileURL(file).href
      const offset = source.indexOf('|')
      const lines = source.slice(0, offset).split('\n')
      const text = source.replace('|', '')
      const textDocument = { uri, languageId: 'typescript', version: ++requestCount, text }
      send({ method: 'textDocument/didOpen', params: { textDocument } })
      const list = await request('textDocument/completion', {
        textDocument: { uri },
        position: { line: lines.length - 1, character: lines.at(-1)!.length },
      })
      send({ method: 'textDocument/didClose', params: { textDocument: { uri } } })
      return (list as CompletionList).items.map(({ label }) => label).toSorted()
    },
    close: async () => {
      const exit = once(server, 'exit')
      await request('shutdown')
      send({ method: 'exit' })
      await exit
    },
  }
}

/** The first message, which its length in bytes precedes; undefined until it is complete. */
function takeMessage(bytes: Buffer): { message: Message; rest: Buffer } | undefined {
  const header = /^Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(bytes.toString('latin1'))
  if (!header) return undefined
  const start = header[0].length
  const end = start + Number(header[1])
  if (bytes.length < end) return undefined
  return { message: JSON.parse(bytes.toString('utf8', start, end)), rest: bytes.subarray(end) }
}
