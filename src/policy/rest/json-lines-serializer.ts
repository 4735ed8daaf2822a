import type { DocumentFrame, Serializer } from '../../serializer/serializer.ts'
import { restSerializer } from './rest-serializer.ts'

export const jsonLinesMediaType = 'application/jsonl'

const emptyFrame: DocumentFrame = Object.freeze({
  open: '',
  emptyItems: '',
  afterItems: '',
  includedOpen: '',
  group: () => ({ open: '', close: '' }),
  areGroupsJoined: true,
  includedClose: '',
  close: '',
})

/** Lists as JSON Lines (https://jsonlines.org): clients can read items one by one. */
export const jsonLinesSerializer: Serializer = Object.freeze({
  ...restSerializer,
  mediaType: jsonLinesMediaType,
  separator: '\n',
  listFrame: () => emptyFrame,
})
