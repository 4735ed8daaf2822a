import type { AccessCallback } from '../access/declare-access.ts'
import {
  checkOptions,
  days,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../model/check-options.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { WebhookModels } from './webhook-models.ts'

/** Which changes webhooks get, and how. */
export interface WebhookOptions<Caller> {
  /** The models whose changes webhooks can get, at least one. */
  readonly models: readonly AnyModel[]
  /**
   * The caller with this id, as authenticators would give it: a webhook gets what this caller may
   * read. Undefined for nobody, whose webhooks get nothing. With several stores,
   * `store` names the one of the work and `items`, and a caller of another one counts as nobody.
   */
  readonly callerOf: (
    owner: string,
    items: ItemsOf,
    store: string | undefined,
  ) => Caller | undefined | Promise<Caller | undefined>
  /** `thin`: the id of the item. `full`: the item too, as its owner reads it. Default: `thin`. */
  readonly payload?: 'thin' | 'full'
  /**
   * Hosts that may have addresses of inner networks, and URLs that begin with http://, in lower
   * case: `['localhost']`. Default: none.
   */
  readonly allowedHosts?: readonly string[]
  /** How long an attempt may take, in milliseconds. Default: 15 000. */
  readonly timeoutMs?: number
  /** How long deliveries are kept once they have ended, from 1 to 36 500 days. Default: 30. */
  readonly keepDays?: number
  /** How many webhooks one caller may have: each reads each batch of changes. Default: 20. */
  readonly maxPerOwner?: number
  /**
   * Who may do what with webhooks. Default: signed-in callers have webhooks of their own, which
   * nobody else sees.
   */
  readonly access?: AccessCallback<InstanceType<WebhookModels['Webhook']>, Caller, 'redeliver'>
  /** Who sees deliveries. Default: the owner of the webhook. */
  readonly deliveryAccess?: AccessCallback<InstanceType<WebhookModels['WebhookDelivery']>, Caller>
}

/** The options with their defaults. */
export type WebhookSettings<Caller> = Required<
  Omit<WebhookOptions<Caller>, 'allowedHosts' | 'access' | 'deliveryAccess'>
> & { readonly allowedHosts: ReadonlySet<string> }

const optionChecks: OptionChecks<WebhookOptions<unknown>> = {
  models: true,
  callerOf: 'function',
  payload: ['thin', 'full'],
  allowedHosts: true,
  timeoutMs: positiveMilliseconds,
  keepDays: days,
  maxPerOwner: wholeNumber(1),
  access: 'function',
  deliveryAccess: 'function',
}

const defaults = Object.freeze({
  payload: 'thin',
  timeoutMs: 15_000,
  keepDays: 30,
  maxPerOwner: 20,
} as const)

/** @throws RegistrationError for an invalid or missing option */
export function webhookSettings<Caller>(options: WebhookOptions<Caller>): WebhookSettings<Caller> {
  checkOptions<WebhookOptions<Caller>>('webhooks()', options, optionChecks as never)
  const { models, callerOf, allowedHosts = [], access, deliveryAccess, ...others } = options
  const faults: string[] = []
  if (!Array.isArray(models) || models.length === 0)
    faults.push("The option 'models' of webhooks() must be an array with at least one model.")
  if (typeof callerOf !== 'function')
    faults.push("The option 'callerOf' of webhooks() must be a function.")
  if (!Array.isArray(allowedHosts) || allowedHosts.some((host) => !isHost(host)))
    faults.push(
      "The option 'allowedHosts' of webhooks() must be an array of hosts in lower case, such as 'localhost'.",
    )
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
  return {
    models,
    callerOf,
    allowedHosts: new Set(allowedHosts),
    ...withDefaults<Pick<WebhookSettings<Caller>, keyof typeof defaults>>(defaults, others),
  }
}

function isHost(host: unknown): boolean {
  return typeof host === 'string' && /^[a-z0-9._:-]+$/.test(host)
}
