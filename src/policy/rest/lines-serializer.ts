import type { ListFrame, Serializer } from '../../serializer/serializer.ts'
import { restSerializer } from './serializer.ts'

export const linesMediaType = 'application/jsonl'

const nothingAround: ListFrame = Object.freeze({
  open: '',
  nothing: '',
  afterItems: '',
  includedOpen: '',
  group: () => ({ open: '', close: '' }),
  groupsJoined: true,
  includedClose: '',
  close: '',
})

/** Lists as JSON Lines: each item on a line of its own, and nothing around them, so that clients can read them one by one (https://jsonlines.org). */
export const linesSerializer: Serializer = Object.freeze({
  ...restSerializer,
  mediaType: linesMediaType,
  between: '\n',
  list: () => nothingAround,
})
