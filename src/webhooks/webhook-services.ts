import type { Router } from '../api/router.ts'
import type { CallerInStore } from '../api/stores-by-caller/store-routers.ts'
import type { FollowedModel } from './owner-changes.ts'
import type { ReadPositions } from './read-positions.ts'
import type { WebhookModels } from './webhook-models.ts'
import type { WebhookSettings } from './webhook-options.ts'

/** The settings, for work in one store. */
export type SettingsInStore = Omit<WebhookSettings<unknown>, 'callerOf'> & {
  readonly callerOf: CallerInStore
}

/** What webhooks of a router need, to find out what changed and to send it. */
export interface WebhookServices {
  readonly router: Pick<Router, 'respond' | 'items' | 'transaction'>
  readonly settings: SettingsInStore
  readonly models: WebhookModels
  readonly followed: readonly FollowedModel[]
  readonly readPositions: ReadPositions
  onError(error: unknown): void
}
