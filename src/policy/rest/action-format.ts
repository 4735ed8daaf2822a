import { charsetParameters } from '../../rule/media-type-parameters.ts'
import type { ActionPayload } from '../../serializer/payload.ts'
import type { ActionFormat } from '../action-rules.ts'
import { createContents } from '../create-contents.ts'
import { mediaType } from './document-schemas.ts'

/** The body of a request is the input, the body of a response the output. */
export const actionFormat: ActionFormat = {
  mediaTypes: [mediaType],
  parameters: charsetParameters,
  missingRelatedError: 'related-not-found',
  inputContents: (input, _, example) => createContents([mediaType], input, example),
  outputResponse: (output) => ({
    contents: createContents([mediaType], output),
    description: 'The output of the action',
  }),
  read: readActionPayload,
}

/** The body of an action is its input. */
function readActionPayload(document: unknown): ActionPayload {
  return { kind: 'present', document, value: document, steps: [] }
}
