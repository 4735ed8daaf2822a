import { type ChildProcess, fork } from 'node:child_process'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import {
  othersPausedKind,
  pauseOthersKind,
  resumeOthersKind,
} from '../../process/pause-old-workers.ts'
import type { ServedStore } from '../log/served-stores.ts'
import type { Connection, ConnectionReceiver, HandOff } from './hand-off.ts'
import { blockedAfterSeconds, givenUpAfterSeconds, Responsiveness } from './responsiveness.ts'
import {
  finishMs,
  isOwnMessage,
  type PrimaryMessage,
  sharedClockMs,
  type WorkerMessage,
  type WorkerReply,
} from './worker-messages.ts'
import type { WorkerProgram } from './worker-program.ts'

/** A worker may have sent that it has a connection, and end before the primary has read that. */
const lastMessagesMs = 500

/** A worker that pauses replies when requests under way have had their time. */
const maxReplyMs = finishMs + 3_000

type ConnectionReply = Extract<WorkerMessage, { readonly id: number }>

/** Those that run already where a worker has to change the store before it is ready. */
export interface OtherWorkers {
  /** Called before the change, which workers of the old version cannot live with. */
  pause(): Promise<void>
  /** Called where the change has to wait. */
  resume(): void
}

/** A worker process, as its primary sees it. */
export class Worker implements ConnectionReceiver {
  readonly startedAtMs: number = performance.now()
  /** Rejects if it ends before. */
  readonly ready: Promise<void>
  /** What has ended it: `SIGKILL`, or `exit code 1`. */
  readonly ended: Promise<string>
  isReady: boolean = false
  /** Those of its services, once it is ready. */
  stores: readonly ServedStore[] = []
  /** Has the primary asked it to end? */
  isClosing: boolean = false
  readonly #child: ChildProcess
  readonly #handOff: HandOff
  readonly #pending = new Map<number, Connection>()
  readonly #responsiveness: Responsiveness
  /** What waits for replies, by the numbers of the questions. */
  readonly #replies = new Map<number, (reply: WorkerReply) => void>()
  #getsConnections = false
  #lastId = 0
  #lastAsk = 0

