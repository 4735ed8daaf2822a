import type { WebhookItem } from '../openapi/document.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { FollowedModel } from './owner-changes.ts'
import { webhookEvents } from './webhook-models.ts'
import type { WebhookSettings } from './webhook-options.ts'

const headers = [
  ['webhook-id', 'The same for all attempts to deliver the event'],
  ['webhook-timestamp', 'The seconds since 1970 of the attempt'],
  ['webhook-signature', 'Signatures separated by spaces: `v1,` and HMAC-SHA256 in base64'],
] as const

/** What webhooks are sent, for `webhooks` of an OpenAPI document (OpenAPI 3.1, OpenAPI Object). */
export function describeWebhooks(
  { payload }: Pick<WebhookSettings<unknown>, 'payload'>,
  models: readonly FollowedModel[],
): Readonly<Record<string, WebhookItem>> {
  return Object.fromEntries(
    models.flatMap((model) =>
      webhookEvents.map((event) => {
        const type = `${model.name}.${event}`
        return [type, { post: operation(type, event, payload === 'full') }]
      }),
    ),
  )
}

function operation(type: string, event: string, isFull: boolean): WebhookItem['post'] {
  const isReset = event === 'reset'
  const item: JsonSchema = {
    type: 'object',
    description: 'The item, as the owner of the webhook reads it',
  }
  const members: Readonly<Record<string, JsonSchema>> = {
    id: { type: 'string' },
    ...(isFull && event !== 'deleted' && { item }),
  }
  return {
    summary: isReset ? `Lists have to be read again: ${type}` : `Something was ${event}: ${type}`,
    tags: ['webhooks'],
    parameters: headers.map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              type: { type: 'string', const: type },
              timestamp: { type: 'string', format: 'date-time' },
              data: {
                type: 'object',
                properties: isReset ? {} : members,
                ...(!isReset && { required: ['id'] }),
              },
            },
            required: ['type', 'timestamp', 'data'],
          },
        },
      },
    },
    responses: {
      200: { description: 'Any status of 2xx: the event has arrived' },
      410: { description: 'The receiver wants no more: the webhook is switched off' },
    },
  }
}
