import type { OutgoingGroups } from '../serializer/outgoing-groups.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { plainFrame } from './plain-frame.ts'

export const jsonLinesMediaType = 'application/jsonl'

const emptyFrame = plainFrame('', '')

/** Lists as JSON Lines (https://jsonlines.org): clients can read items one by one. */
export function jsonLinesSerializer(serializer: Serializer): Serializer {
  return Object.freeze({
    ...serializer,
    mediaType: jsonLinesMediaType,
    separator: '\n',
    listFrame: () => emptyFrame,
    writeGroups: ({ groups }: OutgoingGroups) =>
      groups.map((group) => JSON.stringify(group)).join('\n'),
  })
}
