import type { Router } from '../api/router.ts'
import { type FollowedModel, readOwnerItem } from './owner-changes.ts'
import { nextPauseMs } from './retry-times.ts'
import { type SentWebhook, sendWebhook } from './send-webhook.ts'
import { webhookHeaders } from './signature.ts'
import type { StoredDelivery, StoredWebhook, WebhookModels } from './webhook-models.ts'
import type { WebhookSettings } from './webhook-options.ts'

/** What sends deliveries. */
export interface Sending {
  readonly router: Pick<Router, 'respond' | 'items' | 'transaction'>
  readonly settings: WebhookSettings<unknown>
  readonly models: WebhookModels
  readonly followed: readonly FollowedModel[]
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined
  onError(error: unknown): void
}

/** Requests under way at once, in all and for one webhook: slow receivers must stop no others. */
const maxRunning = 32
const maxRunningPerWebhook = 4

/** How often deliveries of other processes, and those that wait, are looked for. */
const lookMs = 1_000

/** Sends deliveries whose time has come, in each process: a delivery is sent by one at a time. */
export class DeliverySender {
  readonly #sending: Sending
  /** The webhook of each delivery under way. */
  readonly #running = new Map<Promise<void>, string>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #isAsked = false
  #isClosed = false

  constructor(sending: Sending) {
    this.#sending = sending
    this.#timer = setInterval(() => this.wake(), lookMs)
    this.#timer.unref()
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isClosed) return
    this.#isAsked = true
    this.#looking ??= this.#lookWhileAsked()
      .catch((error) => this.#sending.onError(error))
      .finally(() => {
        this.#looking = undefined
      })
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all(this.#running.keys())
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
          .catch((error) => this.#sending.onError(error))
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
    const found = await router.items(models.WebhookDelivery).all((all) => {
      const due = all
        .where('status')
        .equal('pending')
        .where('nextAttemptAt')
        .lessThanOrEqual(new Date().toISOString())
      const open = full.length === 0 ? due : due.where('webhook').noneOf(full)
      return open.sort('nextAttemptAt').limit(maxRunning)
    })
    return found as readonly StoredDelivery[]
  }

  #countOf(webhook: string): number {
    let count = 0
    for (const running of this.#running.values()) if (running === webhook) count++
    return count
  }

  async #deliver({ id }: StoredDelivery): Promise<void> {
    const claimed = await claim(this.#sending, id)
    if (!claimed) return
    const { delivery, webhook } = claimed
    const outcome = await send(this.#sending, webhook, delivery)
    await note(this.#sending, delivery, outcome)
  }
}

/** No other process sends it until the attempt must have ended. Undefined if one does already. */
function claim(
  { router, models, settings }: Sending,
  id: string,
): Promise<{ readonly delivery: StoredDelivery; readonly webhook: StoredWebhook } | undefined> {
  return router.transaction(async (items) => {
    const delivery = (await items(models.WebhookDelivery).get(id)) as StoredDelivery | undefined
    const now = Date.now()
    const isDue = delivery?.nextAttemptAt && Date.parse(delivery.nextAttemptAt) <= now
    if (delivery?.status !== 'pending' || !isDue) return undefined
    const webhook = (await items(models.Webhook).get(delivery.webhook)) as StoredWebhook | undefined
    if (!webhook) return undefined
    const nextAttemptAt = new Date(now + 2 * settings.timeoutMs + 10_000).toISOString()
    await items(models.WebhookDelivery).update(id, { nextAttemptAt })
    return { delivery, webhook }
  })
}

async function send(
  sending: Sending,
  webhook: StoredWebhook,
  { id, type, item, revision, occurredAt }: StoredDelivery,
): Promise<SentWebhook> {
  const { settings, resolve } = sending
  if (!webhook.active)
    return { kind: 'failed', reason: offReason, status: undefined, retryAfterMs: undefined }
  const { allowedHosts, timeoutMs } = settings
  const reference = item === null ? {} : { id: item, ...(revision !== null && { revision }) }
  const full =
    settings.payload === 'full' ? await fullItem(sending, webhook, type, item) : undefined
  const data = full === undefined ? reference : { ...reference, item: full }
  const body = JSON.stringify({ type, timestamp: occurredAt, data })
  const timestamp = Math.floor(Date.now() / 1_000)
  const headers = webhookHeaders({ id: `msg_${id}`, timestamp, body }, secretsOf(webhook))
  const message = { url: new URL(webhook.url), headers, body }
  return sendWebhook(message, { allowedHosts, timeoutMs, ...(resolve && { resolve }) })
}

const offReason = 'The webhook is switched off.'

/** Both secrets, while one is replaced. */
function secretsOf({ secret, formerSecret, formerSecretEndsAt }: StoredWebhook): readonly string[] {
  const isKept = formerSecretEndsAt !== null && Date.parse(formerSecretEndsAt) > Date.now()
  return formerSecret !== null && isKept ? [secret, formerSecret] : [secret]
}

/** As its owner reads it by now; undefined where that is not at all. */
async function fullItem(
  { router, settings, followed }: Sending,
  { owner }: StoredWebhook,
  type: string,
  id: string | null,
): Promise<unknown> {
  const model = followed.find(({ name }) => type.startsWith(`${name}.`))
  if (!model || id === null) return undefined
  const caller = await settings.callerOf(owner, router.items)
  return caller === undefined || caller === null
    ? undefined
    : readOwnerItem(router, caller, model, id)
}

/** Stores how an attempt has ended, and switches the webhook off where nothing else helps. */
function note(
  { router, models }: Sending,
  sent: StoredDelivery,
  outcome: SentWebhook,
): Promise<void> {
  const { Webhook, WebhookDelivery } = models
  const now = new Date().toISOString()
  return router.transaction(async (items) => {
    const delivery = await items(WebhookDelivery).get(sent.id)
    if (!delivery) return
    const attempts = delivery.attempts + 1
    const lastStatus = outcome.status ?? null
    if (outcome.kind === 'delivered') {
      const ended = { status: 'delivered', deliveredAt: now, nextAttemptAt: null } as const
      await items(WebhookDelivery).update(sent.id, {
        ...ended,
        attempts,
        lastStatus,
        lastError: null,
      })
      return
    }
    const isOff = outcome.kind === 'failed' && outcome.reason === offReason
    const pause =
      outcome.kind === 'gone' || isOff ? undefined : nextPauseMs(attempts, outcome.retryAfterMs)
    const lastError = outcome.kind === 'gone' ? 'The receiver wants no more (410).' : outcome.reason
    await items(WebhookDelivery).update(sent.id, {
      status: pause === undefined ? 'failed' : 'pending',
      nextAttemptAt: pause === undefined ? null : new Date(Date.now() + pause).toISOString(),
      attempts,
      lastStatus,
      lastError,
    })
    if (pause !== undefined || isOff) return
    const delivered =
      outcome.kind === 'gone'
        ? 0
        : await items(WebhookDelivery).count((all) =>
            all
              .where('webhook')
              .equal(delivery.webhook)
              .where('deliveredAt')
              .greaterThanOrEqual(delivery.occurredAt),
          )
    // Others have arrived meanwhile, so this one event was the trouble.
    if (delivered > 0) return
    await items(Webhook).update(delivery.webhook, {
      active: false,
      inactiveReason:
        outcome.kind === 'gone'
          ? 'The receiver responded with 410 (Gone).'
          : `Nothing has arrived for three days: ${lastError}`,
    })
  })
}
