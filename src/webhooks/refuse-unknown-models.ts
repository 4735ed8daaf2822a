import type { BeforeWrite } from '../context/write-hooks.ts'
import { truncate } from '../error/truncate.ts'
import type { FollowedModel } from './owner-changes.ts'
import type { WebhookModels } from './webhook-models.ts'

/**
 * A model that the caller may not read is as unknown as one that there is not. Code of the service
 * may name any.
 */
export function refuseUnknownModels(
  { kind, next, previous, cause, refuse }: BeforeWrite<InstanceType<WebhookModels['Webhook']>>,
  readableFor: (caller: unknown) => readonly FollowedModel[],
): void {
  if (kind === 'delete' || cause.kind === 'code') return
  const added = next.models.filter((name) => !previous?.models.includes(name))
  if (added.length === 0) return
  const names = readableFor(cause.context.caller).map(({ name }) => name)
  const unknown = added.filter((name) => !names.includes(name))
  if (unknown.length === 0) return
  const got = unknown.map((name) => `'${truncate(name)}'`).join(', ')
  refuse(
    'models',
    names.length === 0
      ? `must be empty, because there is no model that you may read; got ${got}`
      : `must be names of models that you may read (${names.join(', ')}); got ${got}`,
  )
}
