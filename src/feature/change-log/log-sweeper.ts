import { setTimeout as wait } from 'node:timers/promises'
import { reportOrEnd } from '../../background/end-with-store.ts'
import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ChangeLog } from '../../store/change-log.ts'

/** What a router keeps in the log of its store. */
export interface KeptChanges {
  /** For how many days, by the name of each model. */
  readonly keepDays: ReadonlyMap<string, number>
  readonly maxEntries: number
  /** In milliseconds since 1970. */
  nowMs(): number
  onError(error: unknown): void
}

/** Further routers over the store, which may keep more, open meanwhile. */
const firstSweepMs = 5_000
/** About. */
const sweepEveryMs = 3_600_000
/** The changes of one transaction, so that others do not wait for long. */
const sweptAtOnce = 250
/** The part of the time that a sweep may take. */
const shareOfTime = 0.2
const dayMs = 86_400_000

/**
 * Removes what a log need not keep any more: when the first router opens, and each hour. The log
 * has a change until no model of all routers of this process would keep it; what models with a
 * shorter time have in it is erased.
 */
export class LogSweeper {
  readonly #log: ChangeLog
  readonly #kept = new Set<KeptChanges>()
  /** Where to go on erasing, by the number of days. */
  readonly #erasedUpTo = new Map<number, string>()
  #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #sweeping = Promise.resolve()

  constructor(log: ChangeLog) {
    this.#log = log
  }

  /** @returns ends it for a router that closes */
  add(kept: KeptChanges): () => Promise<void> {
    this.#kept.add(kept)
    if (this.#kept.size === 1) {
      this.#stopping = new AbortController()
      this.#sweepAfter(firstSweepMs)
    }
    return async () => {
      if (!this.#kept.delete(kept) || this.#kept.size > 0) return
      this.#stop()
      await this.#sweeping
    }
  }

  #stop(): void {
    this.#kept.clear()
    clearTimeout(this.#timer)
    this.#stopping.abort()
  }

  #sweepAfter(pauseMs: number): void {
    const { signal } = this.#stopping
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep(signal)
        .catch((error: unknown) => {
          const [kept] = this.#kept
          const report = (reason: unknown) => {
            if (!signal.aborted) kept?.onError(reason)
          }
          reportOrEnd(report, () => this.#stop())(error)
        })
        .finally(() => {
          // Random, so that processes do not always sweep side by side.
          if (!signal.aborted) this.#sweepAfter(sweepEveryMs * (0.9 + 0.2 * Math.random()))
        })
    }, pauseMs).unref()
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { modelsByDays, longest, nowMs, maxEntries } = this.#retention()
    const beforeMs = (days: number): number => nowMs - days * dayMs
    const retention = { beforeMs: beforeMs(longest), maxEntries }
    await inTurns(signal, async () => {
      const removed = await this.#log.removeOldest(retention, sweptAtOnce)
      return removed < sweptAtOnce
    })
    for (const [days, models] of modelsByDays) {
      if (days === longest) continue
      await inTurns(signal, async () => {
        const old = { models, beforeMs: beforeMs(days), after: this.#erasedUpTo.get(days) }
        const { next, isEnd } = await this.#log.eraseOld(old, sweptAtOnce)
        if (next !== undefined) this.#erasedUpTo.set(days, next)
        return isEnd
      })
    }
  }

  /** Where routers differ, the one that keeps more decides. */
  #retention(): {
    readonly modelsByDays: ReadonlyMap<number, readonly string[]>
    readonly longest: number
    readonly nowMs: number
    readonly maxEntries: number
  } {
    const daysOf = new Map<string, number>()
    const all = [...this.#kept]
    for (const { keepDays } of all)
      for (const [model, days] of keepDays)
        daysOf.set(model, Math.max(days, daysOf.get(model) ?? days))
    return {
      modelsByDays: groupedByDays(daysOf),
      longest: Math.max(...daysOf.values()),
      nowMs: Math.min(...all.map((kept) => kept.nowMs())),
      maxEntries: Math.max(...all.map((kept) => kept.maxEntries)),
    }
  }
}

/** The sweeper of a log, which all routers over its store share. */
export const sweeperOf: (log: ChangeLog) => LogSweeper = memoizeBy(
  (log: ChangeLog) => new LogSweeper(log),
)

function groupedByDays(
  daysOf: ReadonlyMap<string, number>,
): ReadonlyMap<number, readonly string[]> {
  const models = new Map<number, string[]>()
  for (const [model, days] of daysOf) models.set(days, [...(models.get(days) ?? []), model])
  return models
}

/** Works in steps until one is the last, with pauses in which others get a turn. */
async function inTurns(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    if (await step()) return
    const pauseMs = (performance.now() - startedAt) * (1 / shareOfTime - 1)
    await wait(pauseMs, undefined, { ref: false, signal }).catch(() => {})
  }
}
