import { z } from 'zod'
import type { ItemOperation } from '../operation/action/item-api-operation.ts'
import type { Schema } from '../schema/standard-schema.ts'
import { firstAttemptOf, type WebhookModels } from './webhook-models.ts'

type Webhook = InstanceType<WebhookModels['Webhook']>

export const redeliverInput: Schema<{ since: string }> = z.object({
  since: z.iso
    .datetime({ offset: true })
    .meta({ description: 'Events that occurred at this time or later are sent once more' }),
})

export const redeliverOutput: Schema<{ count: number }> = z.object({
  count: z.int().meta({ description: 'How many events are sent once more' }),
})

/**
 * Makes deliveries pending again, and sends those at once that wait for their next attempt; one
 * that is being sent follows after that.
 * @param wake called when there may be something to send
 */
export function redeliver(
  { WebhookDelivery }: WebhookModels,
  wake: () => void,
): ItemOperation<Webhook, { readonly since: string }, Promise<{ count: number }>> {
  return async ({ id, input, items }) => {
    const now = new Date().toISOString()
    const count = await items(WebhookDelivery).updateWhere(
      (all) => all.where('webhook').equal(id).where('createdAt').greaterThanOrEqual(input.since),
      firstAttemptOf(now),
    )
    // The transaction commits once this has returned.
    setImmediate(wake)
    return { count }
  }
}
