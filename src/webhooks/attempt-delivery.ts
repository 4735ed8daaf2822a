import { readOwnerItem } from './owner-changes.ts'
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
    const nowMs = Date.now()
    const isDue = delivery?.nextAttemptAt && Date.parse(delivery.nextAttemptAt) <= nowMs
    if (delivery?.status !== 'pending' || !isDue) return undefined
    if (Date.parse(delivery.claimEndsAt) > nowMs) return undefined
    const webhook = (await items(models.Webhook).get(delivery.webhook)) as StoredWebhook | undefined
    if (!webhook?.active) return undefined
    await items(models.WebhookDelivery).update(id, {
      claimEndsAt: new Date(nowMs + 2 * settings.timeoutMs + 10_000).toISOString(),
      firstAttemptAt: delivery.firstAttemptAt ?? new Date(nowMs).toISOString(),
    })
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