  /**
   * @param report gets a sentence when it is blocked
   * @param others called where it asks for that
   */
  constructor(
    { module, args, env }: WorkerProgram,
    handOff: HandOff,
    report: (error: Error) => void,
    others: OtherWorkers,
  ) {
    this.#handOff = handOff
    this.#responsiveness = new Responsiveness({
      owesMessage: () => this.#pending.size > 0,
      onBlocked: () => {
        this.#giveBack()
        report(new Error(blocked(this.pid)))
      },
      onResponsive: () => {
        if (this.#getsConnections) this.#handOff.add(this)
      },
      onGivenUp: () => {
        report(new Error(givenUp(this.pid)))
        this.kill()
      },
    })
    this.#child = fork(module, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const disconnected = new Promise<void>((resolve) => {
      this.#child.once('disconnect', resolve)
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('error', ({ message }) => resolve(message))
      this.#child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    void this.ended.then(async () => {
      this.#responsiveness.end()
      await Promise.race([disconnected, wait(lastMessagesMs, undefined, { ref: false })])
      this.#stopGiving()
      this.#giveBack()
    })
    this.ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message) => {
        if (!isOwnMessage<WorkerMessage>(message)) return
        this.#responsiveness.onMessage()
        if (message.kind === 'resourcery:ready') {
          this.isReady = true
          this.stores = message.stores
          resolve()
        } else if (message.kind === pauseOthersKind) {
          void others.pause().then(() => this.#send({ kind: othersPausedKind }))
        } else if (message.kind === resumeOthersKind) others.resume()
        else this.#onMessage(message)
      })
      void this.ended.then((reason) => reject(new Error(endedBeforeReady(this.pid, reason))))
    })
    // Whoever waits for it gets the error; without that, it would end the process.
    this.ready.catch(() => undefined)
    void disconnected.then(() => this.#stopGiving())
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Tells it the address of the port, and gives it connections from now on. */
  begin(address: AddressInfo): void {
    this.#send({ kind: 'resourcery:listening', address })
    this.#getsConnections = true
    this.#handOff.add(this)
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  receive(connection: Connection): void {
    const id = ++this.#lastId
    this.#pending.set(id, connection)
    const message = { kind: 'resourcery:connection', id, sentAtMs: sharedClockMs() } as const
    this.#send(message, connection.socket, () => {
      this.#stopGiving()
      this.#giveBack()
    })
  }

  /**
   * Lets it finish its requests, and kills it if it does not end in time.
   * @param staysReady whether other workers go on, so that `/readyz` stays 200
   */
  async close(staysReady: boolean, timeoutMs: number): Promise<void> {
    this.isClosing = true
    if (staysReady) this.#stopGiving()
    if (this.#responsiveness.isBlocked) this.kill()
    else if (this.isReady) this.#send({ kind: 'resourcery:close', staysReady })
    // It reads no messages before its services are open.
    else this.#child.kill()
    const timer = setTimeout(() => this.kill(), timeoutMs)
    await this.ended
    clearTimeout(timer)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Lets it finish its requests and keep further ones waiting. Resolves also if it does not. */
  async pause(): Promise<void> {
    await this.#ask('resourcery:pause')
  }

  /** Lets it handle requests again, and gives it connections. */
  resume(): void {
    this.#send({ kind: 'resourcery:resume' })
    if (this.isClosing) return
    this.#getsConnections = true
    if (!this.#responsiveness.isBlocked) this.#handOff.add(this)
  }

  /** Lets it forward its requests to this port of another worker, and gives it no connections. */
  forwardTo(port: number): void {
    this.#stopGiving()
    this.#send({ kind: 'resourcery:forward', port })
  }

  /** Lets it no longer forward to this port, which other programs may have now. */
  stopForwardingTo(port: number): void {
    this.#send({ kind: 'resourcery:port-is-gone', port })
  }

  /** The port at which it accepts what others forward; undefined if it does not. */
  async acceptForwarded(): Promise<number | undefined> {
    const reply = await this.#ask('resourcery:accept-forwarded')
    return reply?.kind === 'resourcery:forwarded-port' ? reply.port : undefined
  }

  refuseForwarded(): void {
    this.#send({ kind: 'resourcery:refuse-forwarded' })
  }

  /** The reply; undefined if the worker ends or says nothing for too long. */
  async #ask(
    kind: Extract<PrimaryMessage, { readonly ask: number }>['kind'],
  ): Promise<WorkerReply | undefined> {
    const ask = ++this.#lastAsk
    const replied = new Promise<WorkerReply>((resolve) => this.#replies.set(ask, resolve))
    this.#send({ kind, ask })
    const none = Promise.race([this.ended, wait(maxReplyMs, undefined, { ref: false })]).then(
      () => undefined,
    )
    const reply = await Promise.race([replied, none])
    this.#replies.delete(ask)
    return reply
  }

  #onMessage(message: WorkerMessage): void {
    if ('id' in message) this.#settle(message)
    else if (message.kind === 'resourcery:draining') this.#stopGiving()
    else if ('ask' in message) this.#replies.get(message.ask)?.(message)
  }

  #settle({ id, kind }: ConnectionReply): void {
    const connection = this.#pending.get(id)
    if (connection === undefined) return
    this.#pending.delete(id)
    if (kind === 'resourcery:refused') this.#handOff.giveAgain(connection, this)
    else if (kind === 'resourcery:late') this.#handOff.give(connection)
    // Only the copy of this process; the worker has its own.
    else connection.socket.destroy()
    this.#handOff.giveWaiting()
  }

  #stopGiving(): void {
    this.#getsConnections = false
    this.#handOff.remove(this)
  }

  /** Lets other workers have the connections that this one has not accepted. */
  #giveBack(): void {
    this.#handOff.remove(this)
    const connections = [...this.#pending.values()]
    this.#pending.clear()
    for (const connection of connections) this.#handOff.give(connection)
  }

  #send(message: PrimaryMessage, socket?: Socket, onError: () => void = () => {}): void {
    // A worker that has ended is noticed by `exit`.
    this.#child.send(message, socket, { keepOpen: true }, (error) => {
      if (error) onError()
    })
  }
}

function endedBeforeReady(pid: number | undefined, reason: string): string {
  return `The worker ${pid ?? ''} ended with ${reason} before it was ready; what it printed says why.`
}

function blocked(pid: number | undefined): string {
  return `The worker ${pid} has accepted no connection for ${blockedAfterSeconds} s: others get its connections. It is killed and replaced unless it goes on within ${givenUpAfterSeconds - blockedAfterSeconds} s.`
}

function givenUp(pid: number | undefined): string {
  return `The worker ${pid} has accepted no connection for ${givenUpAfterSeconds} s: it is killed.`
}
