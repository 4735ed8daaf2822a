import { z } from 'zod'
import { addedBy } from '../model/added-models.ts'
import { dateTime } from '../model/declare/date-time.ts'
import { field, type ValueDefinition } from '../model/declare/field.ts'
import { type ModelClass, model } from '../model/declare/model.ts'
import { type ToOneDefinition, type ToOneOptions, toOne } from '../model/declare/relation.ts'
import type { ValueFromRequest } from '../model/declare/request-context.ts'
import { type TimestampFields, timestamps } from '../model/declare/timestamps.ts'
import type { CodeItem } from '../model/items/item-types.ts'
import { type Schema, unwrittenParams } from '../schema/standard-schema.ts'
import { type StateKey, stateKey } from '../state/state.ts'
import { secretPattern } from './signature.ts'
import { unsendableWords, urlPattern, urlWords } from './webhook-url.ts'

/** What can happen to an item. */
export type WebhookEvent = 'created' | 'updated' | 'deleted' | 'reset'
export const webhookEvents: readonly WebhookEvent[] = ['created', 'updated', 'deleted', 'reset']

/** How a delivery stands. */
const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

/** A time in the past: nobody sends the delivery now. */
export const notClaimed = '1970-01-01T00:00:00Z'

/** Where a new webhook begins: a position for each model, found by a request hook. */
export const startPositions: StateKey<Readonly<Record<string, string>>> =
  stateKey('start of a new webhook')

/** The fields of a webhook. */
export type WebhookFields = {
  readonly url: ValueDefinition<Schema<string>>
  readonly models: ValueDefinition<Schema<string[] | undefined, string[]>>
  readonly events: ValueDefinition<Schema<WebhookEvent[] | undefined, WebhookEvent[]>>
  readonly secret: ValueDefinition<Schema<string>, { readonly writeOnly: true }>
  readonly active: ValueDefinition<Schema<boolean | undefined, boolean>>
  readonly inactiveReason: ValueDefinition<
    Schema<string | null | undefined, string | null>,
    { readonly readOnly: true }
  >
  readonly owner: ValueDefinition<Schema<string>, { readonly from: ValueFromRequest<string> }>
  readonly formerSecret: ValueDefinition<
    Schema<string | null | undefined, string | null>,
    { readonly hidden: true }
  >
  readonly formerSecretEndsAt: ValueDefinition<
    Schema<string | null | undefined, string | null>,
    { readonly hidden: true }
  >
  /** The position of the feed up to which deliveries were made, by model. */
  readonly positions: ValueDefinition<
    Schema<Record<string, string> | undefined, Record<string, string>>,
    { readonly hidden: true }
  >
  /** When each position was stored. */
  readonly positionTimes: ValueDefinition<
    Schema<Record<string, string> | undefined, Record<string, string>>,
    { readonly hidden: true }
  >
} & TimestampFields<object>

/** The fields of a delivery. */
export type WebhookDeliveryFields = {
  readonly webhook: ToOneDefinition<
    InstanceType<ModelClass<'webhook', WebhookFields>>,
    ToOneOptions & { readonly optional?: false }
  >
  readonly event: ValueDefinition<Schema<string>>
  readonly item: ValueDefinition<Schema<string | null>>
  readonly createdAt: ValueDefinition<Schema<string>>
  readonly status: ValueDefinition<Schema<'pending' | 'delivered' | 'failed'>>
  readonly attempts: ValueDefinition<Schema<number>>
  readonly nextAttemptAt: ValueDefinition<Schema<string | null>>
  /** Since when it is sent in vain; null again where it is sent once more. */
  readonly firstAttemptAt: ValueDefinition<
    Schema<string | null | undefined, string | null>,
    { readonly hidden: true }
  >
  /** Until when one process sends it, unless that ends before. */
  readonly claimEndsAt: ValueDefinition<
    Schema<string | undefined, string>,
    { readonly hidden: true }
  >
  readonly lastStatus: ValueDefinition<Schema<number | null>>
  readonly lastError: ValueDefinition<Schema<string | null>>
  readonly deliveredAt: ValueDefinition<Schema<string | null>>
  /** When it was delivered or has failed for good: it is deleted some days later. */
  readonly endedAt: ValueDefinition<
    Schema<string | null | undefined, string | null>,
    { readonly hidden: true; readonly index: true }
  >
}

/** The models, which differ from router to router in the hosts that they allow. */
export interface WebhookModels {
  readonly Webhook: ModelClass<'webhook', WebhookFields>
  readonly WebhookDelivery: ModelClass<'webhookDelivery', WebhookDeliveryFields>
}

/** As code sees them, with relations as ids. */
export type StoredWebhook = CodeItem<WebhookModels['Webhook']>
export type StoredDelivery = CodeItem<WebhookModels['WebhookDelivery']>

