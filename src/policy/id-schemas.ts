import { idPattern, maxIdLength } from '../model/id.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { dependsOnKeyword } from '../rule/query-parameter.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Purpose } from '../serializer/serializer.ts'

/** The id of an item in responses. */
export const responseIdSchema: JsonSchema = Object.freeze({
  type: 'string',
  description: 'Identifies the item in its collection',
})

/** Ids that clients may choose: neither `.` nor `..`, which URLs cannot name. */
const clientIdSchema = {
  type: 'string',
  pattern: idPattern,
  minLength: 1,
  maxLength: maxIdLength,
} as const

/** The id in requests: of a new item as the model says, of an existing item the id in the path. */
export function requestIdSchema({ ids }: ModelDescription, purpose: Purpose): JsonSchema {
  if (purpose !== 'create')
    return { type: 'string', description: 'The id in the path', [dependsOnKeyword]: 'id' }
  if (ids === 'server') return { type: 'null', description: 'The service chooses the id' }
  const description =
    ids === 'client' ? 'Chosen by the client' : 'The service chooses an id if this is missing'
  return { ...clientIdSchema, type: ids === 'client' ? 'string' : ['string', 'null'], description }
}

export function isIdRequired({ ids }: ModelDescription, purpose: Purpose): boolean {
  return purpose === 'create' && ids === 'client'
}
