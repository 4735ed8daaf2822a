// The public names of `resourcery/webhooks`.
import type { AccessCallback } from '../access/declare-access.ts'
import type { Router } from '../api/router.ts'
import { extensibleRouter } from '../api/router-extensions.ts'
import { callersInStore, registeredRouters } from '../api/stores-by-caller/store-routers.ts'
import { lazy } from '../cache/lazy.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { createDeliveries } from './create-deliveries.ts'
import { DeliverySender } from './delivery-sender.ts'
import { followedModel, readableModels } from './owner-changes.ts'
import { keepFormerSecret, positionsOfNow, startAddedModels, startNow } from './prepare-webhook.ts'
import { ReadPositions } from './read-positions.ts'
import { redeliver, redeliverInput, redeliverOutput } from './redeliver.ts'
import { refuseTooMany, tooManyWebhooksErrors } from './refuse-too-many.ts'
import { refuseUnknownModels } from './refuse-unknown-models.ts'
import { RegularLook } from './regular-look.ts'
import { describeWebhooks } from './webhook-document.ts'
import { startPositions, type WebhookModels, webhookModels } from './webhook-models.ts'
import { type WebhookOptions, type WebhookSettings, webhookSettings } from './webhook-options.ts'
import type { SettingsInStore } from './webhook-services.ts'

export { newSecret } from './signature.ts'
export type {
  WebhookDeliveryFields,
  WebhookEvent,
  WebhookFields,
  WebhookModels,
} from './webhook-models.ts'
export type { WebhookOptions } from './webhook-options.ts'

type Webhook = InstanceType<WebhookModels['Webhook']>
type Delivery = InstanceType<WebhookModels['WebhookDelivery']>
type Access<Item, Caller> = AccessCallback<Item, Caller, 'redeliver'>

/**
 * Sends changes to other services (Standard Webhooks 1.0): adds the models `webhook`, with which
 * callers say which changes they want, and `webhookDelivery`, which shows what was sent. A webhook
 * gets what its owner may read. Needs the option `changes` of the router, its
 * `security.cursorSecret`, authenticators whose callers have an `id`, and the package `zod`.
 *
 * ```ts
 * const signIn = bearerJwt({
 *   issuer: 'https://id.example',
 *   audience: 'https://api.example',
 *   algorithms: ['RS256'],
 *   jwksUrl: 'https://id.example/.well-known/jwks.json',
 *   caller: ({ sub }) => ({ id: String(sub) }),
 * })
 * const Book = model('book', { title: z.string() })
 * const router = createRouter({
 *   policy: rest(),
 *   store: memory(),
 *   changes: true,
 *   security: {
 *     authentication: [signIn],
 *     callerSchema: z.object({ id: z.string() }),
 *     cursorSecret: 'at least 32 bytes, from the environment',
 *   },
 * })
 * router.prepare(Book)
 * const { Webhook } = webhooks(router, { models: [Book], callerOf: (id) => ({ id }) })
 * ```
 *
 * @throws RegistrationError for an invalid option
 */
export function webhooks<Caller>(
  router: Router<Caller>,
  options: WebhookOptions<Caller>,
): WebhookModels {
  const settings = webhookSettings(options) as WebhookSettings<unknown>
  const models = webhookModels(settings.allowedHosts)
  for (const each of registeredRouters(router)) {
    const callerOf = callersInStore(router, each, settings.callerOf)
    addWebhooks(each, models, { ...settings, callerOf }, options)
  }
  return models
}

function addWebhooks<Caller>(
  router: Router<Caller>,
  models: WebhookModels,
  settings: SettingsInStore,
  options: Pick<WebhookOptions<Caller>, 'access' | 'deliveryAccess'>,
): void {
  const { extensions, hasLastingCursors, rulesFor, consume } = extensibleRouter(router)
  if (!hasLastingCursors)
    throw new RegistrationError(
      "webhooks() stores positions of the feed, which are sealed. Set the option 'security.cursorSecret' of createRouter(), so that they stay valid after a restart.",
    )
  const followed = lazy(() => settings.models.map((model) => followedModel(router, model)))
  const serving = lazy(() => ({
    router: router as unknown as Router,
    settings,
    models,
    followed: followed(),
    readPositions: new ReadPositions(),
    onError: router.onError ?? console.error,
  }))
  const sender = lazy(() => new DeliverySender(serving()))
  const looking = lazy(() => new RegularLook(serving(), () => sender().wake()))
  let state: 'new' | 'running' | 'closed' = 'new'
  /** Not with the first use of `router.items`: a script would send, and end meanwhile. */
  const run = () => {
    if (state === 'closed') return
    state = 'running'
    sender().wake()
    looking()
  }

  router
    .prepare(models.Webhook)
    .access<'redeliver'>(options.access ?? (ownWebhooks as unknown as Access<Webhook, Caller>))
    .use({
      request: {
        create: async ({ caller, state }) => {
          state.set(startPositions, await positionsOfNow(serving(), caller))
        },
      },
      write: {
        before: async (write) => {
          keepFormerSecret(write)
          refuseUnknownModels(write, (caller) => readableModels(followed(), rulesFor(caller)))
          await refuseTooMany(write, models, settings.maxPerOwner)
          await startNow(serving(), write)
          await startAddedModels(serving(), write)
        },
      },
      declares: { errors: tooManyWebhooksErrors },
    })
    .itemOperation('redeliver', redeliver(models, run), {
      input: redeliverInput,
      output: redeliverOutput,
      description: 'Sends the events since a time once more, those that are kept',
    })
  router
    .prepare(models.WebhookDelivery)
    .access(
      options.deliveryAccess ?? (ownDeliveries as unknown as AccessCallback<Delivery, Caller>),
    )
  consume(
    'webhooks',
    { models: settings.models, maxChanges: 1_000 },
    async (changes, { items, signal }) => {
      await createDeliveries(serving(), items, new Set(changes.map(({ model }) => model)), signal)
      sender().wake()
    },
    'webhooks()',
  )
  extensions.push({
    started: run,
    close: async () => {
      // A router that never started may have registrations that are invalid.
      const wasRunning = state === 'running'
      state = 'closed'
      if (!wasRunning) return
      await looking().close()
      await sender().close()
    },
    webhooks: (rules) => describeWebhooks(settings, readableModels(followed(), rules)),
  })
}

const ownWebhooks: Access<Webhook, { readonly id: string }> = ({ item, caller, signedIn }) => {
  const isOwn = item.owner.equal(caller.id)
  return {
    read: isOwn,
    create: signedIn,
    update: isOwn,
    delete: isOwn,
    actions: { redeliver: isOwn },
    set: { owner: caller.id },
  }
}

const ownDeliveries: AccessCallback<Delivery, { readonly id: string }> = ({ item, caller }) => ({
  read: item.webhook.owner.equal(caller.id),
})
