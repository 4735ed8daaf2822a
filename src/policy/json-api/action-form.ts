import type { Contents } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionForm } from '../action-rules.ts'
import { contentsOf, metaDocument } from './document-schemas.ts'
import { mediaType, plain } from './media.ts'
import { readInput } from './read-input.ts'
import { atMembers } from './taken-schemas.ts'

const plainJson = 'application/json'

/** What actions take and give is the meta of a document. JSON:API 1.1 knows no actions, so that plain JSON is taken too. */
export const actionForm: ActionForm = {
  mediaTypes: [mediaType, plainJson],
  parameters: plain,
  missingRelated: 'related-missing',
  ignored: atMembers,
  taken,
  given: (output) => ({ contents: contentsOf(metaDocument(output)), description: 'What the action gives, as meta' }),
  read: readInput,
}

function taken(input: JsonSchema, isOptional: boolean, example: () => unknown): Contents {
  const document: JsonSchema = {
    type: 'object',
    properties: { meta: input },
    ...(!isOptional && { required: ['meta'] }),
  }
  return () => {
    const value = example()
    if (value === undefined) return { [mediaType]: { schema: document }, [plainJson]: { schema: input } }
    return {
      [mediaType]: { schema: document, example: { meta: value } },
      [plainJson]: { schema: input, example: value },
    }
  }
}
