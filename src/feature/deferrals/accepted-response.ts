import type { Contents } from '../../rule/contents.ts'
import { charsetParameters } from '../../rule/media-type-parameters.ts'
import type { ResponseShape } from '../../rule/response-shape.ts'
import type { Serializer } from '../../serializer/serializer.ts'

/** The response to a request that is carried out later. */
export function acceptedResponse(serializer: Serializer, contents: Contents): ResponseShape {
  return {
    status: 202,
    description: 'The job that carries out the request',
    content: 'empty',
    serializer,
    parameters: charsetParameters,
    contents,
    headers: {
      location: 'always',
      'content-location': 'always',
      'preference-applied': 'always',
      'retry-after': 'always',
      'cache-control': 'always',
    },
  }
}
