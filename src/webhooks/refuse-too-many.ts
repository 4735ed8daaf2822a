import type { Router } from '../api/router.ts'
import { refusalsOf } from '../error/refusals.ts'
import { countOf } from '../text/message-text.ts'
import { ownerOf, type WebhookModels } from './webhook-models.ts'

export const tooManyWebhooksErrors = ['conflict'] as const

const { createApiError } = refusalsOf(tooManyWebhooksErrors)

/** Two requests at once may make one more. */
export async function refuseTooMany<Caller>(
  router: Pick<Router<Caller>, 'items'>,
  { Webhook }: WebhookModels,
  caller: unknown,
  max: number,
): Promise<void> {
  const owner = ownerOf(caller)
  if (owner === undefined) return
  const count = await router.items(Webhook).count((all) => all.where('owner').equal(owner))
  if (count >= max)
    throw createApiError(
      'conflict',
      `A caller has at most ${countOf(max, 'webhook')}. Delete one that is not needed.`,
    )
}
