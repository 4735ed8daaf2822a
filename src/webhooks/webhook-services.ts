import type { Router } from '../api/router.ts'
import type { FollowedModel } from './owner-changes.ts'
import type { ReadPositions } from './read-positions.ts'
import type { WebhookModels } from './webhook-models.ts'
import type { WebhookSettings } from './webhook-options.ts'

/** What webhooks of a router need, to find out what changed and to send it. */
export interface WebhookServices {
  readonly router: Pick<Router, 'respond' | 'items' | 'transaction'>
  readonly settings: WebhookSettings<unknown>
  readonly models: WebhookModels
  readonly followed: readonly FollowedModel[]
  readonly readPositions: ReadPositions
  onError(error: unknown): void
}
