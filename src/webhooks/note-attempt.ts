import type { ItemsOf } from '../model/items/items.ts'
import { nextPauseMs } from './retry-times.ts'
import type { SentWebhook } from './send-webhook.ts'
import { notClaimed, type StoredDelivery, type WebhookModels } from './webhook-models.ts'
import type { WebhookServices } from './webhook-services.ts'

/** Stores how an attempt has ended, and switches the webhook off where nothing else helps. */
export function noteAttempt(
  { router, models }: Pick<WebhookServices, 'router' | 'models'>,
  id: string,
  outcome: SentWebhook,
): Promise<void> {
  const { Webhook, WebhookDelivery } = models
  const now = new Date().toISOString()
  return router.transaction(async (items) => {
    const delivery = (await items(WebhookDelivery).get(id)) as StoredDelivery | undefined
    if (!delivery) return
    // It is to be sent once more since the attempt began, whatever the attempt was good for.
    if (delivery.firstAttemptAt === null) {
      await items(WebhookDelivery).update(id, { claimEndsAt: notClaimed })
      return
    }
    const attempts = delivery.attempts + 1
    const lastStatus = outcome.status ?? null
    if (outcome.kind === 'delivered') {
      await items(WebhookDelivery).update(id, {
        status: 'delivered',
        deliveredAt: now,
        endedAt: now,
        nextAttemptAt: null,
        claimEndsAt: notClaimed,
        attempts,
        lastStatus,
        lastError: null,
      })
      return
    }
    const isGone = outcome.kind === 'gone'
    const pauseMs = isGone ? undefined : nextPauseMs(attempts, outcome.retryAfterMs)
    const lastError = isGone ? 'The receiver wants no more (410).' : outcome.reason
    await items(WebhookDelivery).update(id, {
      status: pauseMs === undefined ? 'failed' : 'pending',
      endedAt: pauseMs === undefined ? now : null,
      nextAttemptAt: pauseMs === undefined ? null : new Date(Date.now() + pauseMs).toISOString(),
      claimEndsAt: notClaimed,
      attempts,
      lastStatus,
      lastError,
    })
    if (pauseMs !== undefined) return
    if (!isGone && (await hasOthersDelivered(items, models, delivery))) return
    await items(Webhook).update(delivery.webhook, {
      active: false,
      inactiveReason: isGone
        ? 'The receiver responded with 410 (Gone).'
        : `Nothing has arrived for three days: ${lastError}`,
    })
  })
}

/** Have others arrived since the first attempt? Then this one event was the trouble. */
async function hasOthersDelivered(
  items: ItemsOf,
  { WebhookDelivery }: WebhookModels,
  { webhook, firstAttemptAt, createdAt }: StoredDelivery,
): Promise<boolean> {
  const count = await items(WebhookDelivery).count((all) =>
    all
      .where('webhook')
      .equal(webhook)
      .where('deliveredAt')
      .greaterThanOrEqual(firstAttemptAt ?? createdAt),
  )
  return count > 0
}
