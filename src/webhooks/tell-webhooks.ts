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
}

interface KnownWrite {
  /** How often the item has been written. */
  readonly revision: number
  readonly time: string
}

/** What is known of the changes that have come. */
export interface ArrivedChanges {
  /** The names of their models. */
  readonly models: ReadonlySet<string>
  /** The last write of an item among them, by model and id. */
  readonly writes: ReadonlyMap<string, KnownWrite>
}

/**
 * Makes deliveries of what each active webhook has to be told. A webhook that fails does not stop
 * the others.
 * @throws AggregateError with the errors of those that failed; they go on where they were
 */
export async function tellWebhooks(
  telling: Telling,
  items: ItemsOf,
  arrived: ArrivedChanges,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = []
  const active = items(telling.models.Webhook).find((all) => all.where('active').equal(true))
  for await (const webhook of active) {
    signal.throwIfAborted()
    try {
      await tellWebhook(telling, items, webhook, arrived, signal)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, 'Changes could not be read for all webhooks.')
}

async function tellWebhook(
  telling: Telling,
  items: ItemsOf,
  webhook: StoredWebhook,
  arrived: ArrivedChanges,
  signal: AbortSignal,
): Promise<void> {
  const { router, settings, followed } = telling
  const wanted = followed.filter(
    ({ name }) =>
      arrived.models.has(name) && (webhook.models.length === 0 || webhook.models.includes(name)),
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
      await store(telling, webhook, model, { changes, from: since, next, arrived })
      since = next
      if (isEnd) break
    }
  }
}

interface Progress {
  readonly changes: readonly OwnerChange[]
  readonly from: string | undefined
  readonly next: string
  readonly arrived: ArrivedChanges
}

/** Deliveries and the position after them are stored together, or not at all. */
function store(
  { router, models: { Webhook, WebhookDelivery } }: Telling,
  { id, events }: StoredWebhook,
  { name }: FollowedModel,
  { changes, from, next, arrived }: Progress,
): Promise<void> {
  const told = changes.filter(({ event }) => events.length === 0 || events.includes(event))
  const now = new Date().toISOString()
  return router.transaction(async (items) => {
    const webhook = await items(Webhook).get(id)
    // Another process has done it, or the webhook is gone.
    if (!webhook || webhook.positions[name] !== from) return
    await items(WebhookDelivery).createMany(
      told.map(({ event, id: item }) => {
        const write = arrived.writes.get(`${name} ${item}`)
        return {
          webhook: id,
          type: `${name}.${event}`,
          item,
          revision: write?.revision ?? null,
          occurredAt: write?.time ?? now,
          status: 'pending' as const,
          attempts: 0,
          nextAttemptAt: now,
          lastStatus: null,
          lastError: null,
          deliveredAt: null,
        }
      }),
    )
    await items(Webhook).update(id, { positions: { ...webhook.positions, [name]: next } })
  })
}
