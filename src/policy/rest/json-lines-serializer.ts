import type { Serializer } from '../../serializer/serializer.ts'
import { plainFrame } from '../plain-frame.ts'
import { restSerializer } from './rest-serializer.ts'

export const jsonLinesMediaType = 'application/jsonl'

const emptyFrame = plainFrame('', '')

/** Lists as JSON Lines (https://jsonlines.org): clients can read items one by one. */
export const jsonLinesSerializer: Serializer = Object.freeze({
  ...restSerializer,
  mediaType: jsonLinesMediaType,
  separator: '\n',
  listFrame: () => emptyFrame,
})
