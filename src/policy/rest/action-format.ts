import { charsetParameters } from '../../rule/media-type-parameters.ts'
import type { Contents } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionFormat } from '../action-rules.ts'
import { mediaType } from './document-schemas.ts'
import { readActionPayload } from './read-action-payload.ts'

/** The body of a request is the input, the body of a response the output. */
export const actionFormat: ActionFormat = {
  mediaTypes: [mediaType],
  parameters: charsetParameters,
  missingRelatedError: 'related-not-found',
  inputContents: (input, _, example) => contentsOf(input, example),
  outputResponse: (output) => ({
    contents: contentsOf(output),
    description: 'The output of the action',
  }),
  read: readActionPayload,
}

function contentsOf(schema: JsonSchema, example?: () => unknown): Contents {
  return () => {
    const value = example?.()
    return { [mediaType]: { schema, ...(value !== undefined && { example: value }) } }
  }
}
