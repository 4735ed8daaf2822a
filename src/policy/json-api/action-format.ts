import type { Contents } from '../../rule/contents.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionFormat } from '../action-rules.ts'
import { contentsOf, metaDocument } from './document-schemas.ts'
import { mediaType, plainParameters } from './media-types.ts'
import { readActionPayload } from './read-action-payload.ts'
import { atMemberPattern } from './request-schemas.ts'

const plainJson = 'application/json'

/**
 * Input and output of an action are the `meta` of a document. JSON:API 1.1 does not define actions,
 * so the input may also be plain JSON.
 */
export const actionFormat: ActionFormat = {
  mediaTypes: [mediaType, plainJson],
  parameters: plainParameters,
  missingRelatedError: 'related-missing',
  ignoredNamePattern: atMemberPattern,
  inputContents,
  outputResponse: (output) => ({
    contents: contentsOf(metaDocument(output)),
    description: 'The output of the action, as `meta`',
  }),
  read: readActionPayload,
}

function inputContents(input: JsonSchema, isOptional: boolean, example: () => unknown): Contents {
  const document: JsonSchema = {
    type: 'object',
    properties: { meta: input },
    ...(!isOptional && { required: ['meta'] }),
  }
  return () => {
    const value = example()
    if (value === undefined)
      return { [mediaType]: { schema: document }, [plainJson]: { schema: input } }
    return {
      [mediaType]: { schema: document, example: { meta: value } },
      [plainJson]: { schema: input, example: value },
    }
  }
}
