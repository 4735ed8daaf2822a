import { charsetParameters } from '../../rule/media-type-parameters.ts'
import type { ActionFormat } from '../action-rules.ts'
import { createContents } from '../create-contents.ts'
import { mediaType } from './document-schemas.ts'
import { readActionPayload } from './read-action-payload.ts'

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
