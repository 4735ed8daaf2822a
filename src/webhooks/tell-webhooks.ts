import type { Router } from '../api/router.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { type FollowedModel, type OwnerChange, readOwnerChanges } from './owner-changes.ts'
import type { StoredWebhook, WebhookModels } from './webhook-models.ts'
import type { WebhookSettings } from './webhook-options.ts'

/** What makes deliveries of changes. */
export interface Telling {
  readonly router: Pick<Router, 'respond' | 'items' | 'transaction'>
  readonly settings: WebhookSettings<unknown>
  readonly models: WebhookModels
  readonly followed: readonly FollowedModel[]
  onError(error: unknown): void
}

/**
 * Makes deliveries of what each active webhook has to be told. One that fails does not stop the
 * others, and goes on where it was the next time.
 * @param changed the names of models that have changed; undefined to look for all
 */
export async function tellWebhooks(
  telling: Telling,
  items: ItemsOf,
  changed: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const active = items(telling.models.Webhook).find((all) => all.where('active').equal(true))
  for await (const webhook of active) {
    signal.throwIfAborted()
    try {
      await tellWebhook(telling, items, webhook, changed, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const message = `Changes could not be read for the webhook '${webhook.id}'.`
      telling.onError(new Error(message, { cause: error }))
    }
  }
}

async function tellWebhook(
  telling: Telling,
  items: ItemsOf,
  webhook: StoredWebhook,
  changed: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { router, settings, followed } = telling
  const wanted = followed.filter(
    ({ name }) =>
      changed?.has(name) !== false &&
      (webhook.models.length === 0 || webhook.models.includes(name)),
  )
  if (wanted.length === 0) return
  const owner = await settings.callerOf(webhook.owner, items)
  if (owner === undefined || owner === null) return
  for (const model of wanted) {
    let since = webhook.positions[model.name]
    for (;;) {
      signal.throwIfAborted()
      const { changes, next, isEnd } = await readOwnerChanges(router, owner, model, since)
      if (next === undefined || next === since) break
      await store(telling, webhook, model, { changes, from: since, next })
      since = next
      if (isEnd) break
    }
  }
}

interface Progress {
  readonly changes: readonly OwnerChange[]
  readonly from: string | undefined
  readonly next: string
}

/** Deliveries and the position after them are stored together, or not at all. */
function store(
  { router, models: { Webhook, WebhookDelivery } }: Telling,
  { id, events }: StoredWebhook,
  { name }: FollowedModel,
  { changes, from, next }: Progress,
): Promise<void> {
  const told = changes.filter(({ event }) => events.length === 0 || events.includes(event))
  const now = new Date().toISOString()
  return router.transaction(async (items) => {
    const webhook = await items(Webhook).get(id)
    // Another process has done it, or the webhook is gone.
    if (!webhook || webhook.positions[name] !== from) return
    await items(WebhookDelivery).createMany(
      told.map(({ event, id: item }) => ({
        webhook: id,
        event: `${name}.${event}`,
        item,
        createdAt: now,
        status: 'pending' as const,
        attempts: 0,
        nextAttemptAt: now,
        lastStatus: null,
        lastError: null,
        deliveredAt: null,
      })),
    )
    await items(Webhook).update(id, { positions: { ...webhook.positions, [name]: next } })
  })
}
