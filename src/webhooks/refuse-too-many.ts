import type { BeforeWrite } from '../context/write-hooks.ts'
import { refusalsOf } from '../error/refusals.ts'
import { countOf } from '../text/message-text.ts'
import type { WebhookModels } from './webhook-models.ts'

export const tooManyWebhooksErrors = ['conflict'] as const

const { createApiError } = refusalsOf(tooManyWebhooksErrors)

/**
 * In the transaction that creates the webhook: counting locks the owner, so requests at the same
 * time count one after the other. Code of the service has no limit.
 */
export async function refuseTooMany(
  { kind, next, cause, items }: BeforeWrite<InstanceType<WebhookModels['Webhook']>>,
  { Webhook }: WebhookModels,
  max: number,
): Promise<void> {
  if (kind !== 'create' || cause.kind !== 'request') return
  const count = await items(Webhook).count((all) => all.where('owner').equal(next.owner))
  if (count >= max)
    throw createApiError(
      'conflict',
      `A caller has at most ${countOf(max, 'webhook')}. Delete one that is not needed.`,
    )
}