/** @param allowedHosts hosts that may have any address */
export function webhookModels(allowedHosts: ReadonlySet<string>): WebhookModels {
  const url = z
    .string()
    .max(2_000)
    .regex(urlPattern(allowedHosts), {
      error: ({ input }) => urlWords(String(input), allowedHosts),
      abort: true,
    })
    .refine((text) => unsendableWords(text, allowedHosts) === undefined, {
      error: ({ input }) => unsendableWords(String(input), allowedHosts),
      params: unwrittenParams,
    })
    .meta({ format: 'uri' })
  const Webhook = model(
    'webhook',
    {
      url: field(url, {
        description: 'Where events are sent, by POST',
        example: 'https://receiver.example/webhooks',
      }),
      models: field(z.array(z.string().max(200)).max(1_000).default([]), {
        description:
          'The names of the models whose changes are sent, of those that you may read; all of them if the list is empty',
      }),
      events: field(z.array(z.enum(webhookEvents)).default([]), {
        description:
          'The events that are sent; all of them if the list is empty. After `reset`, read the lists of the model again',
      }),
      secret: field(z.string().regex(secretPattern, secretWords), {
        writeOnly: true,
        description: 'Signs what is sent (Standard Webhooks 1.0)',
        example: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      }),
      active: field(z.boolean().default(true), { description: 'Are events sent?' }),
      inactiveReason: field(z.string().nullable().default(null), {
        readOnly: true,
        description: 'Why the service has switched it off',
      }),
      owner: field(z.string(), {
        from: ({ caller }) => ownerOf(caller),
        index: true,
        description: 'The id of the caller who has created it',
      }),
      formerSecret: field(z.string().nullable().default(null), { hidden: true }),
      formerSecretEndsAt: field(dateTime({ nullable: true, default: null }), { hidden: true }),
      positions: field(z.record(z.string(), z.string()).default({}), {
        hidden: true,
        from: ({ state }) => state.get(startPositions),
      }),
      positionTimes: field(z.record(z.string(), z.string()).default({}), { hidden: true }),
      ...timestamps(),
    },
    { description: 'Where changes are sent', changes: false },
  )
  const WebhookDelivery = model(
    'webhookDelivery',
    {
      webhook: toOne<InstanceType<WebhookModels['Webhook']>>('webhook', { onDelete: 'cascade' }),
      event: field(z.string(), { description: 'What happened: `book.updated`' }),
      item: field(z.string().nullable(), {
        description: 'The id of the item; null where lists have to be read again',
      }),
      createdAt: field(dateTime(), {
        index: true,
        description: 'When the service has found out what happened',
      }),
      status: field(z.enum(deliveryStatuses), { index: true }),
      attempts: field(z.int(), { description: 'How often it was sent' }),
      nextAttemptAt: field(dateTime({ nullable: true }), { index: true }),
      firstAttemptAt: field(dateTime({ nullable: true, default: null }), { hidden: true }),
      claimEndsAt: field(dateTime({ default: notClaimed }), { hidden: true }),
      lastStatus: field(z.int().nullable(), { description: 'The status of the last response' }),
      lastError: field(z.string().nullable(), { description: 'Why the last attempt failed' }),
      deliveredAt: field(dateTime({ nullable: true }), {}),
      endedAt: field(dateTime({ nullable: true, default: null }), { hidden: true, index: true }),
    },
    {
      plural: 'webhookDeliveries',
      description: 'Events that were sent to webhooks, or will be',
      readOnly: true,
      changes: false,
      indexes: [['status', 'nextAttemptAt']],
    },
  )
  addedBy('webhooks()', Webhook)
  addedBy('webhooks()', WebhookDelivery)
  return { Webhook, WebhookDelivery }
}

/** Without names of models, a webhook gets the changes of all. */
export function wantsModel(
  { models }: { readonly models: readonly string[] },
  name: string,
): boolean {
  return models.length === 0 || models.includes(name)
}

const secretWords =
  "expected 'whsec_' and 24 to 64 random bytes in base64: echo whsec_$(openssl rand -base64 32)"

/** Undefined for callers without an id, who can have no webhooks. */
function ownerOf(caller: unknown): string | undefined {
  const id = (caller as { readonly id?: unknown } | undefined)?.id
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

type FirstAttempt = Pick<
  StoredDelivery,
  | 'status'
  | 'attempts'
  | 'nextAttemptAt'
  | 'firstAttemptAt'
  | 'lastStatus'
  | 'lastError'
  | 'deliveredAt'
  | 'endedAt'
>

/**
 * What a delivery is before its attempts begin, or begin anew: nothing of an earlier round may
 * count in this one.
 */
export function firstAttemptOf(now: string): FirstAttempt {
  return {
    status: 'pending',
    attempts: 0,
    nextAttemptAt: now,
    firstAttemptAt: null,
    lastStatus: null,
    lastError: null,
    deliveredAt: null,
    endedAt: null,
  }
}
