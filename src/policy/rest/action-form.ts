import { charset } from '../../rule/media.ts'
import type { Contents } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionForm } from '../action-rules.ts'
import { mediaType } from './document-schemas.ts'
import { readInput } from './read-input.ts'

/** What actions take and give is the whole of a body. */
export const actionForm: ActionForm = {
  mediaTypes: [mediaType],
  parameters: charset,
  missingRelated: 'related-not-found',
  taken: (input, _, example) => contentsOf(input, example),
  given: (output) => ({ contents: contentsOf(output), description: 'What the action gives' }),
  read: readInput,
}

function contentsOf(schema: JsonSchema, example?: () => unknown): Contents {
  return () => {
    const value = example?.()
    return { [mediaType]: { schema, ...(value !== undefined && { example: value }) } }
  }
}
