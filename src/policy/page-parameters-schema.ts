import type { JsonSchema } from '../schema/json-schema.ts'

/** What a response to QUERY has in place of links that would be too long. */
export const pageParametersSchema: JsonSchema = {
  type: 'object',
  description:
    'For a query that is too long for links: the `page` parameters of other pages, percent-encoded; null where there is no such page',
  additionalProperties: { type: ['string', 'null'] },
}
