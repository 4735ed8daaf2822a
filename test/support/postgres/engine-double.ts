import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { EngineProfile, RefusedText } from './engine-profiles.ts'
import type { PostgresServer } from './postgres-server.ts'
import { frameMessages, type Message, writeMessage } from './wire-messages.ts'

/**
 * What happens to the next commit of a transaction that inserts into a table: the server makes it
 * or not, and the client gets an error that says that nobody knows (40003), or the end of its
 * connection.
 */
export interface CommitFault {
  readonly kind: 'unknown' | 'cut'
  readonly isMade: boolean
  readonly table: string
}

/** What the responses of the server are turned into, in the order in which they come. */
type Turned =
  | { readonly kind: 'refusal'; readonly refused: RefusedText }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'fault'; readonly fault: CommitFault }

/** No statement has it: PostgreSQL refuses it, where it stands for what the engine refuses. */
const marker = 'refused_by_the_double'

/**
 * Stands before PostgreSQL in tests, and answers as another engine would that speaks its protocol,
 * as far as a profile says. It proves what a store does about that, and nothing about the engine.
 */
export class EngineDouble {
  readonly profile: EngineProfile
  /** As in the profile. */
  conflictShare: number
  commitFault: CommitFault | undefined
  /** How many commits got a conflict. */
  conflictCount = 0
  readonly #server: PostgresServer
  readonly #listener: Server
  readonly #clients = new Set<Socket>()

  private constructor(profile: EngineProfile, server: PostgresServer) {
    this.profile = profile
    this.conflictShare = profile.conflictShare
    this.#server = server
    this.#listener = createServer((client) => this.#accept(client))
  }

  static async before(server: PostgresServer, profile: EngineProfile): Promise<EngineDouble> {
    const double = new EngineDouble(profile, server)
    await new Promise<void>((resolve) => double.#listener.listen(0, '127.0.0.1', resolve))
    return double
  }

  url(database: string): string {
    const { port } = this.#listener.address() as AddressInfo
    return `postgres://postgres@127.0.0.1:${port}/${database}`
  }

  /** Ends all connections, as a node that goes away does. */
  cutConnections(): void {
    for (const client of this.#clients) client.destroy()
  }

  async close(): Promise<void> {
    this.cutConnections()
    await new Promise((resolve) => this.#listener.close(resolve))
  }

  #accept(client: Socket): void {
    // Otherwise the system waits for more before it sends a small message.
    client.setNoDelay(true)
    this.#clients.add(client)
    const { folder, port } = this.#server
    const server = connect(`${folder}/.s.PGSQL.${port}`)
    client.on('error', () => {}).on('close', () => this.#clients.delete(client))
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => server.destroy())
    const session = new DoubledSession(this, client, server)
    const fromClient = frameMessages({ hasStartup: true }, session.fromClient)
    const fromServer = frameMessages({ hasStartup: false }, session.fromServer)
    client.on('data', (chunk) => asOnePacket(server, () => fromClient(chunk)))
    server.on('data', (chunk) => asOnePacket(client, () => fromServer(chunk)))
  }
}

/** One connection, of a client that parses each statement anew (`preparedStatements: false`). */
class DoubledSession {
  readonly #double: EngineDouble
  readonly #client: Socket
  readonly #server: Socket
  /** What the statements of the round trips under way get, by the names of commands. */
  readonly #turned: Turned[] = []
  #isInTransaction = false
  #writes = false
  /** Has the transaction written the table whose commit fails? */
  #writesFaulty = false

  constructor(double: EngineDouble, client: Socket, server: Socket) {
    this.#double = double
    this.#client = client
    this.#server = server
  }

  readonly fromClient = (message: Message): void => {
    const { type, bytes } = message
    switch (type) {
      case 'Q':
        this.#send(this.#query(bytes))
        break
      case 'P':
        this.#send(this.#parse(bytes))
        break
      case 'S':
        this.#sync(bytes)
        break
      default:
        this.#send(bytes)
    }
  }

  readonly fromServer = (message: Message): void => {
    if (message.type === 'Z') {
      this.#turned.length = 0
      this.#isInTransaction = message.bytes.toString('latin1', 5) !== 'I'
    }
    this.#reply(this.#turnedReply(message))
  }

  /** What the client gets in place of a message. */
  #turnedReply({ type, bytes }: Message): Buffer {
    const [turned] = this.#turned
    if (!turned) return bytes
    if (type === 'E' && bytes.includes(marker)) {
      const { sqlState, message } = turned.kind === 'refusal' ? turned.refused : conflict
      return errorMessage(sqlState, message)
    }
    if (type !== 'C' || !isEnd(bytes) || turned.kind === 'refusal') return bytes
    if (turned.kind === 'conflict') return errorMessage(conflict.sqlState, conflict.message)
    if (turned.fault.kind === 'cut') this.#client.destroy()
    return errorMessage('40003', 'result is ambiguous')
  }

  /** A round trip outside of a transaction commits at its end. */
  #sync(bytes: Buffer): void {
    if (this.#writes && !this.#isInTransaction && this.#turned.length === 0 && this.#conflicts()) {
      this.#turned.push({ kind: 'conflict' })
      this.#send(parseMessage('', marker))
    }
    this.#writes = false
    this.#send(bytes)
  }

