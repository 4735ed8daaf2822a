import { readOwnerItem } from './owner-changes.ts'
import { nextPauseMs } from './retry-times.ts'
import { type SentWebhook, sendWebhook } from './send-webhook.ts'
import { webhookHeaders } from './signature.ts'
import type { StoredDelivery, StoredWebhook } from './webhook-models.ts'
import type { WebhookServices } from './webhook-services.ts'

/** What sends deliveries. */
export interface Sending extends WebhookServices {
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined
}

/** A delivery that this process may send. */
export interface ClaimedDelivery {
  readonly delivery: StoredDelivery
  readonly webhook: StoredWebhook
}

/** No other process sends it until the attempt must have ended. Undefined if one does already. */
export function claimDelivery(
  { router, models, settings }: Sending,
  id: string,
): Promise<ClaimedDelivery | undefined> {
  return router.transaction(async (items) => {
    const delivery = (await items(models.WebhookDelivery).get(id)) as StoredDelivery | undefined
    const now = Date.now()
    const isDue = delivery?.nextAttemptAt && Date.parse(delivery.nextAttemptAt) <= now
    if (delivery?.status !== 'pending' || !isDue) return undefined
    const webhook = (await items(models.Webhook).get(delivery.webhook)) as StoredWebhook | undefined
    if (!webhook?.active) return undefined
    const nextAttemptAt = new Date(now + 2 * settings.timeoutMs + 10_000).toISOString()
    await items(models.WebhookDelivery).update(id, { nextAttemptAt })
    return { delivery, webhook }
  })
}

/** Makes one attempt. */
export async function sendDelivery(
  sending: Sending,
  { webhook, delivery: { id, event, item, createdAt } }: ClaimedDelivery,
): Promise<SentWebhook> {
  const { settings, resolve } = sending
  const { allowedHosts, timeoutMs } = settings
  const reference = item === null ? {} : { id: item }
  const full =
    settings.payload === 'full' ? await fullItem(sending, webhook, event, item) : undefined
  const data = full === undefined ? reference : { ...reference, item: full }
  const body = JSON.stringify({ type: event, timestamp: createdAt, data })
  const timestamp = Math.floor(Date.now() / 1_000)
  const headers = webhookHeaders({ id: `msg_${id}`, timestamp, body }, secretsOf(webhook))
  const message = { url: new URL(webhook.url), headers, body }
  return sendWebhook(message, { allowedHosts, timeoutMs, ...(resolve && { resolve }) })
}

/** Both secrets, while one is replaced. */
function secretsOf({ secret, formerSecret, formerSecretEndsAt }: StoredWebhook): readonly string[] {
  const isKept = formerSecretEndsAt !== null && Date.parse(formerSecretEndsAt) > Date.now()
  return formerSecret !== null && isKept ? [secret, formerSecret] : [secret]
}

/** As its owner reads it by now; undefined where that is not at all. */
async function fullItem(
  { router, settings, followed }: Sending,
  { owner }: StoredWebhook,
  event: string,
  id: string | null,
): Promise<unknown> {
  const model = followed.find(({ name }) => event.startsWith(`${name}.`))
  if (!model || id === null) return undefined
  const caller = await settings.callerOf(owner, router.items)
  return caller === undefined || caller === null
    ? undefined
    : readOwnerItem(router, caller, model, id)
}

/** Stores how an attempt has ended, and switches the webhook off where nothing else helps. */
export function noteAttempt(
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
    const pause = outcome.kind === 'gone' ? undefined : nextPauseMs(attempts, outcome.retryAfterMs)
    const lastError = outcome.kind === 'gone' ? 'The receiver wants no more (410).' : outcome.reason
    await items(WebhookDelivery).update(sent.id, {
      status: pause === undefined ? 'failed' : 'pending',
      nextAttemptAt: pause === undefined ? null : new Date(Date.now() + pause).toISOString(),
      attempts,
      lastStatus,
      lastError,
    })
    if (pause !== undefined) return
    const delivered =
      outcome.kind === 'gone'
        ? 0
        : await items(WebhookDelivery).count((all) =>
            all
              .where('webhook')
              .equal(delivery.webhook)
              .where('deliveredAt')
              .greaterThanOrEqual(delivery.createdAt),
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
