/** Says whether a further look-up may run beside others. It throws what refuses the request. */
type MayRun = (key: string, running: number) => boolean

interface LookUps {
  running: number
  readonly waiting: { readonly start: () => void; readonly refuse: (error: unknown) => void }[]
}

/**
 * Runs the look-ups of each key, as many at a time as it may have. Others wait, in their order:
 * guesses that are sent at once must not all be looked up before the first one is refused, and
 * right credentials of many users behind one address must not be refused because of that.
 */
export class LookUpQueue {
  readonly #mayRun: MayRun
  readonly #lookUps = new Map<string, LookUps>()

  constructor(mayRun: MayRun) {
    this.#mayRun = mayRun
  }

  /** @returns no promise if the look-up returns none and need not wait */
  run<Found>(key: string, lookUp: () => Found | Promise<Found>): Found | Promise<Found> {
    const others = this.#lookUps.get(key)
    if (!this.#mayRun(key, others?.running ?? 0)) {
      // Others are running, or this one could: they start it when they end.
      const turn = new Promise<void>((start, refuse) => others!.waiting.push({ start, refuse }))
      return turn.then(() => Promise.resolve(lookUp()).finally(() => this.#end(key)))
    }
    const found = lookUp()
    if (!(found instanceof Promise)) return found
    const entry = this.#lookUps.get(key) ?? { running: 0, waiting: [] }
    entry.running++
    this.#lookUps.set(key, entry)
    return found.finally(() => this.#end(key))
  }

  #end(key: string): void {
    const entry = this.#lookUps.get(key)!
    entry.running--
    const { waiting } = entry
    for (let next = waiting[0]; next; next = waiting[0]) {
      try {
        if (!this.#mayRun(key, entry.running)) break
        entry.running++
        next.start()
      } catch (error) {
        next.refuse(error)
      }
      waiting.shift()
    }
    if (entry.running === 0) this.#lookUps.delete(key)
  }
}
