import type { Socket } from 'node:net'
import { connectAs } from './forwarded-connection.ts'

/** A new worker that is full or blocked may accept connections later. */
const retryMs = 1_000

/** How long, and how many. */
export interface NewWorkerLimits {
  /** How many requests wait for a new worker. */
  readonly maxWaiting: number
  /** How long they do, in milliseconds. */
  readonly maxPauseMs: number
}

/** The ports of new workers, to which an old one forwards its requests. */
export class NewWorkerPorts {
  readonly #limits: NewWorkerLimits
  readonly #ports: number[] = []
  #waiting = 0
  /** Is another new worker to come where none responds? */
  #waits = true
  #wake: () => void = () => {}
  #changed: Promise<void> = this.#nextChange()

  constructor(limits: NewWorkerLimits) {
    this.#limits = limits
  }

  add(port: number): void {
    this.#ports.push(port)
    this.#notify()
  }

  /** Other programs may have the port now. */
  remove(port: number): void {
    const index = this.#ports.indexOf(port)
    if (index >= 0) this.#ports.splice(index, 1)
  }

  /** Lets no request wait any more. Those that come are forwarded where a new worker responds. */
  endWaiting(): void {
    this.#waits = false
    this.#notify()
  }

  /** Forgets all ports, and lets no request wait. */
  close(): void {
    this.#ports.length = 0
    this.endWaiting()
  }

  /**
   * A connection to one of the new workers, as that of this client: it waits for one that responds.
   * @returns `full` where too many wait already; undefined where none responds in time
   */
  async connect(client: Socket): Promise<Socket | 'full' | undefined> {
    const untilMs = performance.now() + this.#limits.maxPauseMs
    const upstream = await this.#tryEach(client)
    if (upstream || !this.#waits) return upstream
    if (this.#waiting >= this.#limits.maxWaiting) return 'full'
    this.#waiting++
    try {
      return await this.#retry(client, untilMs)
    } finally {
      this.#waiting--
    }
  }

  async #retry(client: Socket, untilMs: number): Promise<Socket | undefined> {
    for (;;) {
      const leftMs = untilMs - performance.now()
      if (!this.#waits || client.destroyed || leftMs <= 0) return undefined
      await this.#change(Math.min(leftMs, retryMs))
      const upstream = await this.#tryEach(client)
      if (upstream) return upstream
    }
  }

  async #tryEach(client: Socket): Promise<Socket | undefined> {
    // Each gets its turn.
    this.#ports.push(...this.#ports.splice(0, 1))
    const tried = new Set<number>()
    for (;;) {
      // One that is blocked takes long to fail, and another one may be ready by then.
      const port = this.#ports.find((each) => !tried.has(each))
      if (port === undefined) return undefined
      tried.add(port)
      const upstream = await connectAs(client, port)
      if (upstream) return upstream
    }
  }

  /** Resolves at the next change, or after this time. */
  async #change(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms).unref()
    })
    await Promise.race([this.#changed, late])
    clearTimeout(timer)
  }

  #notify(): void {
    const wake = this.#wake
    this.#changed = this.#nextChange()
    wake()
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
