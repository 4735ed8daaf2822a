import type { ItemsOf } from '../model/items/items.ts'
import { type FollowedModel, type OwnerChange, readOwnerChanges } from './owner-changes.ts'
import { firstAttemptOf, type StoredWebhook, wantsModel } from './webhook-models.ts'
import type { WebhookServices } from './webhook-services.ts'

/**
 * Creates deliveries of the changes that each active webhook asks for. One that fails does not stop
 * the others, and goes on where it was the next time.
 * @param changed the names of models that have changed; undefined to look for all
 */
export async function createDeliveries(
  services: WebhookServices,
  items: ItemsOf,
  changed: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const active = items(services.models.Webhook).find((all) => all.where('active').equal(true))
  for await (const webhook of active) {
    signal.throwIfAborted()
    try {
      await createDeliveriesOf(services, items, webhook, changed, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const message = `Changes could not be read for the webhook '${webhook.id}'.`
      services.onError(new Error(message, { cause: error }))
    }
  }
}

async function createDeliveriesOf(
  services: WebhookServices,
  items: ItemsOf,
  webhook: StoredWebhook,
  changed: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { router, settings, followed, readPositions } = services
  const wanted = followed.filter(
    ({ name }) => changed?.has(name) !== false && wantsModel(webhook, name),
  )
  if (wanted.length === 0) return
  const owner = await settings.callerOf(webhook.owner, items)
  if (owner === undefined || owner === null) return
  for (const model of wanted) {
    let stored = webhook.positions[model.name]
    let since = readPositions.after(webhook.id, model.name, stored)
    for (;;) {
      signal.throwIfAborted()
      const { changes, next, isEnd } = await readOwnerChanges(router, owner, model, since)
      if (next === undefined) break
      since = next
      // Positions of the same place differ, and a write of the webhook changes its ETag.
      if (stored !== undefined && changes.length === 0 && !isOldPosition(webhook, model))
        readPositions.set(webhook.id, model.name, stored, next)
      else {
        await store(services, webhook, model, { changes, from: stored, next })
        stored = next
      }
      if (isEnd) break
    }
  }
}

/** How old a position may become, far below the age that the log keeps. */
const maxPositionMs = 3_600_000

function isOldPosition(
  { positionTimes, createdAt = '' }: StoredWebhook,
  { name }: FollowedModel,
): boolean {
  const ageMs = Date.now() - Date.parse(positionTimes[name] ?? createdAt)
  return !(ageMs < maxPositionMs)
}

interface Progress {
  readonly changes: readonly OwnerChange[]
  readonly from: string | undefined
  readonly next: string
}

/** Deliveries and the position after them are stored together, or not at all. */
function store(
  { router, models: { Webhook, WebhookDelivery } }: WebhookServices,
  { id, events }: StoredWebhook,
  { name }: FollowedModel,
  { changes, from, next }: Progress,
): Promise<void> {
  const wanted = changes.filter(({ event }) => events.length === 0 || events.includes(event))
  const now = new Date().toISOString()
  return router.transaction(async (items) => {
    const webhook = await items(Webhook).get(id)
    // Another process has done it, or the webhook is gone.
    if (!webhook || webhook.positions[name] !== from) return
    await items(WebhookDelivery).createMany(
      wanted.map(({ event, id: item }) => ({
        webhook: id,
        event: `${name}.${event}`,
        item,
        createdAt: now,
        ...firstAttemptOf(now),
      })),
    )
    await items(Webhook).update(id, {
      positions: { ...webhook.positions, [name]: next },
      positionTimes: { ...webhook.positionTimes, [name]: now },
    })
  })
}
