import { reportOrEnd } from '../background/end-with-store.ts'
import { claimDelivery, type Sending, sendDelivery } from './attempt-delivery.ts'
import { noteAttempt } from './note-attempt.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import type { StoredDelivery } from './webhook-models.ts'

/** Requests under way at once, in all and for one webhook: slow receivers must stop no others. */
const maxRunning = 32
const maxRunningPerWebhook = 4

/** How often deliveries of other processes, and those that wait, are looked for. */
const lookMs = 1_000

/** How often deliveries that are too old are deleted. */
const sweepMs = 3_600_000

/** Sends deliveries whose time has come, in each process: a delivery is sent by one at a time. */
export class DeliverySender {
  readonly #sending: Sending
  readonly #fail: (error: unknown) => void
  /** The webhook of each delivery under way. */
  readonly #running = new Map<Promise<void>, string>()
  readonly #timers: readonly NodeJS.Timeout[]
  #looking: Promise<void> | undefined
  #sweeping: Promise<void> | undefined
  #isAsked = false
  #isClosed = false

  constructor(sending: Sending) {
    this.#sending = sending
    this.#fail = reportOrEnd(
      (error) => sending.onError(error),
      () => this.#end(),
    )
    this.#timers = [
      setInterval(() => this.wake(), lookMs),
      setInterval(() => {
        this.#sweeping = sweepDeliveries(sending, Date.now(), () => this.#isClosed).catch(
          this.#fail,
        )
      }, sweepMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isClosed) return
    this.#isAsked = true
    this.#looking ??= this.#lookWhileAsked()
      .catch(this.#fail)
      .finally(() => {
        this.#looking = undefined
      })
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#end()
    await this.#looking
    await this.#sweeping
    await Promise.all(this.#running.keys())
  }

  #end(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false
      for (const delivery of await this.#due()) {
        if (
          this.#running.size >= maxRunning ||
          this.#countOf(delivery.webhook) >= maxRunningPerWebhook
        )
          continue
        const run = this.#deliver(delivery)
          .catch(this.#fail)
          .finally(() => {
            this.#running.delete(run)
            this.wake()
          })
        this.#running.set(run, delivery.webhook)
      }
    }
  }

  async #due(): Promise<readonly StoredDelivery[]> {
    if (this.#running.size >= maxRunning) return []
    const full = [...new Set(this.#running.values())].filter(
      (webhook) => this.#countOf(webhook) >= maxRunningPerWebhook,
    )
    const { router, models } = this.#sending
    const now = new Date().toISOString()
    const deliveries = await router.items(models.WebhookDelivery).all((all) => {
      const due = all
        .where('status')
        .equal('pending')
        .where('nextAttemptAt')
        .lessThanOrEqual(now)
        .where('claimEndsAt')
        .lessThanOrEqual(now)
        .where('webhook.active')
        .equal(true)
      const open = full.length === 0 ? due : due.where('webhook').noneOf(full)
      return open.sort('nextAttemptAt').limit(maxRunning)
    })
    return deliveries as readonly StoredDelivery[]
  }

  #countOf(webhook: string): number {
    let count = 0
    for (const running of this.#running.values()) if (running === webhook) count++
    return count
  }

  async #deliver({ id }: StoredDelivery): Promise<void> {
    const claimed = await claimDelivery(this.#sending, id)
    if (!claimed) return
    const outcome = await sendDelivery(this.#sending, claimed)
    await noteAttempt(this.#sending, id, outcome)
  }
}
