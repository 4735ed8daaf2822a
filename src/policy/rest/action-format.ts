import { charsetParameters } from '../../rule/media-type-parameters.ts'
import type { Contents } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionFormat } from '../action-rules.ts'
import { mediaType } from './document-schemas.ts'
import { readActionPayload } from './read-action-payload.ts'

/** What actions take and give is the whole of a body. */
export const actionFormat: ActionFormat = {
  mediaTypes: [mediaType],
  parameters: charsetParameters,
  missingRelatedError: 'related-not-found',
  inputContents: (input, _, example) => contentsOf(input, example),
  outputResponse: (output) => ({
    contents: contentsOf(output),
    description: 'What the action gives',
  }),
  read: readActionPayload,
}

function contentsOf(schema: JsonSchema, example?: () => unknown): Contents {
  return () => {
    const value = example?.()
    return { [mediaType]: { schema, ...(value !== undefined && { example: value }) } }
  }
}
