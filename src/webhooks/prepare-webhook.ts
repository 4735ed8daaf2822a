import type { BeforeWrite } from '../context/write-hooks.ts'
import { readOwnerChanges } from './owner-changes.ts'
import { type WebhookModels, wantsModel } from './webhook-models.ts'
import type { WebhookServices } from './webhook-services.ts'

/** How long messages have the signature of a former secret too: 24 h. */
const rotationMs = 86_400_000

type Write = BeforeWrite<InstanceType<WebhookModels['Webhook']>>

/** The position of each feed from which a new webhook of the caller goes on. */
export async function positionsOfNow(
  { router, followed }: Pick<WebhookServices, 'router' | 'followed'>,
  caller: unknown,
): Promise<Record<string, string>> {
  const positions: Record<string, string> = {}
  for (const model of followed) {
    const { next } = await readOwnerChanges(router, caller, model, undefined)
    if (next !== undefined) positions[model.name] = next
  }
  return positions
}

/** A webhook that code creates has no positions of a request. */
export async function startNow(
  services: WebhookServices,
  { kind, next, items }: Write,
): Promise<void> {
  if (kind !== 'create' || Object.keys(next.positions).length > 0) return
  const caller = await services.settings.callerOf(next.owner, items)
  if (caller !== undefined && caller !== null)
    next.positions = await positionsOfNow(services, caller)
}

/** A model that is added to a webhook begins now, and not where the webhook began. */
export async function startAddedModels(
  services: WebhookServices,
  { kind, next, previous, items }: Write,
): Promise<void> {
  if (kind !== 'update') return
  const added = services.followed.filter(
    ({ name }) => wantsModel(next, name) && !wantsModel(previous, name),
  )
  if (added.length === 0) return
  const positions = { ...next.positions }
  const positionTimes = { ...next.positionTimes }
  for (const { name } of added) {
    delete positions[name]
    positionTimes[name] = new Date().toISOString()
  }
  const caller = await services.settings.callerOf(next.owner, items)
  const isKnown = caller !== undefined && caller !== null
  const { router } = services
  const started = isKnown ? await positionsOfNow({ router, followed: added }, caller) : {}
  next.positions = { ...positions, ...started }
  next.positionTimes = positionTimes
}

/** Receivers verify with either secret until they have the new one. */
export function keepFormerSecret({ kind, next, previous }: Write): void {
  if (kind !== 'update') return
  if (next.active) next.inactiveReason = null
  if (next.secret === previous.secret) return
  next.formerSecret = previous.secret
  next.formerSecretEndsAt = new Date(Date.now() + rotationMs).toISOString()
}