  #query(bytes: Buffer): Buffer {
    const sql = this.#turn(textAt(bytes, 5))
    return writeMessage('Q', Buffer.from(`${sql}\0`))
  }

  #parse(bytes: Buffer): Buffer {
    const name = textAt(bytes, 5)
    const start = 5 + Buffer.byteLength(name) + 1
    const sql = textAt(bytes, start)
    const rest = bytes.subarray(start + Buffer.byteLength(sql) + 1)
    return writeMessage('P', Buffer.concat([Buffer.from(`${name}\0${this.#turn(sql)}\0`), rest]))
  }

  /** What PostgreSQL gets in place of a statement. */
  #turn(sql: string): string {
    const { profile, commitFault } = this.#double
    const refused = profile.refused.find(({ text }) => text.test(sql))
    if (refused) {
      this.#turned.push({ kind: 'refusal', refused })
      return marker
    }
    if (/^\s*(?:with\b.*)?\b(?:insert into|update|delete from)\b/is.test(sql)) this.#writes = true
    if (/^\s*begin\b/i.test(sql)) {
      this.#isInTransaction = true
      this.#writesFaulty = false
    }
    if (commitFault && sql.startsWith(`insert into "${commitFault.table}"`))
      this.#writesFaulty = true
    if (/^\s*commit\b/i.test(sql)) {
      if (commitFault && this.#writesFaulty) {
        this.#double.commitFault = undefined
        this.#turned.push({ kind: 'fault', fault: commitFault })
        return commitFault.isMade ? sql : 'rollback'
      }
      if (this.#conflicts()) {
        this.#turned.push({ kind: 'conflict' })
        return 'rollback'
      }
    }
    return profile.replaced.reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      sql.replaceAll('version()', `'${profile.version}'::text`),
    )
  }

  #conflicts(): boolean {
    if (Math.random() >= this.#double.conflictShare) return false
    this.#double.conflictCount++
    return true
  }

  #send(bytes: Buffer): void {
    this.#server.write(bytes)
  }

  #reply(bytes: Buffer): void {
    if (!this.#client.destroyed) this.#client.write(bytes)
  }
}

function asOnePacket(socket: Socket, write: () => void): void {
  socket.cork()
  write()
  socket.uncork()
}

const conflict = { sqlState: '40001', message: 'restart transaction: conflict at commit' }

/** The end of a transaction, by its tag. */
function isEnd(bytes: Buffer): boolean {
  return /^(?:COMMIT|ROLLBACK)/.test(textAt(bytes, 5))
}

function textAt(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, bytes.indexOf(0, start))
}

function parseMessage(name: string, sql: string): Buffer {
  return writeMessage('P', Buffer.from(`${name}\0${sql}\0\0\0`))
}

function errorMessage(sqlState: string, text: string): Buffer {
  const fields = ['SERROR', 'VERROR', `C${sqlState}`, `M${text}`]
  return writeMessage('E', Buffer.from(`${fields.join('\0')}\0\0`))
}
