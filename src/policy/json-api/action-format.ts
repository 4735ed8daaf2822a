import { refuse } from '../../error/api-error.ts'
import { problem } from '../../error/problem.ts'
import type { Contents } from '../../rule/contents.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionPayload } from '../../serializer/payload.ts'
import type { ActionFormat } from '../action-rules.ts'
import { withoutAtMembers } from './at-members.ts'
import { contentsOf, metaDocument } from './document-schemas.ts'
import { mediaType, plainParameters } from './media-types.ts'
import { isJsonObject } from './read-linkage.ts'
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

/** The input of an action: the `meta` of a JSON:API document, or the whole of plain JSON. */
function readActionPayload(document: unknown, contentType: string): ActionPayload {
  if (contentType !== mediaType) return { kind: 'present', document, value: document, steps: [] }
  const expected =
    "Expected an object with the input of the action as 'meta' (an object), or the input itself as application/json."
  if (!isJsonObject(document)) throw refuse('invalid-document', expected, { pointer: '' })
  for (const name of ['data', 'errors'])
    if (document[name] !== undefined)
      throw refuse('invalid-document', expected, { pointer: `/${name}` })
  if (document.meta === undefined)
    return {
      kind: 'absent',
      missingProblem: problem('invalid-document', expected, { pointer: '' }),
    }
  if (!isJsonObject(document.meta)) throw refuse('invalid-document', expected, { pointer: '/meta' })
  return { kind: 'present', document, value: withoutAtMembers(document.meta), steps: ['meta'] }
}
