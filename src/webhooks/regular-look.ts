import { reportOrEnd } from '../background/end-with-store.ts'
import { createDeliveries } from './create-deliveries.ts'
import type { WebhookServices } from './webhook-services.ts'

const lookMs = 30_000

/**
 * Looks for what no change of a followed model says: changes of related items, rules about time,
 * other rights, and webhooks whose changes could not be read before.
 */
export class RegularLook {
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined

  /** @param wake called when there may be something to send */
  constructor(services: WebhookServices, wake: () => void) {
    const fail = reportOrEnd(
      (error) => services.onError(error),
      () => this.#end(),
    )
    this.#timer = setInterval(() => {
      this.#looking ??= createDeliveries(
        services,
        services.router.items,
        undefined,
        this.#closing.signal,
      )
        .then(wake)
        .catch((error) => {
          if (!this.#closing.signal.aborted) fail(error)
        })
        .finally(() => {
          this.#looking = undefined
        })
    }, lookMs)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#looking
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#closing.abort()
  }
}
